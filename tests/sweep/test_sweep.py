"""The sweep and the fuzz as tests: a shard each, their time bounded; the whole of it is a command (see the package)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sweep.adjust import VARIANTS
from tests.sweep.case import Verdict, decoder_case
from tests.sweep.fuzz import FAMILIES, fuzz, random_values
from tests.sweep.run import decoders, read, run, shard_of
from tests.sweep.table import document, fuzz_section
from tests.sweep.tiny import HEAD_SIZES, WINDOW, tiny_config

SHARDS, MINUTES = 8, 4.0
_RIGHT = ("equal", "refused", "no config")


def _others(verdicts: list[Verdict]) -> list[Verdict]:
    return [one for one in verdicts if one.kind not in _RIGHT or (one.kind == "refused" and not _sentence(one.note))]


def _sentence(note: str) -> bool:
    """Whether it is one, on one line and no traceback; a random config's values, which replay it, stand behind it."""
    text = note.partition(" {")[0]
    return text.endswith(".") and "\n" not in text and "Traceback" not in text


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("shard", range(1, SHARDS + 1))
def test_every_causal_lm_is_equal_or_refused_at_its_seam(shard: int) -> None:
    """Every config class of transformers, by PyTorch alone; nothing is wrong, nothing raises anything else."""
    verdicts = run(shard_of(decoders(graphs=False), f"{shard}/{SHARDS}"), MINUTES)
    assert len(verdicts) >= 5
    assert _others(verdicts) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("head", [HEAD_SIZES[0], HEAD_SIZES[1]])
def test_causal_lms_are_equal_or_refused_as_graphs(head: int) -> None:
    """Real builds of one part of them, JOINERY_SWEEP_SHARD (from 1), with the default cache, as the time allows.

    Heads that GroupQueryAttention takes, and that it does not take.
    """
    number = os.environ.get("JOINERY_SWEEP_SHARD", "1")
    verdicts = run(shard_of(decoders(head=head), f"{number}/{SHARDS}"), MINUTES / 8)
    assert verdicts
    assert _others(verdicts) == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("family", FAMILIES)
def test_random_configs_are_equal_or_refused(family: str) -> None:
    """Heads, windows, rope scalings, caps and multipliers in any mixture; the note of a failure replays it.

    Four of each: CI has 90 minutes, and `python -m tests.sweep` runs as many as one likes.
    """
    verdicts = run(fuzz([family], 4), MINUTES)
    assert len(verdicts) >= 2
    assert _others(verdicts) == []
    assert any(one.kind == "equal" for one in verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["phimoe", "qwen2_moe"])
def test_a_window_in_the_mask_alone_is_in_the_graph(model_type: str) -> None:
    """Found by the sweep: one of five lengths was right."""
    from transformers import CONFIG_MAPPING

    config = tiny_config(CONFIG_MAPPING[model_type])
    assert config.sliding_window == WINDOW
    assert decoder_case(model_type, config).kind == "equal"


@pytest.mark.slow
def test_layers_that_read_anothers_keys_are_in_the_graph() -> None:
    """GroupQueryAttention reads the buffer that another layer of the graph has written."""
    from transformers import CONFIG_MAPPING

    of, changes = VARIANTS["gemma4_text (shared keys)"]
    assert decoder_case(of, tiny_config(CONFIG_MAPPING[of], changes), {"cache": "gqa"}).kind == "equal"


def test_there_are_enough_and_each_is_in_one_shard() -> None:
    """At least 150 config classes, as transformers 5.23 registers them."""
    cases = decoders()
    shards = [set(shard_of(cases, f"{number}/{SHARDS}")) for number in range(1, SHARDS + 1)]
    assert len(cases) >= 150 and set().union(*shards) == set(cases)
    assert sum(len(shard) for shard in shards) == len(cases)


def test_a_random_config_is_replayed_by_its_number() -> None:
    """And another number gives another."""
    assert random_values("qwen2", 3) == random_values("qwen2", 3) != random_values("qwen2", 4)


def test_verdicts_are_kept_and_tabled(tmp_path: Path) -> None:
    """What stands in the file is not run again; the page counts every kind and names what was not reached."""
    file, ran = tmp_path / "F", list[str]()

    def case(name: str) -> Verdict:
        ran.append(name)
        return Verdict(name, "refused", "Because | so.")

    run({"a": lambda: case("a")}, 1, file)
    run({"a": lambda: case("a"), "b": lambda: case("b")}, 1, file)
    assert ran == ["a", "b"]
    page = document(["a", "b", "c"], {"graphs, 10": read(file), "seam": {"c": Verdict("c", "equal")}})
    page += fuzz_section([Verdict("qwen2 0", "equal"), Verdict("qwen2 1", "refused", "So.")])
    assert "| qwen2 | 1 | 1 | 0 | 0 | 0 |" in page
    assert "| graphs, 10 | 0 | 2 | 0 | 0 | 0 | 1 |" in page
    assert "| a | refused | – | Because \\| so. |" in page and "| c | – | equal |  |" in page
