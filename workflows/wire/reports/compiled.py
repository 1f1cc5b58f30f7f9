"""What a provider made of a bundle's graphs beforehand."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass(frozen=True, slots=True)
class CompiledComponent:
    """One component's context. file: its path in the bundle; bytes: of the small graph around what the provider has."""

    name: str
    file: str
    bytes: int
    seconds: float


@dataclass
class CompileReport(Report):
    """Contexts that were made and tried. folder: in the bundle. shared: whether components share one copy of the
    weights. bytes: of all files together. note: what a person should know, empty where there is nothing.
    """

    provider: str
    folder: str
    shared: bool
    bytes: int
    components: list[CompiledComponent]
    note: str = ""
