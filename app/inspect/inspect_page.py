"""The inspect page: components on the left, what is known of the chosen one and of the whole on the right.

Look ──worker's "inspect"──▶ Inspection ──fill──▶ cards and tabs;   a card, a box of the composite ──choose──▶ tabs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMargins, Qt, QTimer
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.composite.composite_tab import CompositeTab
from app.inspect.component_cards import ComponentCard, ComponentList
from app.inspect.details_tab import DetailsTab
from app.inspect.graph.graph_tab import GraphTab
from app.inspect.graph.stage_bar import tool_button
from app.inspect.inspect_tab import InspectTab
from app.inspect.kv_cache_tab import KvCacheTab
from app.inspect.passes_tab import PassesTab
from app.inspect.signature_tab import OperatorsTab, SignatureTab
from app.state.active_run import ActiveRun
from app.state.inspection import Inspection, InspectTarget, inspection_of
from app.widgets import Banner, EmptyState, PillLabel, button, label, scroll_area
from app.widgets.actions import add_action
from app.widgets.lazy_tabs import LazyTabs
from app.widgets.splitter import Splitter
from app.widgets.styling import style_separately
from app.widgets.theme import G
from workflows.inspection.picture.drawing import DrawnBox
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.reports.inspection import InspectReport
from workflows.wire.requests import InspectPath, ListDevices

if TYPE_CHECKING:
    from app.jobs.job import Job
    from app.state.context import AppContext

NO_TARGET = InspectTarget("")
LIST_KEY, SPLITTER_KEY = (
    "inspect.components",
    "inspect.splitter",
)  # in the settings: whether they are listed, and how wide


class InspectPage(QWidget):
    """Inspects the current bundle, or what was asked for by a Look."""

    title = "Inspect"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.lights = ActiveRun(context.session, self)
        self.inspection: Inspection | None = None
        self._job: Job[InspectReport] | None = None
        self._wanted = self._shown = NO_TARGET
        self._chosen = 0
        self._splitter_moved = QTimer(self, singleShot=True, interval=500)
        self._splitter_moved.timeout.connect(lambda: context.settings.set(SPLITTER_KEY, self.splitter.saveState()))
        self._build()
        self._add_actions()
        context.bundleChanged.connect(self._on_bundle)
        context.inspectRequested.connect(self.look)
        if context.bundle:
            self._wanted = InspectTarget(str(context.bundle["path"]))

    # -- what others may call --------------------------------------------------------------------------------

    def look(self, at: InspectTarget) -> None:
        """Shows a bundle, an .onnx file, what two differ in, or one node of a graph."""
        self._wanted = self._shown = at
        if self._job is not None:
            self._job.cancel()
        self.banner.clear()
        self.heading.setText(self.tr("Reading {0} …").format(at.title))
        self.stack.setCurrentWidget(self._full)
        job = self._job = self.context.probe_worker.request(InspectPath(at.path))
        job.on_answer(lambda found: self._on_inspected(job, at, found))
        job.on_error(lambda error: self._on_refused(job, at, error))

    @property
    def cards(self) -> list[ComponentCard]:
        """The components' cards."""
        return self.components.cards

    def slices(self) -> Iterator[Callable[[], object]]:
        """What the window builds ahead, a tab at a time."""
        return self.tabs.getters()

    # -- building --------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.empty = EmptyState(
            self.tr("Nothing to inspect yet"),
            self.tr(
                "Open a bundle, or drop an .onnx file here, or two to compare them: graphs, cache and passes are shown."
            ),
            self.tr("Go to Home"),
            "inspect",
        )
        self.empty.triggered.connect(lambda: self.context.navigate.emit("home"))
        self.banner = Banner()
        self._full = QWidget()
        column = QVBoxLayout(self._full)
        column.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        column.setSpacing(G)
        column.addLayout(self._head())
        column.addWidget(self.banner)
        column.addWidget(self._body(), 1)
        column.addStretch(0)  # takes the room where the body is hidden: nothing could be read
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self._full)
        outer = QHBoxLayout(self, contentsMargins=QMargins())  # type: ignore[call-overload]
        outer.addWidget(self.stack)
        style_separately(self.tabs.pages)

    def _head(self) -> QHBoxLayout:
        self.heading, self.pills = label("", "title"), QHBoxLayout()
        self.pills.setSpacing(G)
        self.refresh_button = button(self.tr("Read again"), "refresh", clicked=self._again)
        self.list_button = tool_button("panel-left", self.tr("Components at the left (Ctrl+B)"))
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
        self._make_tabs()
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

    def _make_tabs(self) -> None:
        worker, home = self.context.probe_worker, self.context.home
        tabs = self.tabs = LazyTabs()
        self._composite = tabs.add("composite", self.tr("Composite"), self._new_composite)
        self._graph = tabs.add("graph", self.tr("Graph"), lambda: GraphTab(worker, home / "pictures", self.context))
        self._signature = tabs.add("signature", self.tr("Inputs and outputs"), SignatureTab)
        self._operators = tabs.add("operators", self.tr("Operators"), OperatorsTab)
        self._kv = tabs.add("kv", self.tr("KV cache"), self._new_kv)
        self._passes = tabs.add("passes", self.tr("Passes"), PassesTab)
        self._details = tabs.add("details", self.tr("Details"), lambda: DetailsTab(worker))
        tabs.made.connect(self._on_made)
        tabs.currentChanged.connect(self._mark)

    def _new_composite(self) -> CompositeTab:
        tab = CompositeTab(self.lights, self.context.home / "pictures")
        tab.opened.connect(self._open_part)
        return tab

    def _new_kv(self) -> KvCacheTab:
        tab = KvCacheTab(self.context.session, self.context.home / "caches")

        def offer(found: DevicesReport) -> None:
            tab.controls.choice.set_devices(found.devices)

        tab.ask_devices_with(lambda: self.context.probe_worker.request(ListDevices()).on_answer(offer))
        self.context.plugins.done.connect(lambda _, found: offer(found))
        return tab

    def _on_made(self, tab: InspectTab) -> None:
        """A tab is there: its actions, and what it shows of what is known already."""
        for one in tab.actions():
            self._mirror(self.tabs.name_of(tab), one)
        if self.inspection is not None:
            tab.fill(self.inspection)
            if self.inspection.components:
                tab.choose(self.inspection.components[self._chosen])

    @property
    def composite(self) -> CompositeTab:
        """How the components run together."""
        return self._composite()

    @property
    def graph(self) -> GraphTab:
        """The graph of the chosen component, or two compared."""
        return self._graph()

    @property
    def signature(self) -> SignatureTab:
        """What the chosen component takes and gives."""
        return self._signature()

    @property
    def operators(self) -> OperatorsTab:
        """What the chosen component is made of."""
        return self._operators()

    @property
    def kv(self) -> KvCacheTab:
        """The cache, empty or live."""
        return self._kv()

    @property
    def passes(self) -> PassesTab:
        """What the passes did."""
        return self._passes()

    @property
    def details(self) -> DetailsTab:
        """All else."""
        return self._details()

    def _add_actions(self) -> None:
        """What the window's Ctrl+K finds here."""
        add_action(self, self.tr("Inspect: read again"), self._again)
        add_action(self, self.tr("Inspect: show or hide the components"), self.list_button.toggle, "Ctrl+B")
        add_action(self, self.tr("Verify the bundle's files"), lambda: self.details.verify())
        for place in range(self.tabs.count()):
            text = self.tr("Inspect: {0}").format(self.tabs.tabText(place))
            add_action(self, text, partial(self.tabs.setCurrentIndex, place))

    def _mirror(self, name: str, one: QAction) -> None:
        """An action of a tab, which brings that to the front first, while there is something to do."""

        def there() -> None:
            self.context.navigate.emit("inspect")
            self.tabs.show_tab(name)
            one.trigger()

        mirror = add_action(self, one.text(), there)
        mirror.setEnabled(one.isEnabled())
        one.changed.connect(lambda: mirror.setEnabled(one.isEnabled()))

    # -- what is asked for, and the answer ---------------------------------------------------------------------

    def _on_bundle(self, bundle: dict[str, Any] | None) -> None:
        self._wanted = InspectTarget(str(bundle["path"])) if bundle else NO_TARGET
        if self.isVisible():
            self._catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: reads what is current when the page is looked at."""
        super().showEvent(event)
        self._catch_up()

    def _catch_up(self) -> None:
        if not self._wanted.path:
            self._shown = NO_TARGET
            self.stack.setCurrentWidget(self.empty)
        elif self._wanted.path != self._shown.path:
            self.look(self._wanted)

    def _show_list(self, on: bool) -> None:
        """Without the components there is more room for a graph."""
        self._left.setVisible(on)
        self.context.settings.set(LIST_KEY, "1" if on else "0")

    def _again(self) -> None:
        if self._shown.path:
            self.look(self._shown)

    def _on_inspected(self, job: Job[InspectReport], at: InspectTarget, found: InspectReport) -> None:
        if job is self._job:
            self._job = None
            self.show_inspection(replace(inspection_of(at.path, found), before=at.before), at)

    def _on_refused(self, job: Job[InspectReport], at: InspectTarget, error: ErrorEvent) -> None:
        if job is self._job:
            self._job = None
            self.heading.setText(at.title)
            self.inspection = None
            for tab in self.tabs.built(InspectTab):
                tab.fill(None)
            self.splitter.hide()
            self._clear_pills()
            self.banner.error(error.message, error.details, self.tr("Try again"), self._again)

    def show_inspection(self, found: Inspection, at: InspectTarget = NO_TARGET) -> None:
        """Shows what was found; a bundle that was not shown before from its composite on, else where asked."""
        another = self.inspection is None or self.inspection.path != found.path
        self.inspection = found
        self.splitter.show()
        self.heading.setText(at.title if found.before else found.name)
        self._show_pills(found)
        self.components.fill(found.components)
        for tab in self.tabs.built(InspectTab):
            tab.fill(found)
        names = [component.name for component in found.components]
        if names:
            self.choose(names.index(at.component) if at.component in names else 0)
        if at.component or at.node:
            self.tabs.show_tab("graph")
            self.graph.go_to(at.node)
        elif another or found.before:
            self.tabs.show_tab("composite" if found.is_bundle and not found.before else "graph")

    def _clear_pills(self) -> None:
        while (item := self.pills.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def _show_pills(self, found: Inspection) -> None:
        self._clear_pills()
        facts = dict(found.facts)
        for key, role in (("model_type", "accent"), ("layout", "cache"), ("precision", "")):
            if facts.get(key):
                self.pills.addWidget(PillLabel(str(facts[key]), role))

    # -- choosing a component ------------------------------------------------------------------------------------

    def _on_card(self, index: int) -> None:
        """A component was chosen: what the composite is made of is looked at from here on."""
        self.choose(index)
        if self.tabs.current == "composite":
            self.tabs.show_tab("graph")

    def _open_part(self, node: DrawnBox) -> None:
        """A box of the composite was opened: a session leads to its graph, a state to the KV tab."""
        if node.kind == "state":
            self.tabs.show_tab("kv")
            return
        self.choose([card.component.name for card in self.cards].index(node.name))
        self.tabs.show_tab("graph")

    def choose(self, index: int) -> None:
        """Shows the graph and the tables of a component."""
        assert self.inspection is not None  # the cards are those of its components
        self._chosen = index
        self._mark()
        for tab in self.tabs.built(InspectTab):
            tab.choose(self.inspection.components[index])

    def _mark(self) -> None:
        """The card of the chosen component, but where the composite shows all of them."""
        self.components.mark(-1 if self.tabs.current == "composite" else self._chosen)
