"""Base classes of the wizard's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QWidget, QWizardPage

from app.state.context import AppContext
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.basics import Banner, CardFrame, label, scroll_area, set_role
from app.widgets.layouts import vbox
from app.widgets.theme import G

if TYPE_CHECKING:
    from app.state.build import BuildModel
    from app.state.unsaved_recipe import UnsavedRecipe
SOURCE, RECIPE, OPTIMIZE, QUANTIZE, REVIEW, RUN, DONE = range(7)


class StepPage(QWizardPage):
    """A page with a heading, one line of explanation, a banner, and a scrolling body: `self.body`."""

    def __init__(self, context: AppContext, title: str, text: str) -> None:
        super().__init__()
        self.context = context
        self.draft: UnsavedRecipe = context.unsaved_recipe
        self.build: BuildModel = context.build
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.heading = title
        self.banner = Banner()
        content = QWidget()
        head = vbox(label(title, "title"), label(text, "body-muted", wrap=True), spacing=G // 2)
        self.body = vbox(head, parent=content, margins=(2 * G, G, 2 * G, 2 * G), spacing=2 * G)
        vbox(scroll_area(content), parent=self)
        self.overlay = BannerOverlay(self, self.banner)

    def cleanupPage(self) -> None:
        """Keep the choices when the user goes back (Qt's name)."""


class ChoiceCard(CardFrame):
    """A radio button with a title, a line of explanation and, if it is not available, the reason."""

    def __init__(self, title: str, note: str, available: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.body.setSpacing(G // 2)
        self.radio = QRadioButton(title)
        self.radio.setAccessibleName(title)
        self.radio.setAccessibleDescription(note)
        self.radio.setEnabled(available)
        self.radio.toggled.connect(lambda on: set_role(self, "true" if on else "false", "chosen"))
        self.body.addWidget(self.radio)
        self._note, self._reason = (label(text, "muted", wrap=True, selectable=False) for text in (note, ""))
        for text in (self._note, self._reason):
            text.setContentsMargins(3 * G, 0, 0, 0)
            self.body.addWidget(text)
            text.setHidden(not text.text())
        self.body.addStretch(1)
        self.allow(available, "")

    def allow(self, available: bool, reason: str) -> None:
        """Enable or disable the card, with the reason."""
        self.radio.setEnabled(available)
        self._note.setEnabled(available)
        self.setCursor(Qt.CursorShape.PointingHandCursor if available else Qt.CursorShape.ArrowCursor)
        self._reason.setText(reason)
        self._reason.setVisible(bool(reason))

    def mousePressEvent(self, event: object) -> None:
        """Select the card with a click anywhere on it."""
        if self.radio.isEnabled():
            self.radio.setChecked(True)


def button_group(parent: QWidget, cards: list[ChoiceCard]) -> QButtonGroup:
    """The radio buttons of `cards`, which lie in different boxes, as one group."""
    group = QButtonGroup(parent)
    for card in cards:
        group.addButton(card.radio)
    return group
