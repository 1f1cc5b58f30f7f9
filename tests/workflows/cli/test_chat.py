"""`joinery chat` on a terminal: edited lines, their history, several lines in one prompt, Ctrl+C and Ctrl+D."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from workflows.cli.chat import TerminalChat
from workflows.cli.chat_partner import LocalPartner, RemotePartner
from workflows.cli.line_input import terminal_reader
from workflows.common.errors import RequestError
from workflows.generate import GenerateOptions, open_engine
from workflows.wire.events import ReadyEvent

PROMPTED = r"\x1b\[\?2004h"  # pasting is bracketed from here: what is typed is read
ENTER, UP, CTRL_C, CTRL_D, ALT_ENTER = "\r", "\x1b[A", "\x03", "\x04", "\x1b\r"


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    """What is typed here, the lines are read from."""
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        yield typed


def test_lines_are_edited_and_kept(keys: PipeInput, tmp_path: Path) -> None:
    """For another day: the history is a file, in a folder that need not be there."""
    keys.send_text("first" + ENTER + "secand\x7f\x7f\x7fond" + ENTER)
    history = tmp_path / "home" / "history"
    read = terminal_reader(history)
    assert [read(), read()] == ["first", "second"]
    assert [line for line in history.read_text().splitlines() if line.startswith("+")] == ["+first", "+second"]


def test_several_lines_are_one_prompt(keys: PipeInput, tmp_path: Path) -> None:
    """By Alt+Enter, and as they were pasted."""
    keys.send_text("one" + ALT_ENTER + "two" + ENTER + "\x1b[200~three\nfour\x1b[201~" + ENTER)
    read = terminal_reader(tmp_path / "history")
    assert [read(), read()] == ["one\ntwo", "three\nfour"]


def test_ctrl_c_drops_the_line_and_ctrl_d_ends(keys: PipeInput, tmp_path: Path) -> None:
    """Nothing of the dropped line is said."""
    keys.send_text("not this" + CTRL_C + "this" + ENTER + CTRL_D)
    read = terminal_reader(tmp_path / "history")
    assert [read(), read()] == ["this", None]


@pytest.fixture(scope="module")
def talk_of(demo_bundle: Path) -> Callable[[], TerminalChat]:
    return lambda: TerminalChat(
        LocalPartner(open_engine(demo_bundle), GenerateOptions(max_new_tokens=8)), "", "", False
    )


def test_commands(talk_of: Callable[[], TerminalChat], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What begins with a slash and is no command is said to the model."""
    talk = talk_of()
    assert [talk.command(line) for line in ("/help", "hello", "/etc/passwd")] == [True, False, False]
    assert "/system TEXT" in capsys.readouterr().err
    talk.command("/system  Be brief.")
    talk.reply("8*7=")
    assert talk.command(f"/save {tmp_path}/talk.json")
    turns = json.loads((tmp_path / "talk.json").read_text())
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant"]
    assert turns[0]["content"] == "Be brief." and "56" in turns[2]["content"]
    talk.command("/new")
    talk.command(f"/save {tmp_path}/talk.md")
    assert (tmp_path / "talk.md").read_text() == "> Be brief.\n"
    with pytest.raises(RequestError, match="takes the name of a file"):
        talk.command("/save")
    with pytest.raises(RequestError, match="cannot be written to"):
        talk.command(f"/save {tmp_path}/talk.md/under")


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is POSIX's")
def test_on_a_terminal(demo_bundle: Path, tmp_path: Path) -> None:
    """Arrow up asks again, Ctrl+C while a reply runs gives the prompt back, Ctrl+D leaves with 0."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "workflows", "chat", str(demo_bundle), "--cache", "window"]
    command += ["--max-new-tokens", "1000000", "--temperature", "50", "--seed", "1"]  # of which the end is far off
    home = os.environ | {"JOINERY_HOME": str(tmp_path), "TERM": "xterm"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=home, start_new_session=True) as it:
        os.close(theirs)
        try:
            seen = until(ours, PROMPTED)
            assert "/help lists the commands" in seen
            os.write(ours, b"8*7=\r")
            until(ours, "(?s)8.7=.{400}")  # the reply is under way
            it.send_signal(signal.SIGINT)  # what Ctrl+C is outside of the prompt
            until(ours, PROMPTED)
            until(ours, "8.7=", poke=UP)
            os.write(ours, (CTRL_C + CTRL_D).encode())
            assert it.wait(60) == 0
        finally:
            it.kill()  # else the end of a test that failed waits for it
    os.close(ours)
    assert "+8*7=" in (tmp_path / "chat-history").read_text()


def until(terminal: int, pattern: str, poke: str = "") -> str:
    """What the terminal shows, up to `pattern`; answers a question for the cursor's place as a terminal does.

    poke: pressed until then, for what is read in the background: the history.
    """
    seen, deadline = "", time.monotonic() + 120
    while not re.search(pattern, seen):
        assert time.monotonic() < deadline, f"{pattern!r} never came after {seen[-500:]!r}"
        os.write(terminal, poke.encode())
        if select.select([terminal], [], [], 1)[0]:
            came = os.read(terminal, 4096).decode(errors="replace")
            if "\x1b[6n" in came:
                os.write(terminal, b"\x1b[1;1R")
            seen += came
    return seen


def test_an_adapter_is_named_in_the_requests_that_follow() -> None:
    """Until another one is, or none; an unknown one is refused, and changes nothing."""
    ready = ReadyEvent(
        bundle="/b/mine", model_type="qwen3", route="decoder", provider="cpu", layout="gqa", capacity=64, chunk=64,
        vocabulary=512, chat_template=True, load_seconds=0.1, adapters=["first", "second"],
    )  # fmt: skip
    sent: list[Any] = []
    worker = SimpleNamespace(
        connection=SimpleNamespace(machine=SimpleNamespace(name="there")),
        events=lambda request, _cancelled: sent.append(request),
    )
    partner = RemotePartner(cast("Any", worker), ready, {"max_new_tokens": 5, "adapter": "first"}, "", "")
    chat = TerminalChat(partner, "", "", as_json=False)

    def requested() -> object:
        partner.events([{"role": "user", "content": "x"}], lambda: False)
        return sent[-1].options.get("adapter")

    assert requested() == "first"
    assert chat.command("/adapter second") and requested() == "second"
    with pytest.raises(RequestError, match="The bundle has no adapter 'third': it has first, second"):
        chat.command("/adapter third")
    assert requested() == "second"
    assert chat.command("/adapter") and requested() is None
