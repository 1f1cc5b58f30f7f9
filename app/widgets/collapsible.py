"""A section that unfolds: a title, and a summary of what is chosen in it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.widgets.basics import ElidedLabel, button
from app.widgets.layouts import hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon


class CollapsibleSection(QWidget):
    """Add widgets to `.body`. It is folded at first. tip: the tool tip of the title."""

    def __init__(self, title: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = button(title, role="link", clicked=lambda: self.unfold(not self.unfolded))
        set_tool_tip(self.head, tip)
        self.head.setAccessibleDescription(tip)
        self.summary = ElidedLabel("")
        self._inside = QWidget()
        self.body = vbox(margins=(0, 0, 0, G), parent=self._inside)
        vbox(hbox(self.head, (self.summary, 1)), self._inside, spacing=G // 2, parent=self)
        self.unfold(False)

    @property
    def unfolded(self) -> bool:
        """Whether the content is shown."""
        return not self._inside.isHidden()

    def unfold(self, on: bool) -> None:
        """Unfolds or folds the content."""
        self._inside.setVisible(on)
        set_icon(self.head, "chevron-down" if on else "chevron-right", "accent", 16)

    def set_summary(self, text: str) -> None:
        """Sets the summary beside the title."""
        self.summary.set_whole(text)
        self.head.setAccessibleName(f"{self.head.text()}: {text}")
