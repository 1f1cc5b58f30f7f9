"""What runs around the window: the check for system libraries, preloading of modules, the tour without a display."""
