"""The direction of imports, and what running and the window must never load."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import COLLECTED

ROOT = Path(__file__).parents[1]
HEAVY = {"torch", "transformers", "onnx", "onnxscript", "onnx_ir"}


def test_the_import_contracts_hold() -> None:
    """import-linter's contracts, as pyproject.toml states them."""
    code = "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(no_cache=True))"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", cwd=ROOT, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 kept, 0 broken" in done.stdout


def loaded_by(statement: str) -> set[str]:
    """The top-level modules that a fresh process has loaded after a statement."""
    code = f"{statement}; import sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["workflows." + name for name in ("generate", "runtime", "bundle", "media", "cli")])
def test_running_loads_no_torch(module: str) -> None:
    """Neither torch nor transformers nor any library that takes graphs apart."""
    assert loaded_by(f"import {module}") & (HEAVY | {"PySide6"}) == set()


def test_the_control_sees_what_is_loaded() -> None:
    """The export does load them, and the test above would see it."""
    assert {"torch", "transformers", "onnx_ir"} <= loaded_by("import workflows.export.components")


@pytest.mark.parametrize(
    "module",
    [
        "workflows.wire",
        "workflows.common.errors",
        "workflows.inspection.picture.layout",
        "workflows.inspection.picture.svg",
        "workflows.measure.history",
        "workflows.measure.pareto_front",
    ],
)
def test_the_vocabulary_is_light(module: str) -> None:
    """The window reads it at start-up: standard library alone, and nothing of it that connects."""
    loaded = loaded_by(f"import {module}")
    assert loaded & (HEAVY | {"numpy", "onnxruntime", "pydantic", "PySide6", "jinja2", "ssl", "http"}) == set()


def collected_anew() -> set[str]:
    """The test files, relative to the project, of which a pytest of its own collects something."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:xdist", "-m", "slow or not slow"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}


def test_every_test_file_is_collected(request: pytest.FixtureRequest) -> None:
    """By the README's command or by its slow twin: pytest passes over folders of some names without a word.

    A run of everything has collected them itself; a run of a part has another pytest collect them.
    """
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    here = {path.relative_to(ROOT).as_posix() for path in request.config.stash[COLLECTED]}
    assert files <= here or files - collected_anew() == set()
