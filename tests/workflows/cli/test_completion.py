"""Shell completion, asked as the shells' scripts ask it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.workflows.command_line import joinery
from workflows.kvcache.layouts import LAYOUTS
from workflows.recipe.precision import PRECISIONS
from workflows.runtime.providers.registry import PROVIDERS


def complete(line: str, home: Path) -> list[str]:
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    asked = {"_JOINERY_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = joinery(env=os.environ | asked | {"JOINERY_HOME": str(home)})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("joinery ge", ["generate"]),
        ("joinery chat B --pro", ["--provider"]),
        ("joinery chat B --provider ", sorted(PROVIDERS)),
        ("joinery generate B --cache ", sorted(LAYOUTS)),
        ("joinery build --precision int", sorted(name for name in PRECISIONS if name.startswith("int"))),
        (
            "joinery build demo:",
            ["demo:mu", "demo:qwen3", "demo:qwen3-draft", "demo:qwen3_5", "demo:t5", "demo:vision", "demo:whisper"],
        ),
        ("joinery runs ex", ["export"]),
    ],
)
def test_words(tmp_path: Path, line: str, offered: list[str]) -> None:
    assert complete(line, tmp_path) == offered


def test_bundles_are_offered_whole_and_folders_to_go_on_from(tmp_path: Path) -> None:
    """Those of the person's own folder by nothing but Tab."""
    kept, here = tmp_path / "home" / "bundles" / "kept", tmp_path / "here"
    for bundle in (kept, here / "whole"):
        bundle.mkdir(parents=True)
        (bundle / "pipeline.json").write_text("{}")
    (here / "other").mkdir()
    (here / ".hidden").mkdir()
    (here / "file.txt").write_text("")
    assert complete(f"joinery chat {here}/", tmp_path / "home") == [f"{here}/other/", f"{here}/whole"]
    assert str(kept) in complete("joinery verify ", tmp_path / "home")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell: str) -> None:
    """It is what the shell itself takes, where the shell is here to be asked."""
    done = joinery("--show-completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "joinery" in done.stdout and "_JOINERY_COMPLETE" in done.stdout
    if program := shutil.which(shell):
        checked = subprocess.run([program, "-n"], input=done.stdout, capture_output=True, encoding="utf-8")
        assert checked.returncode == 0, checked.stderr


def test_installing_for_a_shell(tmp_path: Path) -> None:
    """Into the person's folder, and it says where."""
    done = joinery("--install-completion", "fish", env=os.environ | {"HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    script = tmp_path / ".config" / "fish" / "completions" / "joinery.fish"
    assert str(script) in done.stdout and "_JOINERY_COMPLETE" in script.read_text()
    refused = joinery("--show-completion", "tcsh")
    assert refused.returncode == 2 and "tcsh" in refused.stderr and refused.stderr.count("\n") == 1
