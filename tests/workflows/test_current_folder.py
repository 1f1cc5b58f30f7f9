"""Nothing that lies in the current folder runs: a checkpoint may bring an app/, a PySide6.py, a json.py."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from tests.traps import SPRUNG, lay_traps, sprung
from workflows import cli
from workflows.process.subprocesses import module_search_path

ROOT = Path(__file__).parents[2]


@pytest.fixture
def traps(tmp_path: Path) -> Iterator[Path]:
    """A current folder whose every module is a trap, ours included; none was sprung."""
    folder = lay_traps(tmp_path / "checkpoint", "app", "workflows", "tests")
    yield folder
    assert sprung(folder) == ""


@pytest.fixture
def other_traps(tmp_path: Path) -> Iterator[Path]:
    """The same without ours: where Python itself is asked for a module by name, it runs the first that it finds."""
    folder = lay_traps(tmp_path / "checkpoint")
    yield folder
    assert sprung(folder) == ""


def run(command: list[str], cwd: Path, stdin: str = "") -> str:
    """What a process said that was started in `cwd`, and ended well."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        command, cwd=cwd, input=stdin, capture_output=True, encoding="utf-8", timeout=240, env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def joinery() -> list[str]:
    """The command as it is installed; what its script does, where this environment has none."""
    script = Path(sys.executable).parent / "joinery"
    if script.exists():
        return [str(script)]
    return [sys.executable, "-P", "-c", "from workflows.cli import main; main()"]


def test_the_traps_work(other_traps: Path) -> None:
    """The control: a module started the plain way runs what lies in the current folder."""
    command = [sys.executable, "-m", "pydoc", "json"]
    done = subprocess.run(command, cwd=other_traps, capture_output=True, check=False)
    assert done.returncode == 99, done.stderr
    assert sprung(other_traps) in ("re\n", "pathlib\n", "typing\n", "platform\n")
    (other_traps / SPRUNG).unlink()


@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "BUNDLE", "--prompt", "8*7=", "--chat"],
        *(pytest.param(one, marks=pytest.mark.slow) for one in (["inspect", "BUNDLE"], ["verify", "BUNDLE"])),
        ["devices"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_command_line_runs_nothing_of_the_current_folder(
    arguments: list[str], traps: Path, demo_bundle: Path
) -> None:
    """Installed, from within a folder whose every module is a trap."""
    run([*joinery(), *(str(demo_bundle) if one == "BUNDLE" else one for one in arguments)], traps)


@pytest.mark.slow
def test_a_build_runs_nothing_of_the_current_folder(traps: Path, tmp_path: Path) -> None:
    """torch, transformers and all that they import on their way."""
    run([*joinery(), "build", "demo:qwen3", "--out", str(tmp_path / "out")], traps)


@pytest.mark.parametrize(
    ("module", "arguments", "stdin"),
    [
        ("workflows", ["devices"], ""),
        ("workflows.service.worker", [], '{"id": 1, "job": "devices"}\n'),
        ("app", ["--help"], ""),
        ("app.main", ["--help"], ""),
    ],
)
def test_a_module_of_ours_runs_nothing_else_of_the_current_folder(
    other_traps: Path, module: str, arguments: list[str], stdin: str
) -> None:
    """Started by a person, without -P."""
    run([sys.executable, "-m", module, *arguments], other_traps, stdin)


def test_the_window_that_the_command_opens_runs_nothing_of_the_current_folder(
    traps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`joinery` alone starts the window; here it is asked for its help instead."""
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(cli.subprocess, "call", lambda line, env: started.append((line, env)) or 0)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "."]))
    assert cli.run([]) == 0
    [(line, env)] = started
    done = subprocess.run([*line, "--help"], cwd=traps, env=env, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_the_project_s_own_folder_stays(tmp_path: Path) -> None:
    """A clone that is not installed runs from its own folder, as `python -m workflows` has it."""
    code = "import workflows, app, sys; print(workflows.__file__)"
    assert Path(run([sys.executable, "-c", code], ROOT).strip()).parent == ROOT / "workflows"
    run([sys.executable, "-m", "workflows", "--version"], ROOT)


def test_python_path_has_no_entry_that_hangs_on_the_current_folder() -> None:
    """Ours first, once."""
    given = os.pathsep.join(["", str(ROOT), ".", "relative", str(ROOT / "tests")])
    assert module_search_path(given).split(os.pathsep) == [str(ROOT), str(ROOT / "tests")]


# -- the sources: whoever starts a process says -P ---------------------------------------------------------------

STARTERS = {
    "subprocess": {"run", "call", "Popen", "check_call", "check_output", "getoutput"},
    "os": {"system", "popen", "execv", "execve", "execvp", "spawnv", "posix_spawn", "startfile"},
    "multiprocessing": {"Process", "Pool", "get_context"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "QProcess": {"startDetached", "execute"},
    "": {"QProcess"},
}
PYTHONS = ("sys.executable", "venv_python()", "'_base_executable'")


@lru_cache
def sources() -> list[tuple[str, ast.AST]]:
    """The path and the tree of each of our files."""
    files = [path for folder in ("app", "workflows", "installer") for path in sorted((ROOT / folder).rglob("*.py"))]
    return [(path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))) for path in files]


def starts_a_process(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        return called.attr in STARTERS.get(called.value.id, ())
    return isinstance(called, ast.Name) and called.id in STARTERS[""]


def test_processes_are_started_in_these_places_alone() -> None:
    """Another one must say how it keeps the current folder out, and be listed here.

    `connection` starts ssh; what that starts at the far end, and `child` and `diverge_machines` here, has -P.
    """
    found = {path for path, tree in sources() for node in ast.walk(tree) if starts_a_process(node)}
    assert found == {
        "app/jobs/worker_client.py", "workflows/cli/__init__.py", "workflows/process/subprocesses.py",
        "installer/bootstrap.py",
        "installer/supply.py",
        "installer/site.py",  # who makes the site runs pip and sphinx, by -P
        "app/jobs/server_process.py",
        # who freezes the program: PyInstaller and pip by -P, strip, and dpkg for licences
        *("installer/freeze.py", "installer/bundled_licenses.py"),
        "installer/commit_hook.py",  # who makes a wheel runs git; Joinery itself reads its files
        "workflows/service/http/served_worker.py",
        *("workflows/service/remote/connection.py", "workflows/service/remote/child.py"),
        "workflows/cli/diverge_machines.py",
    }  # fmt: skip


def test_every_command_line_of_python_ignores_the_current_folder() -> None:
    """Each list that begins with a Python goes on with -P."""
    lists = [
        (path, [ast.unparse(part) for part in node.elts])
        for path, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.List) and node.elts and isinstance(node.elts[0], ast.Attribute | ast.Call | ast.BoolOp)
        if any(python in ast.unparse(node.elts[0]) for python in PYTHONS)
    ]
    assert len(lists) >= 3
    assert [(path, parts) for path, parts in lists if parts[1:2] != ["'-P'"]] == []
