"""Opens a graph: a file, or a component of a bundle after a stage of its build.

    GraphLocation ──open_graph──▶ OpenedGraph (file, view, stages) ──report──▶ GraphReport

GraphCache keeps the last CACHED_GRAPHS graphs, so that navigating and comparing read no file twice.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from workflows.bundle import Bundle, read_bundle
from workflows.bundle.manifest import MANIFEST
from workflows.common.errors import RequestError, printable
from workflows.common.memory import gc_paused
from workflows.graph.load import GraphFile, load_graph, parse_graph
from workflows.inspection.build_stages import FINAL, final_stage, read_stages
from workflows.inspection.flat_graph import FlatGraph, flatten_graph
from workflows.wire.reports.graphs import GraphReport, GraphStage

CACHED_GRAPHS = 6


@dataclass(frozen=True)
class GraphLocation:
    """The location of a graph. component "": the first; stage "": the final one."""

    path: Path
    component: str = ""
    stage: str = ""

    @classmethod
    def parse(cls, text: str) -> GraphLocation:
        """Parses FILE.onnx or BUNDLE[:COMPONENT[:STAGE]]. Raises RequestError if the path does not exist."""
        parts = text.split(":")
        for end in range(len(parts), 0, -1):  # the longest path first: "C:\\x" and "a:b" are names of folders too
            path = Path(":".join(parts[:end]))
            if path.exists() and len(parts) - end <= 2:
                return cls(path, *parts[end:])
        raise RequestError(f"There is nothing at {printable(text)}: give an .onnx file or BUNDLE[:COMPONENT[:STAGE]].")


@dataclass(frozen=True)
class OpenedGraph:
    """A loaded graph: its location, its file, the flat graph, and the stages of its component."""

    where: GraphLocation
    title: str
    file: GraphFile
    view: FlatGraph
    stages: tuple[GraphStage, ...]

    def report(self) -> GraphReport:
        """Returns the report for the window; it shares the view's lists, for a graph may have 20,000 nodes."""
        view = self.view
        return GraphReport(
            title=self.title,
            path=str(self.where.path),
            component=self.where.component,
            stage=self.where.stage,
            stages=list(self.stages),
            values=view.values,
            nodes=view.nodes,
            inputs=view.inputs,
            outputs=view.outputs,
            facts=view.facts,
        )


class GraphCache:
    """Opens graphs and caches the last CACHED_GRAPHS."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[GraphLocation, int, int], OpenedGraph] = OrderedDict()

    def open(self, location: GraphLocation) -> OpenedGraph:
        """Returns the graph. Raises RequestError and its subclasses if it does not exist or cannot be shown."""
        file = location.path / MANIFEST if location.path.is_dir() else location.path
        stat = file.stat() if file.exists() else None
        key = (location, stat.st_mtime_ns if stat else 0, stat.st_size if stat else 0)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        with gc_paused():  # a graph has no circles, and goes when the last one who holds it goes
            opened = _open(location)
        self._kept[key] = opened
        if len(self._kept) > CACHED_GRAPHS:
            self._kept.popitem(last=False)
        return opened


def open_graph(location: GraphLocation) -> OpenedGraph:
    """Opens the graph without a cache; see GraphCache.open."""
    return GraphCache().open(location)


def _open(where: GraphLocation) -> OpenedGraph:
    if where.path.is_dir():
        return _open_component(read_bundle(where.path), where)
    if where.component or where.stage not in ("", FINAL):
        raise RequestError(f"{where.path} is one graph: it has no components and no stages to choose from.")
    if not where.path.is_file():
        raise RequestError(f"{printable(where.path)} is neither a bundle folder nor an .onnx file: check the path.")
    file = load_graph(where.path)
    view = flatten_graph(file)
    return OpenedGraph(GraphLocation(where.path, "", FINAL), where.path.name, file, view, (final_stage(view),))


def _open_component(bundle: Bundle, where: GraphLocation) -> OpenedGraph:
    sessions = bundle.pipeline.pipeline.sessions
    name = where.component or next(iter(sessions))
    if name not in sessions:
        raise RequestError(f"{bundle.folder} has no component {printable(name)!r}: it has {', '.join(sessions)}.")
    history = read_stages(bundle, name)
    stage = where.stage or FINAL
    if stage == FINAL:
        file, title = load_graph(bundle.file(sessions[name].file)), name
    else:
        title = f"{name} after {stage}"
        file = parse_graph(history.snapshot(stage), title, bundle.folder)
    view = flatten_graph(file, history.made_by(stage))
    stages = (*history.stages, final_stage(view, history.parity))
    return OpenedGraph(GraphLocation(where.path, name, stage), title, file, view, stages)
