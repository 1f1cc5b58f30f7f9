"""The settings page: what a person chooses once, kept in window.ini and applied where it can be at once."""
