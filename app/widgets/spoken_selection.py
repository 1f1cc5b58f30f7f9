"""What a screen reader says of a painted widget: its title, and the part of it that is selected.

title, selected part ──▶ accessible name and description of the widget; Qt notifies screen readers of each change
"""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


class SpokenSelection:
    """Names `widget`, whose boxes or cells are painted and are no widgets themselves."""

    def __init__(self, widget: QWidget, title: str) -> None:
        self._widget, self._title, self._selected = widget, title, ""
        self._update()

    def set_title(self, title: str) -> None:
        """Change what the whole widget is called."""
        self._title = title
        self._update()

    def select(self, name: str, description: str | None = None) -> None:
        """Say which part is selected, "" for none. description: None leaves the present one."""
        self._selected = name
        self._update()
        if description is not None:
            self._widget.setAccessibleDescription(description)

    def _update(self) -> None:
        self._widget.setAccessibleName(f"{self._title}: {self._selected}" if self._selected else self._title)
