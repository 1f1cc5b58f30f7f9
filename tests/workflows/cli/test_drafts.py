"""Drafts on the command line: those that a bundle's file asks for, others, and none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflows.generate.speculative.asking import DRAFTED, duo
from workflows.cli import run


def test_the_persons_word_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = duo(tmp_path / "b", DRAFTED)
    prompt = ("generate", str(folder), "--prompt-ids", "3,1,4", "--max-new-tokens", "6", "--json")
    told = []
    for more in ((), ("--no-drafts",), ("--ngram",)):
        assert run([*prompt, *more]) == 0
        told.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
    assert [one["token_ids"] for one in told] == [told[0]["token_ids"]] * 3
    assert ["speculation" in one for one in told] == [True, False, True]


@pytest.mark.parametrize("more", [("--ngram", "--no-drafts"), ("--draft", "x", "--no-drafts"), ("--draft-tokens", "2")])
def test_what_goes_together_with_nothing_is_refused(
    more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = duo(tmp_path / "b", None, "")
    assert run(["generate", str(folder), "--prompt-ids", "3,1,4", *more]) == 2
    assert "drafts" in capsys.readouterr().err.lower()
