"""The Server page."""
