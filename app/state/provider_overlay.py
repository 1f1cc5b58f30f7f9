"""The nodes of the shown graph that a provider takes, by the result of a preflight.

    Preflights + GraphModel ──choose(provider)──▶ ProviderOverlay: fallback_nodes, unmatched_nodes

A preflight names nodes as they are after onnxruntime's fusions: nodes that onnxruntime created are in no graph of ours
(unmatched_nodes). A node that is not reported belongs to the provider, or was fused into one that does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from PySide6.QtCore import QObject, Signal

from app.graph_scene.boxes import BoxKey
from app.state.graph_model import GraphModel
from app.state.preflights import Preflights, SavedPreflight
from workflows.wire.reports.preflight import ComponentPreflight, FallbackNode


class BoxMark(NamedTuple):
    """How a colouring marks one box, readable without colour as well.

    color: of the theme; strength: its opacity over the box, 0 to 1. badge: text beside the box. bar: the filled share
    of a bar over its width, None for no bar.
    """

    color: str
    strength: float
    badge: str = ""
    bar: float | None = None


class BoxColoring(Protocol):
    """Colours boxes; `mark` returns None for a box without a mark."""

    def mark(self, key: BoxKey) -> BoxMark | None: ...


class ProviderOverlay(QObject):
    """Follows the graph and the preflights. bundle: the summary of the bundle whose graph is shown, or None."""

    changed = Signal()

    def __init__(self, model: GraphModel, preflights: Preflights, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model, self._preflights = model, preflights
        self.bundle: Mapping[str, Any] | None = None
        self.provider = ""
        self.result: SavedPreflight | None = None
        self.component: ComponentPreflight | None = None
        self.fallback_nodes: dict[int, FallbackNode] = {}
        self.unmatched_nodes: list[FallbackNode] = []
        self._scopes: Counter[str] = Counter()
        model.sceneChanged.connect(lambda another: self.refresh() if another else None)
        preflights.changed.connect(self.refresh)

    def choose(self, provider: str) -> None:
        """Shows another provider; "" shows none."""
        self.provider = provider
        self.refresh()

    @property
    def is_coloring(self) -> bool:
        """Whether boxes are coloured: a result exists, and no comparison has its own colours."""
        return self.component is not None and self._model.diff is None

    def count(self, key: BoxKey) -> int:
        """How many nodes of a box are left to the CPU."""
        return self._scopes[key] if isinstance(key, str) else int(key in self.fallback_nodes)

    def mark(self, key: BoxKey) -> BoxMark | None:
        """The mark of a box: on the provider, or how many of its nodes are on the CPU."""
        if not self.is_coloring:
            return None
        count = self.count(key)
        if not count:
            return BoxMark("ok", 0.14)
        return BoxMark("warning", 0.3, f"{count} CPU" if isinstance(key, str) else "CPU")

    def refresh(self) -> None:
        """Updates to the current graph, provider and result."""
        where, bundle = self._model.where, self.bundle
        is_same_bundle = where is not None and bundle is not None and where.path == str(bundle["path"])
        preflights = self._preflights
        self.result = preflights.find(bundle, self.provider) if is_same_bundle and bundle and self.provider else None
        self.component = self.result.component(where.component) if self.result is not None and where else None
        self._place(self.component.elsewhere if self.component is not None else [])
        self.changed.emit()

    def _place(self, nodes: list[FallbackNode]) -> None:
        graph, outline = self._model.graph, self._model.outline
        own = {node.name: node.index for node in graph.nodes} if graph is not None and nodes else {}
        self.fallback_nodes = {own[one.node]: one for one in nodes if one.node in own}
        self.unmatched_nodes = [one for one in nodes if one.node not in own]
        inside = (
            [scope.path for place in self.fallback_nodes for scope in outline.of[place].line]
            if outline is not None
            else []
        )
        self._scopes = Counter(inside)
