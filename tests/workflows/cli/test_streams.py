"""The standard streams: what a terminal is shown, and commands whose streams are closed, full or cut off."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table
from rich.tree import Tree

from tests.workflows.command_line import command
from workflows.bundle.manifest import write_manifest
from workflows.cli.commands import COMMANDS
from workflows.cli.streams import escape_controls

CLI = Path(__file__).parents[3] / "workflows" / "cli"
HOSTILE = "\x1b]0;OWNED\x07\x9b31m\u202e\x7f\r[/bold]"
SHOWN = r"\u001b]0;OWNED\u0007\u009b31m\u202e\u007f\u000d[/bold]"
# What rich itself sends holds none of these: it styles, moves the cursor and hides it.
FORBIDDEN = ("\x1b]", "\x07", "\x9b", "\u202e", "\x7f")


def on_terminal(*arguments: object, stdin: str = "", timeout: float = 120) -> tuple[int, str]:
    """The exit code, and what a terminal was sent: standard output and standard error."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 400, 0, 0))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # as it was written: no carriage return of the terminal's own
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    environment = os.environ | {"TERM": "xterm-256color"}
    with subprocess.Popen(
        command(*arguments), stdin=subprocess.PIPE, stdout=slave, stderr=slave, env=environment
    ) as running:
        os.close(slave)
        assert running.stdin is not None
        running.stdin.write(stdin.encode())
        running.stdin.close()
        sent = b""
        try:
            while data := os.read(master, 65536):
                sent += data
        except OSError:  # Linux's word for the other end's close
            pass
        os.close(master)
        return running.wait(timeout), sent.decode("utf-8", "replace")


# ---- control characters ----------------------------------------------------------------------------------------------


def test_every_control_character_is_visible_and_text_is_left_alone() -> None:
    """C0, DEL, C1 and the controls of direction; what is shown is JSON's escape of the same character."""
    controls = [chr(code) for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"]
    controls += list("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
    for control in controls:
        assert escape_controls(f"a{control}b") == f"a\\u{ord(control):04x}b"
        assert json.loads(f'"{escape_controls(control)}"') == control
    text = "a\tb\nc é 漢 👩\u200d🔬 ‚…’"
    assert escape_controls(text) == text
    assert escape_controls(HOSTILE) == SHOWN


@pytest.fixture(scope="module")
def hostile(demo_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's bundle whose reply to 8*7= is ESC and a C1 control in two tokens, under a hostile name and folder."""
    folder = tmp_path_factory.mktemp("hostile") / f"b{HOSTILE.replace('/', '')}"
    shutil.copytree(demo_bundle, folder)
    file = folder / "tokenizer" / "tokenizer.json"
    tokenizer = json.loads(file.read_text("utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    for token, byte in zip(("Ġ", "5", "6"), (0x1B, 0xC2, 0x9B), strict=True):
        control = _written(byte)
        vocabulary[token], vocabulary[control] = vocabulary[control], vocabulary[token]
    file.write_text(json.dumps(tokenizer), "utf-8")
    pipeline = json.loads((folder / "pipeline.json").read_text("utf-8"))
    pipeline["metadata"]["name"] = HOSTILE
    (folder / "pipeline.json").write_text(json.dumps(pipeline), "utf-8")
    write_manifest(folder)
    return folder


def _written(byte: int) -> str:
    """The letter that stands for a byte in a byte-level vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return chr(byte) if byte in plain else chr(256 + [one for one in range(256) if one not in plain].index(byte))


def graph_file(path: Path) -> Path:
    """A graph whose inputs, node and domain have hostile names."""
    import onnx
    from onnx import helper

    value = helper.make_tensor_value_info(HOSTILE, onnx.TensorProto.FLOAT, ["n"])
    result = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n"])
    nodes = [helper.make_node("Relu", [HOSTILE], ["h"], name=HOSTILE),
             helper.make_node("Own", ["h"], ["y"], name="own", domain=HOSTILE)]  # fmt: skip
    graph = helper.make_graph(nodes, HOSTILE, [value], [result])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(HOSTILE, 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets), path)
    return path


PROMPT = ("--prompt", "8*7=", "--max-new-tokens", 3)
LINES: dict[str, tuple[Any, ...]] = {
    "generate": ("generate", "BUNDLE", *PROMPT),
    "generate json": ("generate", "BUNDLE", *PROMPT, "--json"),
    "chat": ("chat", "BUNDLE", "--max-new-tokens", 12),
    "inspect": ("inspect", "BUNDLE"),
    "inspect json": ("inspect", "BUNDLE", "--json"),
    "inspect graph": ("inspect", "GRAPH"),
    "diff": ("inspect", "--diff", "BUNDLE", "GRAPH"),
    "stage": ("inspect", "BUNDLE", "--stage", "export"),
    "verify": ("verify", "BUNDLE"),
    "bench": ("bench", "BUNDLE", "--prompt-tokens", 4, "--new-tokens", 2, "--repeats", 1),
    "runs": ("runs", "list"),
    "export": ("export-genai", "BUNDLE", "--out", "OUT"),
    "report": ("report", "BUNDLE", "--out", "OUT.html"),
    "build": ("build", "demo:qwen3", "--out", "OUT"),
}  # fmt: skip


NAMED = {"inspect", "inspect graph", "diff", "export", "report", "build"}


@pytest.mark.parametrize("line", [pytest.param(one, marks=[pytest.mark.slow] * (one == "build")) for one in LINES])
def test_a_terminal_is_shown_no_control(hostile: Path, tmp_path: Path, line: str) -> None:
    """Names of folders, bundles, nodes and tensors, and a reply whose C1 control is spread over two tokens."""
    places = {"BUNDLE": hostile, "GRAPH": graph_file(tmp_path / "g.onnx")}
    places |= {f"OUT{end}": tmp_path / f"{HOSTILE.replace('/', '')}{end}" for end in ("", ".html", ".gguf")}
    _, sent = on_terminal(*(places.get(word, word) for word in LINES[line]), stdin="8*7=\n")
    assert not [control for control in FORBIDDEN if control in sent], ascii(sent)
    assert "a fault of Joinery" not in sent and "Traceback" not in sent, sent
    if "generate" in line or line == "chat":
        assert r"\u001b" in sent and r"\u009b" in sent, ascii(sent)
    elif line in NAMED:
        assert r"\u001b]0;OWNED" in sent, ascii(sent)  # rich drops a bell and a carriage return of styled text


OUT = ("--out", "OUT")
WITH: dict[str, tuple[str, ...]] = {
    "build": OUT, "assemble": OUT, "report": ("--out", "OUT.html"), "import": OUT, "export-genai": OUT,
    "export-gguf": ("--out", "OUT.gguf"), "sweep": OUT, "samples": OUT,
    "generate": ("--prompt", "a"), "eval": ("--against", "B"), "diverge": ("B", "--prompt", "a"),
    "preflight": ("--provider", "cpu"), "compile": ("--provider", "qnn"),
    "embed": ("--text", "a"), "classify": ("--text", "a"), "depth": ("--picture", "p.png"),
    "rank": ("--query", "q", "--text", "a"),
}  # fmt: skip
"""What a command wants beside its first word, before it looks at that."""


@pytest.mark.parametrize("name", COMMANDS)
def test_errors_of_every_command_show_no_control(name: str, tmp_path: Path) -> None:
    """A word that is no path, no option and no command is named, and moves no cursor."""
    needed = (str(tmp_path / word) if word.startswith("OUT") else word for word in WITH.get(name, ()))
    for arguments in ((name, HOSTILE, *needed), (name, f"--{HOSTILE}")):
        code, sent = on_terminal(*arguments)
        assert code in (1, 2) and not [one for one in FORBIDDEN if one in sent], ascii(sent)
        assert "joinery: " in sent and "OWNED" in sent and "a fault of Joinery" not in sent, sent


def test_a_pipe_is_sent_the_reply_as_it_is(hostile: Path) -> None:
    done = subprocess.run(command("generate", hostile, *PROMPT), capture_output=True, timeout=120, check=False)
    assert done.returncode == 0 and b"\x1b\xc2\x9b" in done.stdout


def test_tables_and_trees_are_as_wide_as_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through rich: measured after the controls are visible, and its own styles pass."""
    import io

    from workflows.cli.console import Console

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    table = Table(HOSTILE, title=HOSTILE)
    table.add_row(HOSTILE, style="bold")
    tree = Tree(HOSTILE)
    tree.add(HOSTILE)
    Console().print(table, tree, HOSTILE, ":warning: [bold]", highlight=False)
    text = shown.getvalue()
    assert text.count(SHOWN) == 6 and ":warning: [bold]" in text
    assert "\x1b[1m" in text and not [one for one in FORBIDDEN if one in text]


def test_everything_is_written_through_the_streams() -> None:
    """No command reaches for rich's own console, typer's echo or a bare print, which know no terminal's dangers."""
    for path in sorted(CLI.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert called not in ("typer.echo", "typer.secho", "print", "rich.print"), f"{path.name}:{node.lineno}"
            if path.name != "console.py" and isinstance(node, ast.ImportFrom | ast.Import):
                assert "rich.console" not in ast.unparse(node), f"{path.name}:{node.lineno}"


# ---- closed, full and cut off --------------------------------------------------------------------------------

QUICK = (("--help",), ("--version",), ("--show-completion", "bash"), ("runs", "list"), ("runs", "list", "--json"),
         ("cache", "list"), ("plugins", "list"))  # fmt: skip
BROKEN = (
    ">&-",
    ">/dev/full",
    "</dev/null >/dev/full",
    ">&- <&-",
    "2>&-",
    "2>/dev/full",
    ">/dev/full 2>/dev/full",
    "| true",
)
ENGINE = (("generate", "BUNDLE", *PROMPT), ("generate", "BUNDLE", *PROMPT, "--json"), ("chat", "BUNDLE"),
          ("inspect", "BUNDLE"), ("inspect", "BUNDLE", "--json"), ("verify", "BUNDLE"), ("verify", "BUNDLE", "--json"),
          ("devices",), ("devices", "--json"), ("preflight", "BUNDLE", "--provider", "cpu"),
          ("profile", "BUNDLE"), ("bench", "BUNDLE", "--repeats", 1, "--new-tokens", 2))  # fmt: skip


def shell(redirections: str, *arguments: object, stdin: str = "8*7=\n") -> subprocess.CompletedProcess[str]:
    """Runs a command with a shell's redirections."""
    line = ["/bin/sh", "-c", f'"$@" {redirections}', "sh", *command(*arguments)]
    return subprocess.run(line, input=stdin, capture_output=True, encoding="utf-8", timeout=120, check=False)


def check_streams(arguments: tuple[Any, ...], redirections: Sequence[str] = BROKEN) -> None:
    """Exit 1 for standard output; without standard error the command does its work; a closed pipe ends quietly."""
    plain = shell("", *arguments)
    for redirection in redirections:
        done = shell(redirection, *arguments)
        if arguments[0] == "chat" and "--help" not in arguments and redirection.startswith("<"):
            # without a line a chat prints nothing
            assert (done.returncode, done.stderr) == (0, ""), done
        elif redirection == "| true":
            assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr, done
        elif redirection.startswith("2"):
            assert done.returncode == plain.returncode and bool(done.stdout) == bool(plain.stdout), (redirection, done)
        elif "2>" in redirection:
            assert done.returncode == 1, done
        else:
            assert done.returncode == 1, (redirection, done)
            [told] = done.stderr.splitlines()
            assert told.startswith("joinery: Standard output "), told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system without /dev/full")
@pytest.mark.parametrize("arguments", QUICK, ids=" ".join)
def test_a_stream_that_cannot_be_written_is_reported_in_a_sentence(arguments: tuple[str, ...]) -> None:
    check_streams(arguments)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system without /dev/full")
@pytest.mark.parametrize(("place", "name"), [*enumerate(COMMANDS)])
def test_so_it_is_with_the_help_of_each_command(place: int, name: str) -> None:
    """Which all take the way of --help: each meets two of the broken streams, in turn."""
    check_streams((name, "--help"), (BROKEN[place % 8], BROKEN[(place + 4) % 8]))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system without /dev/full")
@pytest.mark.parametrize("line", ENGINE, ids=lambda line: " ".join(map(str, line)))
def test_so_it_is_where_a_model_runs(line: tuple[Any, ...], demo_bundle: Path) -> None:
    check_streams(tuple(demo_bundle if word == "BUNDLE" else word for word in line))


def test_a_closed_standard_input_is_empty(demo_bundle: Path) -> None:
    """A chat without a line ends at once."""
    done = shell("<&-", "chat", demo_bundle)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_stream_is_cut_off_quietly(demo_bundle: Path) -> None:
    """The first token is read and the reader goes: no traceback, and nothing of the exit's own flush."""
    done = shell("| head -1", "generate", demo_bundle, *PROMPT, "--json")
    assert json.loads(done.stdout)["event"] == "token" and done.stderr == ""
