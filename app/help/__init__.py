"""The help: the current page, documentation, shortcuts, versions."""
