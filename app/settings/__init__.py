"""The Settings page: preferences, saved in window.ini and applied immediately if possible."""
