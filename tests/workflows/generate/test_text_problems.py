"""What a bundle says of text that does not hold: told by verify and inspect in one sentence each, and by the build."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from workflows.bundle import read_bundle
from workflows.bundle.manifest import write_manifest
from workflows.cli import run
from workflows.generate.text_problems import find_text_problems
from workflows.inspection.contents import check_bundle, inspect_path

Spoil = Callable[[Path], object]


def changed(name: str, change: Callable[[dict[str, Any]], object]) -> Spoil:
    def spoil(folder: Path) -> None:
        found = json.loads((folder / name).read_text("utf-8"))
        change(found)
        (folder / name).write_text(json.dumps(found), "utf-8")

    return spoil


def written(name: str, text: str) -> Spoil:
    return lambda folder: (folder / name).write_text(text, "utf-8")


def no_template_file(folder: Path) -> None:
    (folder / "tokenizer" / "chat_template.jinja").unlink()
    changed("tokenizer/tokenizer_config.json", lambda found: found.update(chat_template=5))(folder)


WORDS = "tokenizer/tokenizer.json"
REGEX = {"type": "Split", "pattern": {"Regex": "(["}, "behavior": "Isolated", "invert": False}
CASES: dict[str, tuple[Spoil, str]] = {
    "regex": (changed(WORDS, lambda found: found.update(pre_tokenizer=REGEX)), f"{WORDS} cannot be read"),
    "merge": (changed(WORDS, lambda found: found["model"]["merges"].append(["zz", "qq"])), f"{WORDS} cannot be read"),
    "none": (lambda folder: (folder / WORDS).unlink(), "The bundle has no tokenizer.json"),
    "end": (
        changed("pipeline.json", lambda found: found["tokens"].update(eos=[9999])),
        "The end token 9999 is beyond the model's ids, which go to 1,023: it is never drawn, so that no reply ends",
    ),
    "one end of two": (
        changed("pipeline.json", lambda found: found["tokens"].update(eos=[2, 9999])),
        "The end token 9999 is beyond the model's ids, which go to 1,023: it is never drawn.",
    ),
    "template": (written("tokenizer/chat_template.jinja", "{% for"), "The chat template cannot be compiled"),
    "template of another type": (
        no_template_file,
        "The chat template default in tokenizer/tokenizer_config.json is of the type int, not a text.",
    ),
    "defaults": (
        changed("tokenizer/generation_config.json", lambda found: found.update(repetition_penalty=-1)),
        "tokenizer/generation_config.json sets repetition_penalty to -1, which cannot be",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_doubt_is_told_by_all_that_look(demo_bundle: Path, tmp_path: Path, name: str) -> None:
    """Of a bundle whose files are as its manifest says."""
    spoil, expected = CASES[name]
    folder = tmp_path / "bundle"
    shutil.copytree(demo_bundle, folder)
    spoil(folder)
    write_manifest(folder)
    (doubt,) = find_text_problems(read_bundle(folder))
    assert doubt.startswith(expected) and doubt.endswith(".") and "\n" not in doubt
    verified, inspected = check_bundle(folder), inspect_path(folder)
    assert verified.ok and verified.doubts == [doubt] == inspected.doubts
    assert inspected.metadata["warnings"] == doubt  # what the window lists


def test_verify_prints_each_on_stderr(demo_bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "bundle"
    shutil.copytree(demo_bundle, folder)
    CASES["defaults"][0](folder)
    write_manifest(folder)
    assert run(["verify", str(folder)]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith(f"joinery: {CASES['defaults'][1]}") and "all as they were built" in printed.out


def test_a_good_bundle_has_none(demo_bundle: Path) -> None:
    """Nor does inspect list any."""
    assert list(find_text_problems(read_bundle(demo_bundle))) == []
    assert "warnings" not in inspect_path(demo_bundle).metadata


def test_a_tokenizer_of_more_words_than_the_model_has(demo_bundle: Path, tmp_path: Path) -> None:
    """Words that were added, and come after all that the tokenizer was trained to."""
    folder = tmp_path / "bundle"
    shutil.copytree(demo_bundle, folder)
    path = folder / WORDS
    tokenizer = Tokenizer.from_str(path.read_text("utf-8"))
    tokenizer.add_tokens([f"added {number}" for number in range(2000)])
    path.write_text(tokenizer.to_str(), "utf-8")
    write_manifest(folder)
    (doubt,) = find_text_problems(read_bundle(folder))
    assert doubt == (
        "The tokenizer knows added 0 (id 1024) and 1,999 more, and the model's ids go to 1,023: a text with such a "
        "token is refused."
    )
