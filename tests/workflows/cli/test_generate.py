"""`joinery generate` and `joinery chat` with drafts: which are taken, and what is printed of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflows.generate.speculative.asking import DRAFTED, duo
from workflows.cli import run as run_command
from workflows.cli.generate import draft_summary, print_generation
from workflows.wire.events import (
    CacheUse,
    Event,
    GenerationDone,
    SpeculationEvent,
    SpeculationUse,
    TokenEvent,
)


def generation(use: SpeculationUse | None) -> list[Event]:
    """A token, a run where there are drafts, and the end."""
    place = {"cache_used": 3, "cache_capacity": 8}
    token = TokenEvent(id=5, text="56", step=1, phase="decode", latency_ms=1.0, drafted=use is not None, **place)
    run = SpeculationEvent(step=1, by="ngram", drafted=4, accepted=1, kept=1, latency_ms=2.0)
    done = GenerationDone(
        prompt_ids=[1], token_ids=[4, 5], text="56", finish_reason="stop", ttft_ms=1.0, decode_tokens_per_s=2.0,
        prefill_tokens_per_s=3.0, provider="cpu", speculation=use,
        cache=CacheUse(layout="static", used=3, bytes=9, evicted=0, capacity=8),
    )  # fmt: skip
    return [token, *([run] if use else []), done]


def test_json_lines_gain_a_run_and_change_in_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    print_generation(iter(generation(None)), as_json=True)
    plain = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    print_generation(iter(generation(SpeculationUse(drafted=4, accepted=1, steps=1, kept=1))), as_json=True)
    token, run, done = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["event"] for line in plain] == ["token", "done"] and token == plain[0]
    assert run == {"event": "speculation", "step": 1, "by": "ngram", "drafted": 4, "accepted": 1, "kept": 1,
                   "latency_ms": 2.0}  # fmt: skip
    assert done.pop("speculation") == {"drafted": 4, "accepted": 1, "steps": 1} and done == plain[1]


def test_the_last_line_has_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """On stderr, so that stdout is the text alone; nothing where nothing was drafted for."""
    print_generation(iter(generation(SpeculationUse(drafted=1200, accepted=600, steps=250, kept=850))), as_json=False)
    shown = capsys.readouterr()
    said = "joinery: 600 of 1,200 drafted tokens accepted (50.0%), 3.40 tokens per step.\n"
    assert (shown.out, shown.err) == ("56\n", said)
    for use in (None, SpeculationUse()):
        print_generation(iter(generation(use)), as_json=False)
        assert capsys.readouterr().err == ""
    assert draft_summary(SpeculationUse(steps=3, kept=3)) == "no token was drafted in 3 steps"


def test_the_persons_word_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = duo(tmp_path / "b", DRAFTED)
    prompt = ("generate", str(folder), "--prompt-ids", "3,1,4", "--max-new-tokens", "6", "--json")
    told = []
    for more in ((), ("--no-drafts",), ("--ngram",)):
        assert run_command([*prompt, *more]) == 0
        told.append(json.loads(capsys.readouterr().out.splitlines()[-1]))
    assert [one["token_ids"] for one in told] == [told[0]["token_ids"]] * 3
    assert ["speculation" in one for one in told] == [True, False, True]


@pytest.mark.parametrize("more", [("--ngram", "--no-drafts"), ("--draft", "x", "--no-drafts"), ("--draft-tokens", "2")])
def test_what_goes_together_with_nothing_is_refused(
    more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = duo(tmp_path / "b", None, "")
    assert run_command(["generate", str(folder), "--prompt-ids", "3,1,4", *more]) == 2
    assert "drafts" in capsys.readouterr().err.lower()
