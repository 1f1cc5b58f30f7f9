"""What quantizing cost: the figures are those of the logits that both give, and the time bounds the positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.quantize.making import renamed_source
from workflows.bundle import read_bundle
from workflows.common.errors import PromptError
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.evaluation.accuracy.statistics import log_softmax
from workflows.evaluation.accuracy.text_cost import (
    LEAST_POSITIONS,
    MOST_POSITIONS,
    MeasuringTexts,
    measure_cost,
    measuring_texts,
)


@pytest.fixture(scope="module")
def sides(demo_bundle: Path, built: Built) -> tuple[ComparedBundle, ComparedBundle]:
    # Inputs in floating point: with 8 bits a processor may round single tokens otherwise than several at once.
    int4 = built("demo:qwen3", precision="int4", cache="static", quantize={"accuracy_level": 0})
    return ComparedBundle.open(read_bundle(demo_bundle)), ComparedBundle.open(read_bundle(int4))


def test_the_figures_are_those_of_logits_that_are_computed_token_by_token(
    sides: tuple[ComparedBundle, ComparedBundle],
) -> None:
    texts = measuring_texts(sides[0].engine).texts[:3]
    rows: list[list[np.ndarray]] = [[], []]
    following = [token for text in texts for token in text[1:]]
    for text in texts:
        for side, found in zip(sides, rows, strict=True):
            side.engine.reset()
            machine = side.engine.machine
            found += [log_softmax(machine.step([token], "decode")[0]) for token in text[:-1]]
    p, q = (np.array(one) for one in rows)
    cost = measure_cost(*sides, MeasuringTexts(texts, "three texts"), 1e9)
    assert (cost.positions, cost.text, cost.reason) == (len(following), "three texts", "")
    assert cost.top1_agreement == pytest.approx(float(np.mean(p.argmax(-1) == q.argmax(-1))), abs=1e-6)
    assert cost.kl_mean == pytest.approx(float((np.exp(p) * (p - q)).sum(-1).mean()), rel=1e-3)
    for one, figure in ((p, cost.perplexity.reference), (q, cost.perplexity.candidate)):
        assert figure == pytest.approx(float(np.exp(-one[np.arange(len(one)), following].mean())), rel=1e-4)


def test_time_and_number_bound_the_positions(sides: tuple[ComparedBundle, ComparedBundle]) -> None:
    chosen = measuring_texts(sides[0].engine)
    longest = max(map(len, chosen.texts))
    counts: list[int] = []
    late = measure_cost(*sides, chosen, 0.0, counts.append)
    assert LEAST_POSITIONS <= late.positions < LEAST_POSITIONS + longest
    assert counts[0] == 0 and counts == sorted(counts) and counts[-1] == late.positions
    assert MOST_POSITIONS <= measure_cost(*sides, chosen, 1e9).positions < MOST_POSITIONS + longest


def test_a_demo_is_measured_on_what_its_training_never_saw(sides: tuple[ComparedBundle, ComparedBundle]) -> None:
    chosen = measuring_texts(sides[0].engine)
    assert chosen.origin == "demo:qwen3's held-back questions" and len(chosen.texts) == 600


def test_another_checkpoint_is_measured_on_joinery_s_text(
    demo_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ComparedBundle.open(read_bundle(renamed_source(demo_bundle, tmp_path / "b"))).engine
    chosen = measuring_texts(engine)
    assert chosen.origin == "Joinery's text to measure with"
    assert engine.text.decode(chosen.texts[0]).startswith("Every spring the council paints the line again")
    monkeypatch.setattr(engine.text, "unknown_share", lambda text: 0.9)
    with pytest.raises(PromptError, match="the tokenizer knows none of the texts to measure with"):
        measuring_texts(engine)


def test_prompts_of_sound_or_of_ids_alone_are_not_measured(sharp_qwen3: Path, built: Built) -> None:
    for folder, reason in (
        (built(sharp_qwen3, graphs="single", capacity=256, chunk=64), "no tokenizer to read a text with"),
        (built("demo:whisper"), "each prompt needs sound or pictures"),
    ):
        with pytest.raises(PromptError, match=reason):
            measuring_texts(ComparedBundle.open(read_bundle(folder)).engine)
