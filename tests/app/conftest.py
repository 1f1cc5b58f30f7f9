"""What every test of the window gets: a dressed application, a home of its own, and a look for what it left behind."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from functools import partialmethod
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main import PAGES, application
from app.state.context import AppContext
from app.widgets.theme import theme
from app.window import MainWindow
from tests.app.stray_windows import no_stray_windows
from tests.fakes import fork_server
from tests.fakes.worker import program
from workflows.common.errors import BundleError

PATIENCE_MS = 120_000
"""How long a test waits for what must come: a slow machine is no failure, and what never comes is one all the same."""


class PatientBot(QtBot):
    """pytest-qt's robot with PATIENCE_MS for its five seconds, which a busy machine needs to start a worker."""

    waitUntil = partialmethod(QtBot.waitUntil, timeout=PATIENCE_MS)
    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE_MS)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE_MS)
    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE_MS)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """In place of pytest-qt's own."""
    return PatientBot(request)


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    """The application as main() makes it."""
    return application()


@pytest.fixture(scope="session", autouse=True)
def fake_workers() -> Iterator[None]:
    """Fake workers are forks of one process, where there are forks: none of them imports anything."""
    if not fork_server.AVAILABLE:
        yield
        return
    server = fork_server.Server("tests.fakes.worker")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.fakes.worker.start_command", server.command)
        yield
    server.close()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Joinery's folder, new for each test: bundles, window.ini, recents."""
    folder = tmp_path / "home"
    monkeypatch.setenv("JOINERY_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_sound_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine of a test has no loudspeaker and no microphone; what needs one brings its own."""
    monkeypatch.setattr("app.chat.speech.sound_device.open_player", lambda _owner: "There is no loudspeaker.")
    monkeypatch.setattr("app.chat.speech.sound_device.open_microphone", lambda _owner: "There is no microphone.")


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """A test that leaves a process or a thread behind fails."""
    me = psutil.Process()
    threads, children = set(threading.enumerate()), set(me.children(recursive=True))
    yield
    _, alive = psutil.wait_procs([p for p in me.children(recursive=True) if p not in children], timeout=30)
    started = [thread for thread in threading.enumerate() if thread not in threads]
    for thread in started:  # a task in the background ends soon, on a busy machine later
        thread.join(10)
    left = [thread for thread in started if thread.is_alive()]
    for process in alive:
        process.kill()
    assert not alive, f"processes left behind: {alive}"
    assert not left, f"threads left behind: {left}"


@pytest.fixture(autouse=True)
def light() -> Iterator[None]:
    """Each test begins and ends with the system's theme."""
    yield
    if QApplication.instance() is not None and theme().mode != "system":
        theme().set_mode("system")


CACHELESS: dict[str, Any] = {
    "model_type": "bert",
    "architecture": "BertForMaskedLM",
    "task": "fill-mask",
    "family": "encoder",
    "precision": "fp32",
    "layout": "",
    "capacity": None,
    "chunk": 64,
    "components": ["model"],
    "bytes": 812_838,
    "built_at": "2026-01-02T03:04:05+00:00",
}


def fake_summary(folder: str) -> dict[str, Any]:
    """Stands for the bundle reader: whatever has a pipeline.json is whole, unless a file `damaged` says otherwise.

    A file `cacheless` makes it one of a model without a cache, a file `task` one with these facts, a
    genai_config.json a folder that is read in place.
    """
    root = Path(folder)
    if not (root / "pipeline.json").exists():
        raise BundleError(f"{root} lacks pipeline.json: restore the file or build the bundle anew.")
    if (root / "damaged").exists():
        raise BundleError(f"model.onnx in {root} has 12 bytes instead of 9,000: build the bundle anew.")
    if (root / "task").exists():
        return CACHELESS | json.loads((root / "task").read_text("utf-8")) | {"path": str(root), "name": root.name}
    if (root / "cacheless").exists():
        return CACHELESS | {"path": str(root), "name": root.name}
    return {
        "path": str(root),
        "name": root.name,
        "model_type": "qwen3",
        "architecture": "Qwen3ForCausalLM",
        "task": "text-generation",
        "family": "qwen3",
        "precision": "fp32",
        "layout": "static",
        "capacity": 4096,
        "chunk": 64,
        "components": ["prefill", "decode"],
        "bytes": 9_000_000,
        "built_at": "2026-01-02T03:04:05+00:00",
        "in_place": (root / "genai_config.json").exists(),
    }


def make_bundle(folder: Path, damaged: bool = False) -> Path:
    """A folder that `fake_summary` takes for a bundle."""
    folder.mkdir(parents=True)
    (folder / "pipeline.json").write_text("{}")
    if damaged:
        (folder / "damaged").write_text("")
    return folder


Make = Callable[..., AppContext]


@pytest.fixture
def make_context(qapp: QApplication) -> Iterator[Make]:
    """Contexts over a fake worker that follows the given scenario; closed at the end."""
    made: list[AppContext] = []

    def make(**scenario: Any) -> AppContext:
        context = AppContext(program=program(**scenario), read=fake_summary)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
        context.deleteLater()


@pytest.fixture
def make_window(qtbot: Any, make_context: Make) -> Iterator[Callable[..., MainWindow]]:
    """Main windows over a fake worker that follows the given scenario."""

    def make(**scenario: Any) -> MainWindow:
        window = MainWindow(make_context(**scenario), PAGES)
        qtbot.addWidget(window)
        window.show()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        return window

    with no_stray_windows():
        yield make
