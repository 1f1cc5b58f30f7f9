"""The inspect page: the components at the left, and tabs with the facts about the chosen one and about the whole.

InspectTarget ──InspectionReader──▶ Inspection ──▶ cards and tabs;   a card, a box of the composite ──choose──▶ tabs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMargins, Qt, QTimer
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.inspect.component_cards import ComponentList
from app.inspect.inspect_tab import InspectTab
from app.inspect.inspect_tabs import InspectTabs
from app.inspect.inspection_reader import NO_TARGET, InspectionReader
from app.state.inspection import Inspection, InspectTarget
from app.widgets import Banner, EmptyState, PillLabel, button, label, scroll_area
from app.widgets.actions import add_action, tool_button
from app.widgets.splitter import Splitter
from app.widgets.styling import style_separately
from app.widgets.theme import G
from workflows.inspection.picture.drawing import DrawnBox
from workflows.wire.events import ErrorEvent

if TYPE_CHECKING:
    from app.state.context import AppContext

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
        column = QVBoxLayout(self._content)
        column.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        column.setSpacing(G)
        column.addLayout(self._head())
        column.addWidget(self.banner)
        column.addWidget(self._body(), 1)
        column.addStretch(0)  # fills the page where the body is hidden after an error
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self._content)
        outer = QHBoxLayout(self, contentsMargins=QMargins())  # type: ignore[call-overload]
        outer.addWidget(self.stack)
        style_separately(self.tabs.pages)

    def _head(self) -> QHBoxLayout:
        self.heading, self.pills = label("", "title"), QHBoxLayout()
        self.pills.setSpacing(G)
        self.refresh_button = button(self.tr("Read again"), "refresh", clicked=self.reader.read_again)
        self.list_button = tool_button("panel-left", self.tr("Components at the left (Ctrl+B)"), "muted")
        self.list_button.setCheckable(True)
        self.list_button.setChecked(self.context.settings.text(LIST_KEY, "1") == "1")
        self.list_button.toggled.connect(self._show_list)
        head = QHBoxLayout()
        head.setSpacing(2 * G)
        head.addWidget(self.list_button)
        head.addWidget(self.heading)
        head.addLayout(self.pills)
        head.addStretch(1)
        head.addWidget(self.refresh_button)
        return head

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

        def trigger() -> None:
            self.context.navigate.emit("inspect")
            self.tabs.show_tab(name)
            one.trigger()

        mirror = add_action(self, one.text(), trigger)
        mirror.setEnabled(one.isEnabled())
        one.changed.connect(lambda: mirror.setEnabled(one.isEnabled()))

    # -- the inspection --------------------------------------------------------------------------------------

    def _on_bundle(self, bundle: dict[str, Any] | None) -> None:
        self.reader.next_target = InspectTarget(str(bundle["path"])) if bundle else NO_TARGET
        if self.isVisible():
            self.reader.catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: reads the open bundle, unless it was read already."""
        super().showEvent(event)
        self.reader.catch_up()

    def _on_started(self, target: InspectTarget) -> None:
        self.banner.clear()
        self.heading.setText(self.tr("Reading {0} …").format(target.title))
        self.stack.setCurrentWidget(self._content)

    def _on_failed(self, error: ErrorEvent, target: InspectTarget) -> None:
        self.heading.setText(target.title)
        self.tabs.show_inspection(None)
        self.splitter.hide()
        self._show_pills({})
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
        while (item := self.pills.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
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
