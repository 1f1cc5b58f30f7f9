"""Memory that runs out is told as such, in whatever words a library says it, and with what would need less."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from workflows.common.errors import (
    BundleError,
    CheckpointError,
    GraphError,
    JoineryError,
    MemoryShortError,
    PromptError,
    RecipeError,
    RemoteError,
    error_from_dict,
    error_of_kind,
    is_out_of_memory,
    names_out_of_memory,
    out_of_memory_message,
    printable,
)

SHORT = [
    MemoryError(),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    RuntimeError("[enforce fail at alloc_cpu.cpp:130] DefaultCPUAllocator: can't allocate memory: you tried 9 bytes."),
    RuntimeError("Failed to allocate memory for requested buffer of size 1073741824"),
    RuntimeError("std::bad_alloc"),
    RuntimeError("bad allocation"),
    ImportError("libtorch_cpu.so: failed to map segment from shared object"),
    ImportError("libx.so: cannot allocate memory"),
    ImportError("libtorch_cpu.so: cannot map zero-fill pages"),
    SystemError("error return without exception set"),
    SystemError("<function _find_and_load at 0x7f02a6237ce0> returned NULL without setting an exception"),
    SyntaxError("expected ':'", (json.__file__, 7, 1, "def loads(", 7, 2)),
    GraphError("onnxruntime cannot open decoder.onnx: std::bad_alloc"),
]
OTHER = [
    ImportError("libgomp.so.1: cannot allocate memory in static TLS block"),
    OSError(errno.ENOSPC, "No space left on device"),
    ValueError("out of memory is what this file is called"),
    RuntimeError("shapes do not match"),
    KeyError("memory"),
    SystemError("bad call flags"),
    SyntaxError("invalid syntax", ("/nowhere/modeling_own.py", 7, 1, "def", 7, 2)),
    SyntaxError("invalid syntax"),
]


@pytest.mark.parametrize("error", SHORT, ids=repr)
def test_it_is_known_in_the_words_of_each(error: Exception) -> None:
    assert is_out_of_memory(error)


def test_installed_code_that_is_called_wrong_and_is_not(tmp_path: Path) -> None:
    """As CPython's parser said with a limit on memory; a checkpoint's own code may be wrong."""
    log = (
        "Traceback (most recent call last):\n  File \"{}\", line 7\n    def f(s):\n    ^^^\nSyntaxError: expected ':'\n"
    )
    assert names_out_of_memory(log.format(json.__file__))
    wrong, right = tmp_path / "modeling_wrong.py", tmp_path / "modeling_right.py"
    wrong.write_text("def", "utf-8")
    right.write_text("x = 1", "utf-8")
    assert not names_out_of_memory(log.format(wrong)) and not names_out_of_memory(log.format(right))


@pytest.mark.parametrize(
    ("file", "short"), [("<frozen importlib._bootstrap>", True), ("/x/configuration_own.py", False)]
)
def test_a_node_that_the_parser_could_not_make(file: str, short: bool) -> None:
    """CPython's parser says so of a module that it imports; a program may say it of its own fields."""
    code = compile("""raise ValueError("field 'target' is required for AnnAssign")""", file, "exec")
    with pytest.raises(ValueError) as raised:
        exec(code)
    assert is_out_of_memory(raised.value) is short


@pytest.mark.parametrize("error", OTHER, ids=repr)
def test_other_failures_are_not_taken_for_it(error: Exception) -> None:
    assert not is_out_of_memory(error)


@pytest.mark.parametrize("told", ["from error", "from None", ""])
def test_it_is_known_behind_another_error(told: str) -> None:
    """As load_model says what transformers raised."""
    scope = {"CheckpointError": CheckpointError}
    code = "try:\n    raise MemoryError\nexcept MemoryError as error:\n    raise CheckpointError('cannot load') " + told
    with pytest.raises(CheckpointError) as raised:
        exec(code, scope)
    assert is_out_of_memory(raised.value)


def test_what_needs_less_is_that_of_the_job() -> None:
    assert "smaller checkpoint" in out_of_memory_message("build")
    assert "smaller capacity" in out_of_memory_message("generate") and "smaller capacity" in out_of_memory_message(
        "open"
    )


def test_a_sentence_with_numbers_stays() -> None:
    short = MemoryShortError(
        "The bundle has weights of 30.0 GB that must be in memory, and at most 20.0 GB can be freed."
    )
    assert out_of_memory_message("eval", short) == str(short)
    with pytest.raises(JoineryError) as raised:
        try:
            raise short
        except MemoryShortError as error:
            raise JoineryError("the graphs do not run") from error
    assert out_of_memory_message("eval", raised.value) == str(short)
    assert out_of_memory_message("eval", MemoryError()) == out_of_memory_message("eval")


LIMIT = """
import resource, psutil, onnxruntime, tokenizers, workflows.generate, workflows.measure.recording
most = psutil.Process().memory_info().data + {0}
resource.setrlimit(resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))
"""
"""So much is left once the libraries are there: OpenBLAS, which numpy brings, ends a process that has too little."""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit that stands for a small machine is Linux's")
@pytest.mark.parametrize("limit", [2 << 20, 4 << 20, 12 << 20])
def test_a_command_that_has_too_little_is_reported(demo_bundle: Path, limit: int) -> None:
    """Wherever it meets the limit: it is no fault of Joinery, and no traceback."""
    code = LIMIT.format(limit) + "import sys\nfrom workflows.cli import run\nsys.exit(run(sys.argv[1:]))"
    command = ["generate", str(demo_bundle), "--prompt", "8*7="]
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *command], capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (1, f"joinery: {out_of_memory_message('generate')}\n")


@pytest.mark.skipif(sys.platform != "linux", reason="the limit that stands for a small machine is Linux's")
def test_a_worker_that_has_too_little_is_reported(demo_bundle: Path) -> None:
    code = LIMIT.format(14 << 20) + "from workflows.service.worker import main\nmain()"
    command = [sys.executable, "-P", "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as worker:
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(json.dumps({"id": 1, "job": "open", "bundle": str(demo_bundle)}) + "\n")
        worker.stdin.flush()
        greeting, error = (json.loads(worker.stdout.readline()) for _ in range(2))
        worker.stdin.close()
    assert greeting["event"] == "hello"
    assert (error["event"], error["kind"], error["message"]) == ("error", "memory", out_of_memory_message("open"))


def test_a_message_of_another_process_is_cut_at_600_characters() -> None:
    error = error_from_dict({"error": "BundleError", "message": "a" * 601})
    assert isinstance(error, BundleError) and str(error) == printable("a" * 601, 600) != "a" * 601
    assert str(error_from_dict({"error": "BundleError", "message": "a" * 600})) == "a" * 600


def test_an_error_is_made_of_its_kind() -> None:
    """Of the first class that has it; the default stands for classes with more than a message, and for others."""
    made = {kind: type(error_of_kind(kind, "x", RemoteError)) for kind in ("prompt", "recipe", "memory", "hub", "odd")}
    assert made == {
        "prompt": PromptError,
        "recipe": RecipeError,
        "memory": MemoryShortError,
        "hub": RemoteError,
        "odd": RemoteError,
    }
    assert type(error_from_dict({"error": "HubError", "message": "x"}, RemoteError)) is RemoteError


def test_spaces_of_a_locale_are_plain_spaces_and_controls_are_marked() -> None:
    assert printable("11/25/26, 2:11\u202fPM · 4\xa0096") == "11/25/26, 2:11 PM · 4 096"
    assert printable("a\x1b[2J\nb") == "a�[2J�b"
