"""A real build of the demo, traced and run: one precision in the place of another, over the export that waits."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.faults.cases import NEW, OLD, Subject
from workflows.builder import BuildRequest
from workflows.builder import build as run_build
from workflows.bundle import read_bundle, verify_bundle
from workflows.errors import BundleError, Cancelled
from workflows.wire.events import Event, StageEvent

_OUT = "out"


def _request(root: Path, precision: str) -> BuildRequest:
    return BuildRequest("demo:qwen3", root / _OUT, {"precision": precision, "capacity": 64}, force=True)


def _lay(root: Path) -> None:
    """The bundle in fp32, and beside it the whole export, as a build leaves it that was stopped after it."""
    begun = list[Event]()
    try:
        run_build(_request(root, "fp32"), begun.append, lambda: _optimizes(begun))
    except Cancelled:
        work, kept = root / f".{_OUT}.build", root / "kept"
        shutil.copytree(work, kept)
        run_build(_request(root, "fp32"))
        kept.rename(work)


def _optimizes(begun: list[Event]) -> bool:
    return any(isinstance(one, StageEvent) and one.stage == "optimize" for one in begun)


def _state(root: Path) -> str:
    try:
        report, bundle = verify_bundle(root / _OUT), read_bundle(root / _OUT)
    except (BundleError, OSError) as error:
        return f"no bundle: {error}"
    precision = bundle.pipeline.metadata.precision
    return {"fp32": OLD, "int4": NEW}.get(precision or "", f"of {precision}") if report.ok else f"{report.problems}"


REAL = Subject("build of the demo", _lay, lambda root: run_build(_request(root, "int4")) and None, _state, _OUT)
