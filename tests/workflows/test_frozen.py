"""The frozen program: made by PyInstaller from this environment, then used as a person does, without this Python.

slow: it is made once (1 to 2 minutes) and driven: command line, worker, window
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.workflows.checkpoint.gguf.converting import write_model
from tests.workflows.test_run_part import NO_INDEX
from workflows.common.build_part_finder import is_frozen
from workflows.common.errors import package_error

ROOT = Path(__file__).parents[2]
INSTALLER = ROOT / "installer"
LARGEST = 350e6
"""Bytes of the folder; a larger one has something in it that is not used."""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"frozen_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("words", "module", "arguments"),
    [
        ([], "app", []),
        (["window", "x/pipeline.json"], "app", ["x/pipeline.json"]),
        (["generate", "B"], "workflows", ["generate", "B"]),
        (["--version"], "workflows", ["--version"]),
        (["-P", "-m", "workflows.service.worker"], "workflows.service.worker", []),
        (["-P", "-m", "workflows.process.guard", "1", "M"], "workflows.process.guard", ["1", "M"]),
    ],
)
def test_the_program_is_window_worker_and_command_line(words: list[str], module: str, arguments: list[str]) -> None:
    assert load(INSTALLER / "frozen" / "program.py").module_for(words) == (module, arguments)


def test_a_missing_part_is_named_with_where_it_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    """sys.executable is the program then, which has no pip."""
    assert not is_frozen()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    error = package_error(ModuleNotFoundError("No module named 'torch'", name="torch"), "build")
    assert error is not None and error.part == "build"
    assert str(error) == (
        "joinery build needs the part build of Joinery, whose package torch this program does not carry: install "
        "Joinery for Python by `python3 -m pip install 'joinery[build]'`, and do this with it."
    )


@pytest.mark.skipif(sys.platform != "linux", reason="a menu of the XDG specifications")
def test_the_menu_entry_is_made_and_removed(tmp_path: Path) -> None:
    """With a path that has a blank and characters of sed."""
    made = tmp_path / "a & b|c" / "joinery"
    made.mkdir(parents=True)
    load(INSTALLER / "freeze.py").add_menu_entry(made)
    data = tmp_path / "data"
    environment = {"XDG_DATA_HOME": str(data), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([str(made / "register.sh")], check=True, env=environment)
    entry = (data / "applications" / "joinery.desktop").read_text("utf-8")
    assert f'Exec="{made}/joinery" window %f\n' in entry
    types = (data / "mime" / "packages" / "joinery.xml").read_text("utf-8")
    for kind in entry.partition("MimeType=")[2].partition("\n")[0].strip(";").split(";"):
        assert kind == "inode/directory" or f'type="{kind}"' in types
    assert (data / "icons/hicolor/scalable/apps/joinery.svg").is_file()
    subprocess.run([str(made / "register.sh"), "remove"], check=True, env=environment)
    assert not list(data.rglob("joinery.*"))


@pytest.mark.slow
def test_it_is_small_and_works_without_python(tmp_path: Path, demo_bundle: Path) -> None:
    """One test, for the program is made once; skipped where PyInstaller cannot be had."""
    program = Program(make_program(tmp_path), tmp_path)
    check_content(program.file.parent)
    check_command_line(program, demo_bundle)
    check_killed_worker(program, demo_bundle)
    check_window(program, demo_bundle)


def make_program(folder: Path) -> Path:
    """The folder of the frozen program."""
    line = [sys.executable, "-P", str(INSTALLER / "freeze.py"), str(folder)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=800)
    if done.returncode and NO_INDEX.search(done.stderr):
        pytest.skip("PyInstaller cannot be installed: no package index can be reached")
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "joinery"


class Program:
    """The program with a home of its own and a PATH without Python."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.file, self.home = folder / ("joinery.exe" if os.name == "nt" else "joinery"), home
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR", "SYSTEMROOT") if name in os.environ}
        own = {"JOINERY_HOME": str(home), "HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PATH": "/nowhere"}
        self.environment = kept | own

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        line = [str(self.file), *words]
        return subprocess.run(
            line, env=self.environment, cwd=self.home, capture_output=True, text=True, check=False, timeout=300
        )


def check_content(folder: Path) -> None:
    """Its size, its licences, and that nothing of the build part, the tests and the browser is in it."""
    assert load(INSTALLER / "freeze.py").size(folder) < LARGEST
    licenses = folder / "_internal" / "licenses"
    listed = (licenses / "README.txt").read_text("utf-8")
    for name in ("PySide6 ", "onnxruntime ", "numpy ", "tokenizers ", "Python "):
        assert f"\n{name}" in listed
    for path in ("Qt/LGPL-3.0.txt", "Qt/GPL-3.0.txt", "Qt/README.txt", "Joinery/LICENSE"):
        assert (licenses / path).stat().st_size > 500
    names = {path.name for path in (folder / "_internal").rglob("*")}
    assert not names & {"torch", "transformers", "pytest", "QtWebEngineCore.abi3.so"}


def check_command_line(program: Program, bundle: Path) -> None:
    """Bundles run; what cannot be built names the missing part."""
    for says, words in {
        "56": ("generate", str(bundle), "--chat", "--prompt", "What is 8 times 7?", "--max-new-tokens", "12"),
        "optimize decoder": ("inspect", str(bundle)),
        "no divergence": ("diverge", str(bundle), str(bundle), "--prompt", "8*7=", "--steps", "1"),
        "all as they were built": ("verify", str(bundle)),
        "part: run": ("--version",),
        "CPU: usable": ("devices",),
    }.items():
        done = program.run(*words)
        assert done.returncode == 0 and says in done.stdout, done.stdout + done.stderr
    (program.home / "gguf").mkdir()
    model, _ = write_model(program.home / "gguf", "llama")
    done = program.run("build", str(model), "--out", str(program.home / "out"))
    assert done.returncode == 1 and "python3 -m pip install 'joinery[build]'" in done.stderr, done.stderr


def check_killed_worker(program: Program, bundle: Path) -> None:
    """The worker as the window starts it: killed while its bundle is open; the next one opens it again."""
    line = [str(program.file), "-P", "-m", "workflows.service.worker"]
    opened = json.dumps({"id": 1, "job": "open", "bundle": str(bundle)})
    for ends in (signal.SIGKILL, signal.SIGTERM):
        worker = subprocess.Popen(
            line, env=program.environment, cwd=program.home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert worker.stdin and worker.stdout
        worker.stdin.write(opened + "\n")
        worker.stdin.flush()
        assert any('"ready"' in line for line in worker.stdout)
        worker.send_signal(ends)
        assert worker.wait(20) != 0
        worker.stdin.close()
        worker.stdout.close()


def check_window(program: Program, bundle: Path) -> None:
    """Its own tour, with the demo's bundle in the list of recent ones: a chat, and pictures of all eight pages."""
    own = program.home / "bundles" / "qwen3-demo"
    shutil.copytree(bundle, own)
    recent = {"path": str(own), "used_at": "2026-11-28T12:00:00+00:00", "speed": 0}
    (program.home / "recents.json").write_text(json.dumps([recent]), "utf-8")
    done = program.run("window", "--tour", str(program.home / "tour"))
    assert done.returncode == 0 and "56" in done.stdout, done.stdout + done.stderr
    assert len(list((program.home / "tour").glob("*.png"))) == 16
