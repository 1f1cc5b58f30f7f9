"""The order of visits, what is kept of them, and what the table makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.peers.accuracy import cut
from tests.benchmarks.peers.engines.gguf_names import gguf_name
from tests.benchmarks.peers.environments import PeerError
from tests.benchmarks.peers.rounds import Log, turns
from tests.benchmarks.peers.rows import Goal, Row
from tests.benchmarks.peers.table import Table, ratios

STEP = Row("step", "a step", "ms", "visit", (Goal(0.85, "genai"),))
AGAIN = Row("again", "again", "ms", "visit", (Goal(1.03, row="step"),))
HELD = Row("held", "memory", "GB", "visit", (Goal(0.7),), 1e9, 2)


def test_engines_take_turns_and_each_round_begins_with_another() -> None:
    made = list(turns(["a"], ["x", "y", "z"], 2, lambda name, engine: 0))
    assert made == [("a", "x"), ("a", "y"), ("a", "z"), ("a", "y"), ("a", "z"), ("a", "x")]


def test_rounds_that_were_made_are_not_made_again() -> None:
    done = {"x": 2, "y": 1}
    assert list(turns(["a"], ["x", "y"], 3, lambda name, engine: done[engine])) == [
        ("a", "y"), ("a", "x"), ("a", "y")
    ]  # fmt: skip


def test_an_engine_that_failed_meanwhile_is_not_visited_again() -> None:
    failed: set[str] = set()
    made = []
    for _, engine in turns(["a"], ["x", "y"], 2, lambda name, engine: 9 if engine in failed else 0):
        made.append(engine)
        failed.add("y")
    assert made == ["x", "x"]


def log(**rows: dict[str, list[float]]) -> Log:
    found = Log()
    for row, of in rows.items():
        for engine, samples in of.items():
            for sample in samples:
                found.add("visit", engine, {row: sample}, 0.25)
    found.add("build", "joinery", {}, -1.0)
    return found


def test_a_log_comes_back_from_its_file_and_gives_medians(tmp_path: Path) -> None:
    kept = log(step={"joinery": [30.0, 50.0, 31.0], "genai": [40.0, 42.0]})
    kept.write(tmp_path / "log.json")
    read = Log.read(tmp_path / "log.json")
    assert read == kept and read.rounds("visit", "joinery") == 3 and read.rounds("visit", "llama") == 0
    assert read.medians() == {"step": {"joinery": 31.0, "genai": 41.0}}


def test_samples_take_the_place_of_a_failure() -> None:
    kept = Log()
    kept.fail("visit", "genai", "not installed")
    kept.add("visit", "genai", {"step": 2.0}, 0.0)
    assert kept.failed == {"visit": {}}


def test_ratios_are_to_joinery() -> None:
    assert ratios({"joinery": 20.0, "genai": 30.0}) == {"joinery": 1.0, "genai": 1.5}
    assert ratios({"genai": 30.0}) == {}


def lines(kept: Log, *rows: Row) -> list[str]:
    return Table(kept, ["joinery", "genai"], ["today"], rows).markdown().splitlines()


def test_a_goal_by_a_peer_says_how_far_it_is() -> None:
    kept = log(step={"joinery": [18.0], "genai": [20.0]})
    assert "| a step | ms | 18.0 | 20.0 (×1.11) | ≤ 0.85 × onnxruntime-genai: **not reached**, 0.90 |" in lines(
        kept, STEP
    )


def test_a_goal_by_another_row_and_one_that_stands_alone() -> None:
    kept = log(step={"joinery": [20.0]}, again={"joinery": [20.4]}, held={"joinery": [0.65e9]})
    kept.fail("visit", "genai", "not installed: no wheel")
    found = lines(kept, STEP, AGAIN, HELD)
    assert "| again | ms | 20.4 | – [1] | ≤ 1.03 × a step: reached, 1.02 |" in found
    assert "| memory | GB | 0.65 | – [1] | ≤ 0.7: reached, 0.65 |" in found
    assert "1. not installed: no wheel" in found
    assert "- other processes had 25% of the cores during the visits (median; 25% at most)" in found


def test_what_was_not_measured_is_no_goal_reached() -> None:
    assert "| a step | ms | – [1] | – [1] | ≤ 0.85 × onnxruntime-genai: not measured |" in lines(Log(), STEP)


def test_a_goal_from_below() -> None:
    share = Row("share", "share", "", "visit", (Goal(0.9, least=True),), digits=2)
    assert "| share |  | 0.93 | – [1] | ≥ 0.9: reached, 0.93 |" in lines(log(share={"joinery": [0.93]}), share)


def test_texts_are_cut_to_the_positions() -> None:
    texts = [(2, [1, 2, 3, 4]), (1, [5, 6, 7, 8])]  # three positions, then four
    assert cut(texts, 5) == [(2, [1, 2, 3, 4]), (1, [5, 6])]
    with pytest.raises(PeerError, match="7 positions, and 8"):
        cut(texts, 8)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("model.embed_tokens.weight", "token_embd.weight"),
        ("model.norm.weight", "output_norm.weight"),
        ("model.layers.3.self_attn.q_norm.weight", "blk.3.attn_q_norm.weight"),
        ("model.layers.27.mlp.down_proj.weight", "blk.27.ffn_down.weight"),
        ("model.layers.0.post_attention_layernorm.weight", "blk.0.ffn_norm.weight"),
    ],
)
def test_tensors_get_the_names_of_gguf(name: str, expected: str) -> None:
    assert gguf_name(name) == expected
