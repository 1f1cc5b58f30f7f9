"""What becomes a kept run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.bundle.making import bundle
from workflows.bundle import read_bundle
from workflows.measure.history import DATABASE_FILE, RunHistory, short_digest
from workflows.measure.recording import collect_stages, record_build, record_generation
from workflows.wire.events import (
    BuildDone,
    CacheUse,
    Event,
    GenerationDone,
    SpeculationEvent,
    SpeculationUse,
    StageEvent,
    TokenEvent,
)


def test_a_build_keeps_the_time_and_memory_of_each_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that ran: what was there already took no time of its own."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    folder = bundle(tmp_path / "small")
    stages, heard = dict[str, StageEvent](), list[Event]()
    for event in (
        StageEvent(stage="export", state="started"),
        StageEvent(stage="export", state="done", seconds=2.5, peak_mib=640.0),
        StageEvent(stage="optimize", state="skipped", note="done before"),
    ):
        collect_stages(heard.append, stages)(event)
    done = BuildDone(bundle=str(folder), seconds=3.5, bytes=99, components=["decode"])
    record_build(done, stages, pytest.fail)
    (run,) = RunHistory(tmp_path / "home" / DATABASE_FILE).runs()
    assert len(heard) == 3 and run.digest == short_digest(read_bundle(folder).digest) and run.name == "small"
    assert run.figures == {
        "seconds": 3.5, "bytes": 99, "export_s": 2.5, "export_peak_mib": 640.0, "peak_mib": 640.0,
    }  # fmt: skip


@pytest.mark.parametrize("drafting", [True, False])
def test_a_generation_keeps_what_came_of_its_drafts(
    drafting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And one without drafts says nothing of them."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    token = TokenEvent(id=5, text="a", step=0, phase="prefill", latency_ms=1.0, cache_used=1, cache_capacity=8)
    look = SpeculationEvent(step=1, by="ngram", drafted=4, accepted=3, kept=4, latency_ms=2.0)
    done = GenerationDone(
        prompt_ids=[1], token_ids=[5, 5, 5, 5, 5], text="aaaaa", finish_reason="length", ttft_ms=1.0,
        decode_tokens_per_s=2.0049, prefill_tokens_per_s=3.0051, provider="cpu",
        cache=CacheUse(layout="static", used=5, bytes=9, evicted=0, capacity=8),
        speculation=SpeculationUse() + look if drafting else None,
    )  # fmt: skip
    events: list[Event] = [token, *([look] if drafting else []), done]
    assert [*record_generation(read_bundle(bundle(tmp_path / "small")), events, pytest.fail)] == events
    (run,) = RunHistory(tmp_path / "home" / DATABASE_FILE).runs()
    kept = {"drafts": "ngram", "drafted": 4, "accepted": 3, "steps": 1, "kept": 4, "accept_rate": 0.75,
            "tokens_per_step": 4.0}  # fmt: skip
    assert {name: run.figures[name] for name in kept if name in run.figures} == (kept if drafting else {})
    assert (run.figures["decode_tokens_per_s"], run.figures["prefill_tokens_per_s"]) == (2.0, 3.01)
