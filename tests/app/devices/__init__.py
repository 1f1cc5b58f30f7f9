"""The Devices page."""
