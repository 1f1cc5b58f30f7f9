"""A real build of the demo, traced and run: one precision in the place of another, over the export that waits."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.faults.cases import NEW, OLD, Subject
from workflows.builder import BuildRequest
from workflows.builder import build as run_build
from workflows.bundle import read_bundle, verify_bundle
from workflows.common.errors import BundleError, Cancelled
from workflows.wire.events import Event, StageEvent

OUT = "out"
Report, Asked = Callable[[Event], None], Callable[[], bool]


def _request(root: Path, precision: str) -> BuildRequest:
    return BuildRequest("demo:qwen3", root / OUT, {"precision": precision, "capacity": 64}, force=True)


def _lay(root: Path) -> None:
    """The bundle in fp32, and beside it the whole export, as a build leaves it that was stopped after it."""
    keep_export(root, lambda report, cancelled: run_build(_request(root, "fp32"), report, cancelled))
    shutil.copytree(root / "kept", root / f".{OUT}.build")
    run_build(_request(root, "fp32"))
    (root / "kept").rename(root / f".{OUT}.build")


def keep_export(root: Path, build: Callable[[Report, Asked], object]) -> None:
    """In `kept`, what a build leaves that is stopped after its export."""
    begun = list[Event]()
    try:
        build(begun.append, lambda: _optimizes(begun))
    except Cancelled:
        (root / f".{OUT}.build").rename(root / "kept")


def _optimizes(begun: list[Event]) -> bool:
    return any(isinstance(one, StageEvent) and one.stage == "optimize" for one in begun)


def state_of(root: Path) -> str:
    """Of a bundle in fp32, or in int4 in its place."""
    try:
        report, bundle = verify_bundle(root / OUT), read_bundle(root / OUT)
    except (BundleError, OSError) as error:
        return f"no bundle: {error}"
    precision = bundle.pipeline.metadata.precision
    return {"fp32": OLD, "int4": NEW}.get(precision or "", f"of {precision}") if report.ok else f"{report.problems}"


REAL = Subject("build of the demo", _lay, lambda root: run_build(_request(root, "int4")) and None, state_of, OUT)
