"""The frame of the main window: rail, bundle bar, stack of pages, status line, command palette, and its closing."""
