"""The inspect page: the components at the left, and tabs with the facts about the chosen one and about the whole.

InspectTarget ──InspectionReader──▶ Inspection ──▶ cards and tabs;   a card, a box of the composite ──choose──▶ tabs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QSplitterHandle, QWidget

from app.inspect.component_cards import ComponentList
from app.inspect.inspect_tab import InspectTab
from app.inspect.inspect_tabs import InspectTabs
from app.state.inspection import Inspection, InspectTarget, inspection_of
from app.widgets import Banner, EmptyState, PillLabel, button, label, scroll_area
from app.widgets.actions import add_action, tool_button
from app.widgets.layouts import STRETCH, Stretch, clear_layout, hbox, stack, vbox
from app.widgets.styling import style_separately
from app.widgets.theme import G, theme
from workflows.inspection.picture.drawing import DrawnBox
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.inspection import InspectReport
from workflows.wire.requests import InspectPath

if TYPE_CHECKING:
    from app.jobs.job import Job
    from app.state.context import AppContext


class _Hair(QSplitterHandle):
    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), theme().color("border"))


class Splitter(QSplitter):
    """Parts side by side or one below the other."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setHandleWidth(1)

    def createHandle(self) -> QSplitterHandle:  # noqa: N802
        return _Hair(self.orientation(), self)


NO_TARGET = InspectTarget("")


class InspectionReader(QObject):
    """Reads one target at a time: `next_target` is to be read when the page is seen, `target` is read or being read."""

    started = Signal(object)  # InspectTarget
    finished = Signal(object, object)  # Inspection, InspectTarget
    failed = Signal(object, object)  # ErrorEvent, InspectTarget
    cleared = Signal()

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._job: Job[InspectReport] | None = None
        self.next_target = self.target = NO_TARGET

    def read(self, target: InspectTarget) -> None:
        """Reads `target` in place of whatever is being read."""
        self.next_target = self.target = target
        if self._job is not None:
            self._job.cancel()
        self.started.emit(target)
        job = self._job = self._context.probe_worker.request(InspectPath(target.path))
        job.on_answer(lambda report: self._on_report(job, target, report))
        job.on_error(lambda error: self._on_error(job, target, error))

    def read_again(self) -> None:
        """Reads the target anew."""
        if self.target.path:
            self.read(self.target)

    def catch_up(self) -> None:
        """Reads the next target, unless it was read already."""
        if not self.next_target.path:
            self.target = NO_TARGET
            self.cleared.emit()
        elif self.next_target.path != self.target.path:
            self.read(self.next_target)

    def _on_report(self, job: Job[InspectReport], target: InspectTarget, report: InspectReport) -> None:
        if job is self._job:
            self._job = None
            self.finished.emit(replace(inspection_of(target.path, report), before=target.before), target)

    def _on_error(self, job: Job[InspectReport], target: InspectTarget, error: ErrorEvent) -> None:
        if job is self._job:
            self._job = None
            self.failed.emit(error, target)


LIST_KEY, SPLITTER_KEY = "inspect.components", "inspect.splitter"
"""Keys of the settings: whether the components are listed, and how wide."""


class InspectPage(QWidget):
    """Inspects the open bundle, or the target of a request."""

    title = "Inspect"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.reader = InspectionReader(context, self)
        self._splitter_moved = QTimer(self, singleShot=True, interval=500)
        self._splitter_moved.timeout.connect(lambda: context.settings.set(SPLITTER_KEY, self.splitter.saveState()))
        self._build()
        self._add_actions()
        self.reader.started.connect(self._on_started)
        self.reader.finished.connect(self.show_inspection)
        self.reader.failed.connect(self._on_failed)
        self.reader.cleared.connect(lambda: self.stack.setCurrentWidget(self.empty))
        context.bundleChanged.connect(self._on_bundle)
        context.inspectRequested.connect(self.reader.read)
        if context.bundle:
            self.reader.next_target = InspectTarget(str(context.bundle["path"]))

    @property
    def inspection(self) -> Inspection | None:
        """The inspection that is shown; None before the first, and after one that failed."""
        return self.tabs.inspection

    def slices(self) -> Iterator[Callable[[], object]]:
        """Functions that build one tab each, for the window to call while it is idle."""
        return self.tabs.getters()

    # -- widgets ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.empty = EmptyState(
            self.tr("Nothing to inspect yet"),
            self.tr(
                "Open a bundle, or drop one .onnx file here, or two to compare them: "
                "the page shows graphs, cache and passes."
            ),
            self.tr("Go to Home"),
            "inspect",
        )
        self.empty.triggered.connect(lambda: self.context.navigate.emit("home"))
        self.banner = Banner()
        self._content = QWidget()
        filler = Stretch(0)  # where the body is hidden after an error
        vbox(self._head(), self.banner, (self._body(), 1), filler, parent=self._content, margins=2 * G)
        self.stack = stack(self.empty, self._content)
        vbox(self.stack, parent=self)
        style_separately(self.tabs.pages)

    def _head(self) -> QHBoxLayout:
        self.heading, self.pills = label("", "title"), hbox()
        self.refresh_button = button(self.tr("Read again"), "refresh", clicked=self.reader.read_again)
        listed = self.context.settings.text(LIST_KEY, "1") == "1"
        tip = self.tr("Components at the left (Ctrl+B)")
        self.list_button = tool_button("panel-left", tip, "muted", checked=listed)
        self.list_button.toggled.connect(self._show_list)
        return hbox(self.list_button, self.heading, self.pills, STRETCH, self.refresh_button, spacing=2 * G)

    def _body(self) -> Splitter:
        self.components = ComponentList()
        self.components.chosen.connect(self._on_card)
        self._left = scroll_area(self.components)
        self._left.setMinimumWidth(26 * G)
        self._left.setAccessibleName(self.tr("Components"))
        self.tabs = InspectTabs(self.context)
        self.tabs.boxOpened.connect(self._open_box)
        self.tabs.made.connect(self._mirror_actions)
        self.tabs.currentChanged.connect(self._mark)
        self.splitter = Splitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(self._left)
        self.splitter.addWidget(self.tabs)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([28 * G, 900])
        self.splitter.setChildrenCollapsible(False)
        self.splitter.restoreState(self.context.settings.data(SPLITTER_KEY))
        self._left.setVisible(self.list_button.isChecked())
        self.splitter.splitterMoved.connect(lambda *_: self._splitter_moved.start())
        return self.splitter

    def _show_list(self, on: bool) -> None:
        """Shows the components or hides them, which leaves more room for a graph."""
        self._left.setVisible(on)
        self.context.settings.set(LIST_KEY, "1" if on else "0")

    # -- actions ---------------------------------------------------------------------------------------------

    def _add_actions(self) -> None:
        """Adds the actions of this page to the command palette."""
        add_action(self, self.tr("Inspect: read again"), self.reader.read_again)
        add_action(self, self.tr("Inspect: show or hide the components"), self.list_button.toggle, "Ctrl+B")
        add_action(self, self.tr("Verify the bundle's files"), lambda: self.tabs.details.verify())
        for place in range(self.tabs.count()):
            text = self.tr("Inspect: {0}").format(self.tabs.tabText(place))
            add_action(self, text, partial(self.tabs.setCurrentIndex, place))

    def _mirror_actions(self, tab: InspectTab) -> None:
        """Adds the actions of a new tab to the command palette."""
        for one in tab.actions():
            self._mirror(self.tabs.name_of(tab), one)

    def _mirror(self, name: str, one: QAction) -> None:
        """Adds an action that shows the tab `name` and triggers `one`; both are enabled at the same times."""

        def show_tab_and_run() -> None:
            self.context.navigate.emit("inspect")
            self.tabs.show_tab(name)
            one.trigger()

        mirror = add_action(self, one.text(), show_tab_and_run)
        mirror.setEnabled(one.isEnabled())
        one.changed.connect(lambda: mirror.setEnabled(one.isEnabled()))

    # -- the inspection --------------------------------------------------------------------------------------

    def _on_bundle(self, bundle: dict[str, Any] | None) -> None:
        self.reader.next_target = InspectTarget(str(bundle["path"])) if bundle else NO_TARGET
        if self.isVisible():
            self.reader.catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.reader.catch_up()

    def _on_started(self, target: InspectTarget) -> None:
        self.banner.clear()
        self.heading.setText(self.tr("Reading {0} …").format(target.title))
        self.stack.setCurrentWidget(self._content)
        if self.inspection is None or self.inspection.path != target.path:
            self._clear()  # nothing of another bundle stands below this heading, and nothing is said before it is known

    def _clear(self) -> None:
        self.tabs.show_inspection(None)
        self.splitter.hide()
        self._show_pills({})

    def _on_failed(self, error: ErrorEvent, target: InspectTarget) -> None:
        self.heading.setText(target.title)
        self._clear()
        self.banner.error(error.message, error.details, self.tr("Try again"), self.reader.read_again)

    def show_inspection(self, inspection: Inspection, target: InspectTarget = NO_TARGET) -> None:
        """Shows an inspection: at the target's component and node, or a new bundle at its composite."""
        another = self.inspection is None or self.inspection.path != inspection.path
        self.splitter.show()
        self.heading.setText(target.title if inspection.before else inspection.name)
        self._show_pills(dict(inspection.facts))
        self.components.fill(inspection.components)
        self.tabs.show_inspection(inspection)
        names = [component.name for component in inspection.components]
        if names:
            self.choose(names.index(target.component) if target.component in names else 0)
        if target.component or target.node:
            self.tabs.show_tab("graph")
            self.tabs.graph.go_to(target.node)
        elif another or inspection.before:
            self.tabs.show_tab("composite" if inspection.is_bundle and not inspection.before else "graph")

    def _show_pills(self, facts: dict[str, Any]) -> None:
        clear_layout(self.pills)
        for key, role in (("model_type", "accent"), ("layout", "cache"), ("precision", "")):
            if facts.get(key):
                self.pills.addWidget(PillLabel(str(facts[key]), role))

    # -- the chosen component --------------------------------------------------------------------------------

    def _on_card(self, index: int) -> None:
        """Chooses a component; leaves the composite picture, which shows all of them, for the component's graph."""
        self.choose(index)
        if self.tabs.current == "composite":
            self.tabs.show_tab("graph")

    def _open_box(self, node: DrawnBox) -> None:
        """Shows the graph of a session, or the KV cache tab for a state."""
        if node.kind == "state":
            self.tabs.show_tab("kv")
            return
        self.choose([card.component.name for card in self.components.cards].index(node.name))
        self.tabs.show_tab("graph")

    def choose(self, index: int) -> None:
        """Shows the graph and the tables of a component."""
        self.tabs.choose(index)
        self._mark()

    def _mark(self) -> None:
        """Marks the card of the chosen component, except while the composite shows all of them."""
        self.components.mark(-1 if self.tabs.current == "composite" else self.tabs.chosen)
