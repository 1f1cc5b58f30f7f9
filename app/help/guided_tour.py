"""The guided tour: five steps from a source to a measurement, each of which points at a control of its page.

start ─▶ step ─ Next, Back ─▶ step … ─▶ finished;   leave ─▶ the step is remembered, and the next start continues there
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QWidget, QWizard

from app.frame.page_stack import PageStack
from app.state.context import AppContext
from app.text.translatable import tr
from app.widgets.actions import tool_button
from app.widgets.basics import button, label
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.styling import apply_style
from app.widgets.theme import G, theme

SETTING, FINISHED = "tour", "finished"
FOLLOW_MS = 200
"""How often the card looks where its control is: pages lay themselves out while data arrives."""


@dataclass(frozen=True, slots=True)
class TourStep:
    """A page, what is said about it, and its controls to point at, of which the first visible one counts."""

    page: str
    title: str
    text: str
    controls: Callable[[Any], Iterable[QWidget]]


def tour_steps() -> tuple[TourStep, ...]:
    """The steps, in the current language."""
    return (
        TourStep(
            "build",
            tr("Choose a source"),
            tr(
                "A folder, a model of the hub or a demo. Choose Demo to try it without a download; what the "
                "checkpoint holds appears below before anything is converted."
            ),
            lambda page: (page.wizard.source_page.cards[2], page.line),
        ),
        TourStep(
            "build",
            tr("Build a bundle"),
            tr(
                "Each step has a default, so Next leads to the review and the build. Precision, cache and passes can "
                "be chosen on the way; a build that was stopped continues where it ended."
            ),
            lambda page: (page.wizard.button(QWizard.WizardButton.NextButton), page.line),
        ),
        TourStep(
            "chat",
            tr("Chat with it"),
            tr(
                "Ask a question here. The chips above say what the reply is made with; pointing at a word of the reply "
                "shows its token, its probability and the alternatives."
            ),
            lambda page: (page.composer, page),
        ),
        TourStep(
            "inspect",
            tr("Inspect what was built"),
            tr(
                "The composite as it runs, the graph of each component at each stage of the build with the "
                "differences between them, and the KV cache slot by slot."
            ),
            lambda page: (page.tabs.tabBar(), page),
        ),
        TourStep(
            "measure",
            tr("Measure it"),
            tr(
                "Replies draw their latency and cache here. A benchmark measures speed and memory, Accuracy compares "
                "two bundles, and History keeps every run."
            ),
            lambda page: (page.benchmark_button, page),
        ),
    )


class TargetRing(QWidget):
    """An outline around a control, which the mouse goes through."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt's name."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().color("accent"), 3))
        painter.drawRoundedRect(self.rect().adjusted(2, 2, -2, -2), G, G)
        painter.end()


class TourCard(QFrame):
    """The text of a step with Back, Next and Leave. Escape leaves."""

    def __init__(self, tour: GuidedTour, parent: QWidget) -> None:
        super().__init__(parent)
        self._tour = tour
        self.setProperty("role", "palette")
        self.setFixedWidth(44 * G)
        self.number, self.title = label("", "muted"), label("", "heading")
        self.text = label("", wrap=True)
        self.close_button = tool_button("close", self.tr("Leave the tour"), "muted", tour.leave)
        self.back = button(self.tr("Back"), clicked=tour.back)
        self.next = button(self.tr("Next"), role="primary", clicked=tour.next)
        row = hbox(STRETCH, self.back, self.next)
        head = hbox(self.number, STRETCH, self.close_button)
        vbox(head, self.title, self.text, row, parent=self, margins=2 * G)
        apply_style(self)

    def show_step(self, step: TourStep, index: int, count: int) -> None:
        """Show the text of a step."""
        number = self.tr("Tour: step {0} of {1}").format(index + 1, count)
        self.number.setText(number)
        self.title.setText(step.title)
        self.text.setText(step.text)
        self.back.setEnabled(index > 0)
        self.next.setText(self.tr("Finish") if index + 1 == count else self.tr("Next"))
        self.next.setAccessibleName(self.next.text())
        self.setAccessibleName(f"{number}: {step.title}")
        self.next.setAccessibleDescription(f"{number}: {step.title}. {step.text}")  # read when the button has the focus
        column = self.layout()
        assert column is not None
        self.setFixedHeight(column.totalHeightForWidth(self.width()))

    def event(self, event: QEvent) -> bool:
        """Qt's name: Escape is no shortcut of the page behind."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name."""
        if event.key() == Qt.Key.Key_Escape:
            self._tour.leave()
        else:
            super().keyPressEvent(event)


class GuidedTour(QObject):
    """One tour at a time over `window`, whose pages `show_page` shows."""

    def __init__(
        self, context: AppContext, stack: PageStack, show_page: Callable[[str], object], window: QWidget
    ) -> None:
        super().__init__(window)
        self._context, self._stack, self._show_page, self._window = context, stack, show_page, window
        self.steps: tuple[TourStep, ...] = ()
        self.index = 0
        self.card: TourCard | None = None
        self.ring: TargetRing | None = None
        self._timer = QTimer(self, interval=FOLLOW_MS)
        self._timer.timeout.connect(self._place)

    @property
    def running(self) -> bool:
        """Whether a step is shown."""
        return self.card is not None and self.card.isVisible()

    @property
    def next_index(self) -> int:
        """The step that the next tour begins with: where it was left; 0 if it was not begun, or was finished."""
        saved = self._context.settings.text(SETTING)
        return int(saved) if saved.isdecimal() and int(saved) < len(tour_steps()) else 0

    def start(self) -> None:
        """Begin the tour, or continue it where it was left."""
        self.steps = tour_steps()
        if self.card is None:
            self.ring, self.card = TargetRing(self._window), TourCard(self, self._window)
            self._window.installEventFilter(self)
        self._go(self.next_index)

    def next(self) -> None:
        """Show the next step; after the last one the tour is finished."""
        if self.index + 1 < len(self.steps):
            self._go(self.index + 1)
        else:
            self._end(FINISHED)

    def back(self) -> None:
        """Show the step before."""
        self._go(max(0, self.index - 1))

    def leave(self) -> None:
        """End the tour; the next one continues here."""
        self._end(str(self.index))
        text = self.tr("The tour continues here when it is taken again: under Help, or by Ctrl+K.")
        self._context.show_note(text, self.tr("Continue"), self.start)

    def _go(self, index: int) -> None:
        self.index = index
        step = self.steps[index]
        self._context.settings.set(SETTING, str(index))
        self._show_page(step.page)
        assert self.card is not None
        self.card.show_step(step, index, len(self.steps))
        self.card.show()
        self._place()
        QTimer.singleShot(
            0, self.card.next, self.card.next.setFocus
        )  # after the page, which takes the focus when shown
        self._timer.start()

    def _end(self, state: str) -> None:
        self._timer.stop()
        self._context.settings.set(SETTING, state)
        for part in (self.card, self.ring):
            if part is not None:
                part.hide()
        page = self._stack.currentWidget()
        if page is not None:
            page.setFocus()

    def target(self) -> QWidget | None:
        """The control of the step that is visible; None on another page."""
        step = self.steps[self.index]
        page = self._stack.built(step.page)
        return next((one for one in step.controls(page) if one.isVisible()), None) if page is not None else None

    def _place(self) -> None:
        """Puts the ring around the control, and the card below, above or beside it, within the window."""
        card, ring, target = self.card, self.ring, self.target()
        assert card is not None and ring is not None
        area = self._window.rect().adjusted(G, G, -G, -G)
        ring.setVisible(target is not None)
        if target is None:
            card.move(area.right() - card.width(), area.bottom() - card.height())
        else:
            around = QRect(target.mapTo(self._window, QPoint()), target.size()).adjusted(-G, -G, G, G) & area
            ring.setGeometry(around)
            ring.raise_()
            card.move(_beside(around, card.size(), area))
        card.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt's name: the window has another size."""
        if event.type() == QEvent.Type.Resize and self.running:
            self._place()
        return super().eventFilter(watched, event)


def _beside(target: QRect, card: QSize, area: QRect) -> QPoint:
    """The upper left corner of a card below `target`, else above it, else within it at its lower edge.

    A wide target has the card at its right end: what belongs to it begins at the left.
    """
    wide = target.width() > card.width()
    left = target.right() - card.width() if wide else min(target.left(), area.right() - card.width())
    above, below = target.top() - G - card.height(), target.bottom() + G
    if below + card.height() <= area.bottom():
        return QPoint(left, below)
    return QPoint(left, above if above >= area.top() else area.bottom() - card.height() - 2 * G)
