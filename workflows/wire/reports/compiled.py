"""A bundle's graphs compiled for a provider."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass(frozen=True, slots=True)
class CompiledComponent:
    """One component's compiled context. file: its path in the bundle; bytes: of its graph file."""

    name: str
    file: str
    bytes: int
    seconds: float


@dataclass
class CompileReport(Report):
    """The compiled and tested contexts. folder: in the bundle. shared: whether components share one copy of the
    weights. bytes: of all files. note: a message to the user; may be empty.
    """

    provider: str
    folder: str
    shared: bool
    bytes: int
    components: list[CompiledComponent]
    note: str = ""
