"""Code that a checkpoint brings runs in a process without a network, whose memory has an end; what it says is told."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resources.demos.train_mu import FOLDER as MU
from workflows.builder import BuildRequest, build
from workflows.builder import isolated_export as apart_module
from workflows.builder.isolated_export import _event_reader, _last
from workflows.common.errors import (
    CheckpointError,
    JoineryError,
    LayoutError,
    MemoryShortError,
    error_from_dict,
    error_to_dict,
)
from workflows.process.subprocesses import ProcessResult
from workflows.wire.events import Event, NoticeEvent

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's own; elsewhere its lack is said")
Brings = Callable[[str], Path]


@pytest.fixture
def brings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Brings:
    """The demo with other code before its own."""
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))

    def make(code: str) -> Path:
        folder = tmp_path / "checkpoint"
        shutil.copytree(MU, folder)
        own = folder / "configuration_mu.py"
        own.write_text(f"{code}\n{own.read_text('utf-8')}", "utf-8")
        return folder

    return make


def built(folder: Path, told: list[Event] | None = None, **more: Any) -> None:
    report = (lambda _: None) if told is None else told.append
    build(BuildRequest(str(folder), folder.parent / "out", {}, trust_remote_code=True, **more), report)


CANARY = """
import pathlib as _pathlib, socket as _socket
_here = _pathlib.Path({here!r})
_found = [(_here / "checkpoint" / "README.md").read_text("utf-8")[:1]]
for _family in (_socket.AF_INET, _socket.AF_INET6, _socket.AF_UNIX):
    try:
        _socket.socket(_family).close()
        _found.append("opened")
    except OSError as _error:
        _found.append(_error.strerror)
(_here / "canary").write_text("|".join(_found), "utf-8")
raise RuntimeError("seen")
"""


@LINUX
def test_a_checkpoint_s_code_opens_no_socket_and_reads_files(brings: Brings, tmp_path: Path) -> None:
    """What it raises then is one sentence, and no module of it is in this process."""
    folder = brings(CANARY.format(here=str(tmp_path)))
    with pytest.raises(CheckpointError, match=r"cannot load .*\(seen\)"):
        built(folder)
    first = (MU / "README.md").read_text("utf-8")[:1]
    found = (tmp_path / "canary").read_text("utf-8").split("|")
    assert found == [first, "Permission denied", "Permission denied", "opened"]
    assert not [name for name in sys.modules if name.startswith("transformers_modules")]
    assert not (tmp_path / "out").exists()


def test_code_that_ends_its_process_is_reported(brings: Brings) -> None:
    with pytest.raises(CheckpointError, match=r"ran the code of .* ended \(code 7\)"):
        built(brings("import os as _os\n_os._exit(7)"))


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is the system's")
def test_memory_that_runs_out_is_reported_as_such(brings: Brings, monkeypatch: pytest.MonkeyPatch) -> None:
    """While libraries are imported, which say it as an ImportError, or later."""
    monkeypatch.setattr(apart_module, "memory_limit", lambda _: 1 << 27)
    with pytest.raises(MemoryShortError, match=r"^Memory ran out: close other programs, or take a smaller checkpoint"):
        built(brings(""))


@pytest.mark.parametrize(
    "log",
    [
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
        "During handling of the above exception, another exception occurred:\n\nTraceback:\nMemoryError",
        "OpenBLAS error: Memory allocation still failed after 10 retries, giving up.",
        "OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 2\nKeyboardInterrupt",  # it interrupts itself
    ],
)
def test_memory_so_short_that_no_handler_ran_is_reported_as_such(
    brings: Brings, monkeypatch: pytest.MonkeyPatch, log: str
) -> None:
    monkeypatch.setattr(apart_module, "run_isolated", lambda *_, **__: ProcessResult("", log, "ended (code 1)"))
    with pytest.raises(MemoryShortError, match=r"^Memory ran out"):
        built(brings(""))


def test_files_that_changed_since_they_were_agreed_to_do_not_run(
    brings: Brings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the run: the hashes are held against the files once more."""
    folder = brings("")
    run = apart_module.run_isolated

    def changed(*arguments: Any, **more: Any) -> ProcessResult:
        own = folder / "configuration_mu.py"
        own.write_text(f"open({str(tmp_path / 'fired')!r}, 'w').close()\n{own.read_text('utf-8')}", "utf-8")
        return run(*arguments, **more)

    monkeypatch.setattr(apart_module, "run_isolated", changed)
    with pytest.raises(JoineryError, match=r"would run its own Python code: configuration_mu\.py"):
        built(folder)
    assert not (tmp_path / "fired").exists()


def test_what_it_is_not_kept_from_is_a_notice(brings: Brings, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the process tells it: here one that ends afterwards."""
    notice = NoticeEvent(code="open", message="It could connect.")

    def told(*_: Any, on_line: Callable[[str], None], **__: Any) -> ProcessResult:
        on_line(notice.to_line(0))
        return ProcessResult('{"error": "LayoutError", "message": "no"}', "")

    monkeypatch.setattr(apart_module, "run_isolated", told)
    seen: list[Event] = []
    with pytest.raises(LayoutError, match=r"^no$"):
        built(brings(""), seen)
    assert notice in seen


def test_errors_keep_their_kind() -> None:
    """Those that are made of a sentence; the process is a stranger's, and names what it likes."""
    for error in (LayoutError("No."), CheckpointError("No.")):
        over = error_from_dict(error_to_dict(error, "build") or {})
        assert (type(over), str(over)) == (type(error), "No.")
    assert isinstance(error_from_dict(error_to_dict(MemoryError(), "build") or {}), MemoryShortError)
    assert error_to_dict(KeyError("x"), "build") is None
    names = ("HubError", "printable", "SystemExit", "__doc__")
    assert {type(error_from_dict({"error": name})) for name in names} == {CheckpointError}


def test_lines_that_are_no_events_are_passed_over() -> None:
    seen: list[Event] = []
    hear = _event_reader(seen.append)
    for line in ("", "5", "[]", "{}", '{"event": "stage"}', "[" * 100_000, '{"evidence": []}'):
        hear(line)
        assert isinstance(_last(line), dict)
    assert seen == []
