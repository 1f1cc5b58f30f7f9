"""Verifies a bundle with what is installed: its files need nothing, its pipeline against the graphs needs onnx."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from workflows.bundle import verify_bundle
from workflows.wire.reports.inspection import VerifyReport


def verify_with_installed(folder: str | Path, cancelled: Callable[[], bool] = lambda: False) -> VerifyReport:
    """As check_bundle; without onnx the report compares files alone, and says so in its doubts."""
    try:
        from workflows.inspection.contents import check_bundle
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in ("onnx", "onnx_ir"):
            raise
        doubt = f"The pipeline was not compared with the graphs, for the package {error.name} is not installed."
        return replace(verify_bundle(folder, cancelled), doubts=[doubt])
    return check_bundle(folder, cancelled)
