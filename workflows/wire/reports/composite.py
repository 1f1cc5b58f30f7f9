"""A composite as plain data, shared by engine, wire and window.

    ComponentSession ──CompositeEdge──▶ ComponentSession ◀──▶ CompositeState
    CompositeFeed ──▶ ComponentSession ──▶ CompositeOutput

The names of runs (source, prefill, decode …), of states and of what feeds are data: whatever the program says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from workflows.wire.reports.base import Report

Port = tuple[str, str]  # session, tensor
Shape = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class CompositeTensor:
    """An input, an output, or a layer's part of a state, whose `name` is its role, such as `key`."""

    name: str
    shape: Shape
    dtype: str

    @property
    def extents(self) -> str:
        """The shape: `[1, tokens, 96]`."""
        return f"[{', '.join(map(str, self.shape))}]"

    @property
    def form(self) -> str:
        """Shape and type: `[1, tokens, 96] float32`."""
        return f"{self.extents} {self.dtype}"


@dataclass(frozen=True, slots=True)
class ComponentSession:
    """One graph. runs: those that use it, in order; empty if there is only one run."""

    name: str
    file: str
    role: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompositeEdge:
    """An output that feeds an input. tensor: the output. runs: those in which it does."""

    source: Port
    target: Port
    tensor: CompositeTensor
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LayerGroup:
    """Layers of a state whose tensors have the same roles, shapes and types; empty for a state without layers."""

    layers: tuple[int, ...]
    tensors: tuple[CompositeTensor, ...]


@dataclass(frozen=True, slots=True)
class CompositeState:
    """State between runs. kind: `cache` for keys and values of tokens, `cross` for values computed once and then only
    read, `carried` for values that each step overwrites. writer: which side writes it, `host` or `graph`. writers,
    readers: the sessions that output and take it."""

    name: str
    kind: str
    writer: str
    layers: tuple[LayerGroup, ...]
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    runs: tuple[str, ...]

    @property
    def frozen(self) -> bool:
        """Whether it is computed once and then only read."""
        return self.kind == "cross"


@dataclass(frozen=True, slots=True)
class CompositeFeed:
    """Inputs of a session from outside. kind: `driver` for values derived from the cache, `given` …"""

    kind: str
    session: str
    inputs: tuple[CompositeTensor, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompositeOutput:
    """Outputs of a session that are outputs of the composite."""

    session: str
    outputs: tuple[CompositeTensor, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Composite:
    """The whole composite. runs: their names, in order."""

    name: str
    runs: tuple[str, ...]
    sessions: tuple[ComponentSession, ...]
    edges: tuple[CompositeEdge, ...]
    states: tuple[CompositeState, ...]
    feeds: tuple[CompositeFeed, ...]
    outputs: tuple[CompositeOutput, ...]


@dataclass
class AssemblyReport(Report):
    """What graphs from single files would make. composite: None if it cannot be inferred.

    lacking: missing parts; notes: assumptions; a sentence each.
    """

    route: str
    composite: Composite | None
    lacking: list[str]
    notes: list[str]


def format_ranges(numbers: Sequence[int]) -> str:
    """Formats sorted numbers as ranges: 0–4, 6–10."""
    parts = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        found = [number for _, number in run]
        parts.append(str(found[0]) if len(found) == 1 else f"{found[0]}–{found[-1]}")
    return ", ".join(parts)
