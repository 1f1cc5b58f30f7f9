"""Base classes of the wizard's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget, QWizard, QWizardPage

from app.state.context import AppContext
from app.widgets.basics import Banner, CardFrame, label, scroll_area, set_role
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
        self.body = QVBoxLayout(content)
        self.body.setContentsMargins(2 * G, G, 2 * G, 2 * G)
        self.body.setSpacing(2 * G)
        head = QVBoxLayout()
        head.setSpacing(G // 2)
        head.addWidget(label(title, "title"))
        head.addWidget(label(text, "body-muted", wrap=True))
        self.body.addLayout(head)
        self.body.addWidget(self.banner)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll_area(content))

    def cleanupPage(self) -> None:
        """Keep the choices when the user goes back (Qt's name)."""

    def rename_buttons(self, **names: str) -> None:
        """Rename the wizard's buttons on this page: next="Build"."""
        buttons = {"next": QWizard.WizardButton.NextButton, "commit": QWizard.WizardButton.CommitButton}
        for key, text in names.items():
            self.setButtonText(buttons[key], text)


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

    def mark(self) -> None:
        """Select the card without emitting a signal."""
        with QSignalBlocker(self.radio):
            self.radio.setChecked(True)
        set_role(self, "true", "chosen")

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
