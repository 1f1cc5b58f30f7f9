"""Every command of the documentation exists with its options; those of the guides are run as they stand."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.workflows.checkpoint.gguf.converting import write_model
from workflows.cli import app

ROOT = Path(__file__).parents[2]
DOCS, DEMOS = ROOT / "resources" / "docs", ROOT / "resources" / "demos"
NOT_RUN = {
    "joinery devices --install qnn": "a download",
    "joinery preflight npu --provider qnn": "a device",
    "joinery compile npu --provider qnn": "a device",
    "joinery bench npu --provider qnn --provider cpu": "a device",
    "joinery remote add board ssh://ann@board.lan": "another machine",
    "joinery remote check board": "another machine",
    'joinery generate demo --prompt "8*7=" --on board': "another machine",
    'joinery diverge demo demo --prompt "8*7=" --on local --on board': "another machine",
    "joinery chat mine": "the guide's file has a chat template, the test's has none",
}
"""Command of a guide → what it needs that the test has not."""


def commands_in(page: Path) -> Iterator[str]:
    """The command lines of a page's code blocks, without their comments."""
    for line in re.findall(r"^ {4}(?:A\$ )?(joinery .*)$", page.read_text("utf-8"), re.MULTILINE):
        yield re.split(r" +# ", line)[0].strip()


PAGES = [path for path in sorted(DOCS.glob("*.md")) if not path.name.startswith("reference-")]
LINES = [(path.name, line) for path in PAGES for line in commands_in(path)]
GUIDES = [path for path in PAGES if path.name.startswith("guide-")]


def test_the_documentation_has_commands_and_six_guides() -> None:
    assert len(LINES) > 100 and len(GUIDES) == 6
    in_guides = {line for path in GUIDES for line in commands_in(path)}
    assert NOT_RUN.keys() <= in_guides, "a command that no guide has any more"


@pytest.mark.parametrize(("page", "line"), LINES)
def test_a_documented_command_has_its_options(page: str, line: str) -> None:
    """Parsed by the command line itself, which refuses an option or a command that it does not know."""
    words = [word for word in shlex.split(line)[1:] if word not in ("…", "...")]
    if any(word in ("|", "&&", ">", "<") for word in words):
        words = words[: min(words.index(word) for word in ("|", "&&", ">", "<") if word in words)]
    group: Any = typer.main.get_group(app)
    while words and hasattr(group := getattr(group, "loaded", group), "commands") and not words[0].startswith("-"):
        assert words[0] in group.commands, (page, line)
        group, words = group.commands[words[0]], words[1:]
    group = getattr(group, "loaded", group)
    known = {name for param in group.params for name in (*param.opts, *param.secondary_opts)} | {"--help"}
    asked = {word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z][a-z0-9-]*(=.*)?", word)}
    assert asked <= known, (page, line, asked - known)


@pytest.mark.slow
@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_the_commands_of_a_guide_run(
    guide: Path, tmp_path: Path, cli: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their order, in a folder with the files that the guide speaks of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    text = guide.read_text("utf-8")
    if "model.gguf" in text:
        (tmp_path / "gguf").mkdir()
        write_model(tmp_path / "gguf", "llama")[0].rename(tmp_path / "model.gguf")
    shutil.copy(DEMOS / "vision-pictures" / "2-four-black-squares.png", tmp_path / "picture.png")
    shutil.copy(DEMOS / "whisper-clips" / "en-nine.wav", tmp_path / "talk.wav")
    if "sources = " in text:
        plan = text[text.index("    sources = ") : text.index("Then:")]
        (tmp_path / "plan.toml").write_text(re.sub(r"^ {4}", "", plan, flags=re.MULTILINE), "utf-8")
    for line in commands_in(guide):
        if line not in NOT_RUN:
            code, out, err = cli(*shlex.split(line)[1:])
            assert code == 0, (line, out[-500:], err)
