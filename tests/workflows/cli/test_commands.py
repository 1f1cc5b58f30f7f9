"""The list of commands: each is there, and none is imported before it is called."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from workflows.cli import app
from workflows.cli.commands import COMMANDS, Later

HEAVY = {"numpy", "pydantic", "rich", "onnxruntime", "tokenizers", "jinja2", "sqlite3"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_called(name: str) -> None:
    later = typer.main.get_group(app).commands[name]
    assert isinstance(later, Later) and later.loaded.name == name
    assert later.loaded.help and later.get_short_help_str(64) == COMMANDS[name][1]


@pytest.mark.parametrize(("line", "code"), [("--help", 0), ("--version", 0), ("bild", 2)])
def test_what_the_list_imports(line: str, code: int) -> None:
    """A quarter of a second is what typer and Python take: nothing else is loaded for a word that calls nothing."""
    tell = (
        f"import sys; from workflows.cli import run; code = run([{line!r}]); "
        "print(*(name for name in sys.modules if name.startswith('workflows')), "
        "*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=False)
    assert done.returncode == code
    loaded = set(done.stderr.splitlines()[-1].split())
    assert HEAVY & loaded <= ({"pydantic"} if code else set())  # typer itself checks a word with it
    own = {name for name in loaded if name.startswith("workflows.")}
    assert own <= {f"workflows.{name}" for name in (
        "cli", "cli.commands", "cli.completion", "errors", "paths", "processes",
    )}  # fmt: skip
