"""States memory, disk and time of a build before anything is written, and refuses one that certainly does not fit.

checkpoint, recipe, the folder ──state_requirements──▶ a line for the log, notices where it may not fit
                                 ├─require_disk──────▶ RequestError with the numbers and what would fit
                                 └─require_memory────▶ likewise
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workflows.builder.workspace import Report, work_folder
from workflows.checkpoint import Checkpoint
from workflows.common.errors import RequestError
from workflows.common.files import free_disk_bytes
from workflows.common.memory import obtainable_bytes
from workflows.inspection.probe.build_estimate import build_estimate, precision_bytes
from workflows.recipe import Recipe, family_for
from workflows.recipe.cut import make_cut
from workflows.recipe.precision import target_precision
from workflows.recipe.schema import Precision
from workflows.wire.events import LogEvent, NoticeEvent
from workflows.wire.reports.plan import BuildEstimate

_SURELY = 0.9
"""A build is refused where the disk has less than this share of its weights' estimated bytes."""
_OFFERED: tuple[Precision, ...] = ("fp16", "int8", "int4")
_IGNORE = "or build nevertheless with --ignore-estimate"


def state_requirements(
    checkpoint: Checkpoint, recipe: Recipe, out: Path, report: Report, searches: bool = False
) -> BuildEstimate:
    """Reports what the build needs, with notices of what may not suffice.

    searches: a goal chooses the precision, so the size of the result is not known.
    """
    from workflows.measure.history import whole_builds  # sqlite3

    family = family_for(recipe.model_type, recipe.task)
    geometry = family.geometry(checkpoint.config) if family.cached else None
    components = len(make_cut(family, recipe, geometry).components)
    estimate = build_estimate(checkpoint, recipe, geometry, components, whole_builds(), out)
    report(LogEvent(message=_statement(estimate, out, searches)))
    for problem in _doubts(estimate):
        report(NoticeEvent(code="resources", message=problem))
    return estimate


def _statement(estimate: BuildEstimate, out: Path, searches: bool) -> str:
    """`The build needs about 1.2 GB of memory (9.0 GB free), 0.5 GB of disk for … (80.0 GB free) and 40 s.`"""
    memory = f"about {_gb(estimate.memory_bytes)} of memory ({_gb(estimate.free_memory_bytes)} free)"
    needed, free = estimate.disk_bytes + estimate.work_bytes, _gb(estimate.free_disk_bytes)
    disk = f"{_gb(needed)} of disk beside {out} ({free} free; {_gb(estimate.disk_bytes)} stay)"
    search = ", without the search" if searches else ""
    return f"The build needs {memory}, {disk} and {_duration(estimate.seconds)}{search}."


def _doubts(estimate: BuildEstimate) -> Iterator[str]:
    """What may not suffice, one sentence each."""
    if estimate.memory_bytes > estimate.free_memory_bytes:
        yield (
            f"The build needs about {_gb(estimate.memory_bytes)} of memory and {_gb(estimate.free_memory_bytes)} are "
            "free: close other programs, for it may be slow or fail."
        )
    if (needed := estimate.disk_bytes + estimate.work_bytes) > estimate.free_disk_bytes:
        yield (
            f"The build needs about {_gb(needed)} of disk and {_gb(estimate.free_disk_bytes)} are free: make room, "
            "for it may fail; it can be resumed."
        )


def require_memory(estimate: BuildEstimate) -> None:
    """Raises RequestError where the export certainly does not fit into memory."""
    if estimate.memory_short:
        raise RequestError(
            f"The build needs about {_gb(estimate.memory_bytes)} of memory and {_gb(obtainable_bytes())} can be "
            f"had here: close other programs, take a smaller checkpoint or a machine with more memory, {_IGNORE}."
        )


def require_disk(checkpoint: Checkpoint, recipe: Recipe, out: Path) -> None:
    """Raises RequestError where not even the weights of the result fit; what an earlier build left there counts."""
    free = free_disk_bytes(out) + _bytes(work_folder(out))
    needed = precision_bytes(recipe.precision, checkpoint, recipe)
    if _SURELY * needed <= free:
        return
    others = {name: precision_bytes(name, checkpoint, recipe) for name in _OFFERED}
    fits = [
        f"{name} ({_gb(size)})"
        for name, size in others.items()
        if size < free and size < needed and not target_precision(name, recipe.target).refused
    ]
    smaller = f", build with --precision {' or '.join(fits)}" if fits else ""
    raise RequestError(
        f"The weights in {recipe.precision} need {_gb(needed)} of disk and {_gb(free)} are free beside {out}: make "
        f"room, choose a folder on another disk{smaller}, {_IGNORE}."
    )


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _gb(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:,.0f} min"
