"""The tabs of the inspect page: each is built when it is first shown, and follows the inspection and its component.

Inspection ──show_inspection──▶ every built tab;   a component ──choose──▶ every built tab
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.inspect.composite_tab import CompositeTab
from app.inspect.details_tab import DetailsTab
from app.inspect.graph.graph_tab import GraphTab
from app.inspect.inspect_tab import InspectTab
from app.inspect.kv_cache_tab import KvCacheTab
from app.inspect.run_tab import RunTab
from app.inspect.table_tabs import OperatorsTab, PassesTab, SignatureTab
from app.state.active_run import ActiveRun
from app.state.inspection import Inspection
from app.widgets.lazy_tabs import LazyTabs

if TYPE_CHECKING:
    from app.state.context import AppContext


class InspectTabs(LazyTabs):
    """Owns the inspection, and `chosen`, the index of the component that the tabs show.

    `boxOpened` carries the box of the composite picture that was opened.
    """

    boxOpened = Signal(object)  # noqa: N815

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.active_run = ActiveRun(context.session, self)
        self.inspection: Inspection | None = None
        self.chosen = 0
        worker, home = context.probe_worker, context.home
        self._composite = self.add("composite", self.tr("Composite"), self._new_composite)
        self._graph = self.add("graph", self.tr("Graph"), lambda: GraphTab(worker, home / "pictures", context))
        self._signature = self.add("signature", self.tr("Inputs and outputs"), SignatureTab)
        self._operators = self.add("operators", self.tr("Operators"), OperatorsTab)
        self._run = self.add("run", self.tr("Run"), lambda: RunTab(context.new_idle_worker))
        self._kv_cache = self.add("kv", self.tr("KV cache"), self._new_kv_cache)
        self._passes = self.add("passes", self.tr("Passes"), PassesTab)
        self._details = self.add("details", self.tr("Details"), lambda: DetailsTab(worker))
        self.made.connect(self._fill_new)

    def _new_composite(self) -> CompositeTab:
        tab = CompositeTab(self.active_run, self.context.home / "pictures")
        tab.opened.connect(self.boxOpened)
        return tab

    def _new_kv_cache(self) -> KvCacheTab:
        return KvCacheTab(self.context, self.context.home / "caches")

    def _fill_new(self, tab: InspectTab) -> None:
        """Shows the present inspection and component in a tab that was just built."""
        if self.inspection is not None:
            tab.set_inspection(self.inspection)
            if self.inspection.components:
                tab.set_component(self.inspection.components[self.chosen])

    def show_inspection(self, inspection: Inspection | None) -> None:
        """Shows another inspection; None where nothing could be read."""
        self.inspection = inspection
        for tab in self.built(InspectTab):
            tab.set_inspection(inspection)

    def choose(self, index: int) -> None:
        """Shows another component of the inspection."""
        assert self.inspection is not None  # the index is that of one of its components
        self.chosen = index
        for tab in self.built(InspectTab):
            tab.set_component(self.inspection.components[index])

    @property
    def composite(self) -> CompositeTab:
        return self._composite()

    @property
    def graph(self) -> GraphTab:
        return self._graph()

    @property
    def signature(self) -> SignatureTab:
        return self._signature()

    @property
    def operators(self) -> OperatorsTab:
        return self._operators()

    @property
    def run(self) -> RunTab:
        return self._run()

    @property
    def kv(self) -> KvCacheTab:
        return self._kv_cache()

    @property
    def passes(self) -> PassesTab:
        return self._passes()

    @property
    def details(self) -> DetailsTab:
        return self._details()
