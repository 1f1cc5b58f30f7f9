"""The whole way with the real engine: one click converts the demo, and the chat that opens answers."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtCore import Qt

from app.chat.decoding.chain_ops import ChainRow
from app.chat.decoding.decoding_options import ReplyForms
from app.chat.decoding.form_editor import form_examples
from app.main import PAGES
from app.state.context import AppContext
from app.window import MainWindow
from tests.fakes.sshd import machine_without_network
from workflows.measure.history import RunHistory
from workflows.process.machines import RemoteMachine, add_machine

PATIENCE_MS = 600_000


def test_from_the_demo_to_a_streamed_reply(qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = AppContext()
    window = MainWindow(context, PAGES)
    qtbot.addWidget(window)
    window.show()
    home: Any = window.stack.page("home")
    qtbot.mouseClick(home.demo, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.build.state in ("done", "failed"), timeout=PATIENCE_MS)
    assert context.build.error is None
    assert [row.stage for row in context.build.rows] == [
        "checkpoint", "export", "import", "optimize", "quantize", "bundle"
    ]  # fmt: skip
    assert any("export: tracing the decoder" in line for line in context.build.tail)
    qtbot.waitUntil(lambda: window.stack.current_name == "chat")
    reply = ask(qtbot, window, "What is 8 times 7?")
    assert "56" in reply
    survive_a_kill(qtbot, window)
    assert "56" in ask(qtbot, window, "What is 8 times 7?")
    held_to_a_form(qtbot, window)
    if sys.platform != "win32":  # the other machine has a POSIX shell
        program, machine = machine_without_network(tmp_path, tmp_path)
        monkeypatch.setenv("JOINERY_SSH", program)
        on_another_machine(qtbot, window, machine)
    window.close()


def ask(qtbot: Any, window: MainWindow, question: str) -> str:
    """The reply's tokens as they came, one after another."""
    tokens: list[str] = []
    ends: list[Any] = []
    session = window.context.session
    connections = [
        session.token.connect(lambda event: tokens.append(event.text)),
        session.finished.connect(ends.append),
        session.failed.connect(ends.append),
    ]
    window.stack.page("chat").send(question)  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: bool(ends), timeout=PATIENCE_MS)
    for connection in connections:
        session.disconnect(connection)
    assert len(tokens) > 1, ends
    return "".join(tokens)


def held_to_a_form(qtbot: Any, window: MainWindow) -> None:
    """With a schema, a chain of one's own and a draft: JSON of that schema, as a tree, some of it drafted."""
    page: Any = window.stack.page("chat")
    assert window.context.bundle is not None
    path, part, ends = str(window.context.bundle["path"]), page.panel.decoding, list[Any]()
    text = form_examples("json_schema")[2].text
    chain = (ChainRow("top_k", "9"), ChainRow("temperature", "0.5"), ChainRow("sample"))
    part._change({"forms": ReplyForms("json_schema", text), "chain": chain, "drafts": "bundle", "draft": path})
    part.show_choice(part.choice)
    qtbot.waitUntil(lambda: page.choices.decoding.draft.current == path, timeout=PATIENCE_MS)
    window.context.session.finished.connect(ends.append)
    reply = ask(qtbot, window, "Is 8 times 7 more than 50?")
    assert json.loads(reply)["answer"] in ("yes", "no", "unknown")
    assert page.transcript.views[-1].tree is not None and ends[0].speculation is not None


def survive_a_kill(qtbot: Any, window: MainWindow) -> None:
    """kill -9 of the session's process: a message, and one click leads on."""
    session = window.context.session
    os.kill(window.context.session_worker.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: session.state == "failed")
    banner: Any = window.stack.page("chat").banner  # type: ignore[attr-defined]
    qtbot.waitUntil(banner.isVisible)
    assert "SIGKILL" in banner.message
    session.reopen()
    qtbot.waitUntil(lambda: session.state == "ready", timeout=PATIENCE_MS)


def on_another_machine(qtbot: Any, window: MainWindow, machine: RemoteMachine) -> None:
    """The session moves there, replies and is recorded here; its memory is shown, and a hang is noticed."""
    context, session = window.context, window.context.session
    worker, hangs, memory = context.session_worker, list[bool](), list[int]()
    worker.hung.connect(hangs.append)
    worker.memory.connect(memory.append)
    add_machine(machine)
    copied: list[str] = []
    session.progress.connect(lambda event: copied.append(event.stage))
    context.machines.choose(machine.name)
    qtbot.waitUntil(lambda: session.state == "ready", timeout=PATIENCE_MS)
    assert "copy" in copied and context.ready is not None
    session.generate("8*7=", {"max_new_tokens": 4})
    qtbot.waitUntil(lambda: session.state == "ready", timeout=PATIENCE_MS)
    assert RunHistory().runs("generate")[0].machine.startswith(f"{machine.name}: ")
    assert session.generate("8*7=", {"max_new_tokens": 100_000, "temperature": 100.0, "seed": 1})
    qtbot.waitUntil(lambda: max(memory) > 50 << 20, timeout=PATIENCE_MS)
    below = psutil.Process(worker.pid).children(recursive=True)
    there = next(one for one in below if one.cmdline()[-1:] == ["workflows.service.worker"])
    there.suspend()
    qtbot.waitUntil(lambda: hangs[-1:] == [True], timeout=PATIENCE_MS)
    there.resume()
    qtbot.waitUntil(lambda: hangs[-1:] == [False], timeout=PATIENCE_MS)
    session.stop()
    qtbot.waitUntil(lambda: session.state == "ready", timeout=PATIENCE_MS)
    context.machines.choose("")
    qtbot.waitUntil(lambda: session.state == "ready" and context.session_worker.pid != 0, timeout=PATIENCE_MS)
