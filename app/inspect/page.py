"""The inspect page: components on the left, what is known of the chosen one and of the whole on the right.

bundle or .onnx ──worker's "inspect"──▶ Inspection ──▶ cards and tabs;  Session's cache ──▶ KV tab
a box of the composite ──▶ its graph, or the KV tab
a card ──worker's "graph" or "diff"──▶ graph tab
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.inspect.components import ComponentCard, ComponentList
from app.inspect.composite.tab import CompositeTab
from app.inspect.details import DetailsTab
from app.inspect.graph.tab import GraphTab
from app.inspect.kv import KvTab
from app.inspect.lazy import LazyTabs
from app.inspect.passes import PassesTab
from app.inspect.signature import OperatorsTab, SignatureTab
from app.state.inspection import Inspection, inspection_of
from app.state.lights import Lights
from app.widgets import Banner, EmptyState, Pill, button, label, scrolled
from app.widgets.actions import action
from app.widgets.theme import G
from workflows.picture.drawing import Node
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.devices import DevicesReport
from workflows.wire.reports.inspection import InspectReport
from workflows.wire.requests import Inspect, ListDevices

if TYPE_CHECKING:
    from app.jobs.job import Job
    from app.state.context import AppContext


class InspectPage(QWidget):
    """Inspects the current bundle, or graphs that were asked for."""

    title = "Inspect"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.session = context.session
        self.lights = Lights(context.session, self)
        self.inspection: Inspection | None = None
        self._job: Job[InspectReport] | None = None
        self._splitter_moved = QTimer(self, singleShot=True, interval=500)
        self._splitter_moved.timeout.connect(self._keep_splitter)
        self._wanted = ""
        self._shown = ""
        self._before = ""
        self._asked_devices = False
        self._chosen = 0
        self._build()
        self._add_actions()
        context.bundleChanged.connect(self._on_bundle)
        context.graphRequested.connect(self.inspect)
        context.pairRequested.connect(self.inspect_pair)
        self.session.cacheChanged.connect(self._refresh_live)
        self.session.stateChanged.connect(self._refresh_live)
        if context.bundle:
            self._wanted = str(context.bundle["path"])

    # -- what others may call --------------------------------------------------------------------------------

    def inspect(self, path: str) -> None:
        """Shows a bundle folder or an .onnx file."""
        self._ask(path, "")

    def inspect_pair(self, before: str, after: str) -> None:
        """Shows what is different in one .onnx file from another."""
        self._ask(after, before)

    @property
    def cards(self) -> list[ComponentCard]:
        """The components' cards."""
        return self.components.cards

    def _ask(self, path: str, before: str) -> None:
        self._wanted = self._shown = path
        self._before = before
        if self._job is not None:
            self._job.cancel()
        self.banner.clear()
        self.heading.setText(self.tr("Reading {0} …").format(Path(path).name))
        self.stack.setCurrentWidget(self._full)
        job = self._job = self.context.probe_worker.request(Inspect(path))
        job.on_answer(lambda found: self._on_inspected(job, path, found))
        job.on_error(lambda error: self._on_refused(job, path, error))

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
        self.heading = label("", "title")
        self.pills = QHBoxLayout()
        self.pills.setSpacing(G)
        head = QHBoxLayout()
        head.setSpacing(2 * G)
        head.addWidget(self.heading)
        head.addLayout(self.pills)
        head.addStretch(1)
        self.refresh_button = button(self.tr("Read again"), "refresh", clicked=self._again)
        head.addWidget(self.refresh_button)
        self._full = QWidget()
        column = QVBoxLayout(self._full)
        column.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        column.setSpacing(G)
        column.addLayout(head)
        column.addWidget(self.banner)
        column.addWidget(self._body(), 1)
        column.addStretch(0)  # takes the room where the body is hidden: nothing could be read
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self._full)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)

    def _body(self) -> QSplitter:
        self.components = ComponentList()
        self.components.chosen.connect(self._on_card)
        left = scrolled(self.components)
        left.setMinimumWidth(26 * G)
        left.setAccessibleName(self.tr("Components"))
        self._make_tabs()
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.tabs)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([28 * G, 900])
        self.splitter.setChildrenCollapsible(False)
        self.splitter.restoreState(self.context.settings.data("inspect.splitter"))
        self.splitter.splitterMoved.connect(lambda *_: self._splitter_moved.start())
        return self.splitter

    def _make_tabs(self) -> None:
        worker, home = self.context.probe_worker, self.context.home
        self.tabs = LazyTabs(
            {
                "composite": (self.tr("Composite"), lambda: CompositeTab(self.lights, home / "pictures")),
                "graph": (self.tr("Graph"), self._graph_tab),
                "signature": (self.tr("Inputs and outputs"), SignatureTab),
                "operators": (self.tr("Operators"), OperatorsTab),
                "kv": (self.tr("KV cache"), lambda: KvTab(self.session, home / "caches")),
                "passes": (self.tr("Passes"), PassesTab),
                "details": (self.tr("Details"), lambda: DetailsTab(worker)),
            }
        )
        self.tabs.made.connect(self._on_made)
        self.tabs.currentChanged.connect(self._ask_devices)
        self.tabs.currentChanged.connect(self._mark)

    def _graph_tab(self) -> GraphTab:
        tab = GraphTab(self.context.probe_worker, self.context.home / "pictures")
        tab.add_providers(self.context)
        return tab

    def slices(self) -> Iterator[Callable[[], object]]:
        """What the window builds ahead, a tab at a time."""
        return (partial(self.tabs.get, name) for name in self.tabs.names)

    def _on_made(self, name: str) -> None:
        """A tab is there: its actions, and what it shows of what is known already."""
        if name == "composite":
            self.composite.opened.connect(self._open_part)
        if name in ("composite", "graph"):
            for one in self.tabs.get(name).actions():
                self._mirror(name, one.text(), one.trigger)
        elif name == "kv":
            self.kv.controls.openAsked.connect(self._open_session)
            self._add_cache_actions()
        if self.inspection is not None:
            self._fill(name, self.inspection)
            self._choose_in(name, self._chosen)

    @property
    def composite(self) -> CompositeTab:
        """How the components run together."""
        return cast(CompositeTab, self.tabs.get("composite"))

    @property
    def graph(self) -> GraphTab:
        """The graph of the chosen component, or two compared."""
        return cast(GraphTab, self.tabs.get("graph"))

    @property
    def signature(self) -> SignatureTab:
        """What the chosen component takes and gives."""
        return cast(SignatureTab, self.tabs.get("signature"))

    @property
    def operators(self) -> OperatorsTab:
        """What the chosen component is made of."""
        return cast(OperatorsTab, self.tabs.get("operators"))

    @property
    def kv(self) -> KvTab:
        """The cache, empty or live."""
        return cast(KvTab, self.tabs.get("kv"))

    @property
    def passes(self) -> PassesTab:
        """What the passes did."""
        return cast(PassesTab, self.tabs.get("passes"))

    @property
    def details(self) -> DetailsTab:
        """All else."""
        return cast(DetailsTab, self.tabs.get("details"))

    def _add_actions(self) -> None:
        """What the window's Ctrl+K finds here."""
        choices = [
            (self.tr("Inspect: read again"), self._again),
            (self.tr("Verify the bundle's files"), lambda: self.details.verify()),
        ]
        for place in range(self.tabs.count()):
            text = self.tr("Inspect: {0}").format(self.tabs.tabText(place))
            choices.append((text, partial(self.tabs.setCurrentIndex, place)))
        for text, act in choices:
            action(self, text, act)

    def _mirror(self, name: str, text: str, act: Callable[[], object]) -> None:
        """An action of a tab, which brings that to the front first."""

        def there() -> None:
            self.context.navigate.emit("inspect")
            self.tabs.show_tab(name)
            act()

        action(self, text, there)

    def _add_cache_actions(self) -> None:
        """What can be done with the cache, each while it can be."""
        controls, scrubber = self.kv.controls, self.kv.scrubber
        self.cache_actions = {
            "rewind": action(self, self.tr("KV cache: rewind …"), partial(self._to_cache, controls.spin.setFocus)),
            "save": action(
                self, self.tr("KV cache: save the prompt cache …"), partial(self._to_cache, controls.ask_save)
            ),
            "load": action(
                self, self.tr("KV cache: load a prompt cache …"), partial(self._to_cache, controls.ask_load)
            ),
            "scrub": action(
                self, self.tr("KV cache: walk through the steps"), partial(self._to_cache, scrubber.slider.setFocus)
            ),
            "live": action(self, self.tr("KV cache: follow live"), partial(self._to_cache, scrubber.follow)),
        }
        controls.changed.connect(self._refresh_cache_actions)
        self._refresh_cache_actions()

    def _to_cache(self, act: Callable[[], object]) -> None:
        self.context.navigate.emit("inspect")
        self.tabs.setCurrentWidget(self.kv)
        act()

    def _refresh_cache_actions(self) -> None:
        controls, scrubber = self.kv.controls, self.kv.scrubber
        self.cache_actions["rewind"].setEnabled(controls.movable)
        self.cache_actions["save"].setEnabled(controls.can_save)
        self.cache_actions["load"].setEnabled(controls.idle)
        self.cache_actions["scrub"].setEnabled(not scrubber.isHidden())
        self.cache_actions["live"].setEnabled(scrubber.shown is not None)

    # -- the answer ------------------------------------------------------------------------------------------

    def _on_bundle(self, bundle: dict[str, Any] | None) -> None:
        self._wanted = str(bundle["path"]) if bundle else ""
        if self.isVisible():
            self._catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: reads what is current when the page is looked at."""
        super().showEvent(event)
        self._catch_up()
        self._ask_devices()

    def _catch_up(self) -> None:
        if not self._wanted:
            self._shown = ""
            self.stack.setCurrentWidget(self.empty)
        elif self._wanted != self._shown:
            self.inspect(self._wanted)

    def _keep_splitter(self) -> None:
        self.context.settings.set("inspect.splitter", self.splitter.saveState())

    def _again(self) -> None:
        if self._shown:
            self._ask(self._shown, self._before)

    def _on_inspected(self, job: Job[InspectReport], path: str, found: InspectReport) -> None:
        if job is self._job:
            self._job = None
            self.show_inspection(inspection_of(path, found))

    def _on_refused(self, job: Job[InspectReport], path: str, error: ErrorEvent) -> None:
        if job is self._job:
            self._job = None
            self.heading.setText(Path(path).name)
            self._show_nothing()
            self.banner.error(error.message, error.details, self.tr("Try again"), self._again)

    def _show_nothing(self) -> None:
        self.inspection = None
        self._clear_graph()
        self.splitter.hide()
        self._clear_pills()

    def show_inspection(self, found: Inspection) -> None:
        """Shows what was found; a bundle that was not shown before from its composite on."""
        another = self.inspection is None or self.inspection.path != found.path
        self.inspection = found
        self.splitter.show()
        names = (Path(self._before).name, found.name)
        self.heading.setText(self.tr("{0} → {1}").format(*names) if self._before else found.name)
        self._show_pills(found)
        self.components.fill(found.components)
        self._chosen = 0
        for name in filter(self.tabs.built, self.tabs.names):
            self._fill(name, found)
        if found.components:
            self.choose(0)
        else:
            self._clear_graph()
        if another or self._before:
            self.tabs.show_tab("composite" if found.is_bundle and not self._before else "graph")

    def _fill(self, name: str, found: Inspection) -> None:
        """Shows in a tab what is the same for every component."""
        if name == "composite":
            self.composite.show_composite(found.composite, found.path if found.is_bundle else "")
        elif name == "kv":
            self.kv.set_groups(found.kv, found.path if found.is_bundle else "", found.encoder)
            self.kv.controls.offer(str(dict(found.facts).get("layout") or ""))
            self._refresh_live()
        elif name == "passes":
            self.passes.show_passes(found.passes)
        elif name == "details":
            self.details.show_inspection(found)

    def _clear_graph(self) -> None:
        if self.tabs.built("graph"):
            self.graph.model.clear()

    def _clear_pills(self) -> None:
        while (item := self.pills.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def _show_pills(self, found: Inspection) -> None:
        self._clear_pills()
        facts = dict(found.facts)
        for key, role in (("model_type", "accent"), ("layout", "cache"), ("precision", "")):
            if facts.get(key):
                self.pills.addWidget(Pill(str(facts[key]), role))

    def _on_card(self, index: int) -> None:
        """A component was chosen: what the composite is made of is looked at from here on."""
        self.choose(index)
        if self.tabs.names[self.tabs.currentIndex()] == "composite":
            self.tabs.show_tab("graph")

    def _open_part(self, node: Node) -> None:
        """A box of the composite was opened: a session leads to its graph, a state to the KV tab."""
        if node.kind == "state":
            self.tabs.show_tab("kv")
            return
        self.choose([card.component.name for card in self.cards].index(node.name))
        self.tabs.show_tab("graph")

    def choose(self, index: int) -> None:
        """Shows the graph and the tables of a component."""
        self._chosen = index
        self._mark()
        for name in filter(self.tabs.built, self.tabs.names):
            self._choose_in(name, index)

    def _mark(self) -> None:
        """The card of the chosen component, but where the composite shows all of them."""
        whole = self.tabs.names[self.tabs.currentIndex()] == "composite"
        self.components.mark(-1 if whole else self._chosen)

    def _choose_in(self, name: str, index: int) -> None:
        """Shows in a tab what is known of a component."""
        found = self.inspection
        if found is None or not found.components:
            return
        component = found.components[index]
        if name == "signature":
            self.signature.show_component(component)
        elif name == "operators":
            self.operators.show_component(component)
        elif name == "graph" and self._before:
            self.graph.show_pair(self._before, found.path)
        elif name == "graph":
            self.graph.show_graph(found.path, component.name if found.is_bundle else "")

    # -- live slots ------------------------------------------------------------------------------------------

    def _refresh_live(self, *_: object) -> None:
        if not self.tabs.built("kv"):
            return
        found = self.inspection
        same = found is not None and found.is_bundle and found.path == self.session.bundle
        self.kv.set_live(self.session.groups if same else None)

    def _ask_devices(self, *_: object) -> None:
        """Once, when a session could first be opened from here."""
        if not self._asked_devices and self.isVisible() and self.tabs.currentIndex() == self.tabs.names.index("kv"):
            self._asked_devices = True
            self.context.probe_worker.request(ListDevices()).on_answer(self._on_devices)
            self.context.plugins.done.connect(lambda _, found: self._on_devices(found))

    def _on_devices(self, found: DevicesReport) -> None:
        self.kv.controls.choice.set_devices(found.devices)

    def _open_session(self) -> None:
        if self.inspection is not None and self.inspection.is_bundle:
            self.session.open(self.inspection.path, *self.kv.controls.choice.chosen)
