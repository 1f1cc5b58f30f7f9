"""Build: from a checkpoint to a bundle, page by page."""
