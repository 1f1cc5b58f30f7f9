"""The sets of prompts of a search: apart, not of the half that is measured with, and short where nobody chose them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from tests.workflows.quantize.making import renamed_source
from workflows.common.errors import PromptError
from workflows.evaluation.goal.goal_prompts import PASSAGE, GoalPrompts, split_prompts
from workflows.generate import open_engine
from workflows.generate.sample_texts import paragraphs
from workflows.wire.goals import Goal

GOAL = Goal("kl", 0.01)


def test_a_checkpoint_without_prompts_reads_the_text_to_calibrate_with(demo_bundle: Path, tmp_path: Path) -> None:
    engine = open_engine(renamed_source(demo_bundle, tmp_path / "b"))
    found = split_prompts(engine, GOAL, None, "")
    assert (len(found.judge), len(found.confirm), len(found.rank)) == (4, 4, 4)
    sets = [*found.judge, *found.confirm, *found.rank]
    assert len(set(sets)) == 12 and all(len(ids) <= PASSAGE for ids in sets)
    texts = [tuple(engine.encode(one.text)[:PASSAGE]) for one in paragraphs("calibrate")]
    assert set(sets) <= set(texts)
    assert found.judged == "8 passages of Joinery's text to calibrate with, of which every second confirms"
    assert found.ranked == "4 of the other passages of Joinery's text to calibrate with"
    assert found.sets == {"judge": found.judge, "rank": found.rank, "confirm": found.confirm, "probe": found.probe}


def test_units_are_probed_over_few_tokens() -> None:
    rank = tuple(tuple(range(size)) for size in (70, 25, 5, 50))
    assert GoalPrompts((), rank, "", "").probe == rank[:3]  # 95 tokens before the third, 100 with it
    assert GoalPrompts((), rank[3:], "", "").probe == rank[3:]


def test_a_demo_has_its_own(demo_bundle: Path) -> None:
    found = split_prompts(open_engine(demo_bundle), GOAL, None, "")
    assert found.judged.startswith("64 of the 600 held-back questions of demo:qwen3")
    assert len(found.judge) == len(found.confirm) == 32 and len(found.rank) == 16


def test_a_file_of_ids_is_divided(sharp_qwen3: Path, built: Built, tmp_path: Path) -> None:
    engine = open_engine(built(sharp_qwen3, graphs="single", capacity=256, chunk=64))
    file = tmp_path / "ids.txt"
    file.write_text("\n".join(f"{number},5,6" for number in range(3, 8)), "utf-8")
    found = split_prompts(engine, Goal("kl", 0.01, prompts=str(file)), None, "")
    assert (found.judge, found.rank) == (((3, 5, 6), (5, 5, 6), (7, 5, 6)), ((4, 5, 6), (6, 5, 6)))
    file.write_text("1,2,3", "utf-8")
    with pytest.raises(PromptError, match="two prompts at least"):
        split_prompts(engine, Goal("kl", 0.01, prompts=str(file)), None, "")
