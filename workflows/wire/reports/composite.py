"""A composite as plain data, the same in the engine, on the wire and in the window.

    Session ──Edge──▶ Session        Feed ──▶ Session ──▶ Output        Session ◀──▶ State

The names of runs (source, prefill, decode …), of states and of what feeds are data: whatever the program says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

Port = tuple[str, str]  # session, tensor
Shape = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class CompositeTensor:
    """An input, an output, or of a state what one layer has: its `name` there is the role, as `key`."""

    name: str
    shape: Shape
    dtype: str

    @property
    def extents(self) -> str:
        """Its shape: `[1, tokens, 96]`."""
        return f"[{', '.join(map(str, self.shape))}]"

    @property
    def form(self) -> str:
        """Its shape and type: `[1, tokens, 96] float32`."""
        return f"{self.extents} {self.dtype}"


@dataclass(frozen=True, slots=True)
class ComponentSession:
    """One graph. runs: those that it takes part in, in their order; empty where there is one alone."""

    name: str
    file: str
    role: str
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompositeEdge:
    """An output that feeds an input. tensor: what is fed, by the name of the output. runs: those in which it does."""

    source: Port
    target: Port
    tensor: CompositeTensor
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LayerGroup:
    """Layers of a state that have tensors of the same roles, shapes and types; none where it is of no layer."""

    layers: tuple[int, ...]
    tensors: tuple[CompositeTensor, ...]


@dataclass(frozen=True, slots=True)
class CompositeState:
    """What is kept between runs. kind: `cache` for keys and values of the tokens, `cross` for what is computed once and
    only read from then on, `carried` for what each step overwrites. writer: who puts it into its place, the `host` or
    the `graph`. writers, readers: the sessions that give it and take it."""

    name: str
    kind: str
    writer: str
    layers: tuple[LayerGroup, ...]
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    runs: tuple[str, ...]

    @property
    def frozen(self) -> bool:
        """Whether it is only read once it is there."""
        return self.kind == "cross"


@dataclass(frozen=True, slots=True)
class CompositeFeed:
    """Inputs of a session that no session gives. kind: `driver` for what follows from the cache, `given` …"""

    kind: str
    session: str
    inputs: tuple[CompositeTensor, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompositeOutput:
    """Outputs of a session that are the composite's own."""

    session: str
    outputs: tuple[CompositeTensor, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Composite:
    """All of it. runs: their names, in the order in which they come."""

    name: str
    runs: tuple[str, ...]
    sessions: tuple[ComponentSession, ...]
    edges: tuple[CompositeEdge, ...]
    states: tuple[CompositeState, ...]
    feeds: tuple[CompositeFeed, ...]
    outputs: tuple[CompositeOutput, ...]


def format_ranges(numbers: Sequence[int]) -> str:
    """Numbers as a person writes them: 0–4, 6–10."""
    parts = []
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        found = [number for _, number in run]
        parts.append(str(found[0]) if len(found) == 1 else f"{found[0]}–{found[-1]}")
    return ", ".join(parts)
