"""A model that gives no numbers: one sentence with the step, and never a token out of nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.generate.scripted import ScriptedMachine, generated
from workflows.common.errors import LogitsError
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.generate import open_engine, prefill
from workflows.generate.logits import all_logits, last_logits
from workflows.generate.tokenizer import BundleTokenizer
from workflows.quantize.calibration.trajectories import run_trajectories
from workflows.recipe.schema import CalibrationSettings

WRONG = {"one NaN": np.nan, "an infinite one": np.inf, "all -inf": -np.inf}
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {},
    "sampling": {"temperature": 1.0, "seed": 1},
    "sampling from few": {"temperature": 0.7, "top_k": 3, "top_p": 0.9, "min_p": 0.1, "seed": 1},
}


def spoil(value: float, at: int) -> Any:
    """Makes the logits of run `at` wrong."""

    def change(step: int, logits: Any) -> None:
        if step == at:
            logits[... if value == -np.inf else 3] = value

    return change


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("step", [0, 2])
def test_logits_that_are_no_numbers_end_the_generation(way: str, name: str, step: int) -> None:
    """In prefill and in decode; the sentence says which step."""
    with pytest.raises(LogitsError) as raised:
        generated(BundleTokenizer(None, 8), [1, 2, 3, 4], change=spoil(WRONG[name], step), **WAYS[way])
    said = str(raised.value)
    phase = f"decode step at position {step}" if step else "prefill step at position 0"
    assert said.startswith(f"The {phase} gave logits ") and said.count(". ") == 0 and "fp32" in said
    assert ("NaN" in said) == (name == "one NaN")


def test_logits_with_some_minus_infinities_are_numbers() -> None:
    """A model may mask tokens itself."""

    def change(step: int, logits: Any) -> None:
        logits[5:] = -np.inf

    events, _ = generated(BundleTokenizer(None, 8), [1, 2, 3], change=change)
    assert [event.id for event in events] == [1, 2, 3]


def test_comparing_and_calibrating_say_it_too() -> None:
    """Whoever feeds the model himself."""
    machine: Any = ScriptedMachine([1, 2, 3, 4, 5], 8, change=spoil(np.nan, 2))
    machine.has_source = False
    engine: Any = type("Opened", (), {})()
    engine.machine, engine.reset, engine.resume = machine, lambda: None, lambda ids: machine.cache.length
    engine.bundle = type("Bundle", (), {})()
    engine.bundle.pipeline = type("Pipeline", (), {"tokens": type("Tokens", (), {"eos": []})})()
    with pytest.raises(LogitsError, match="decode step at position 2 gave logits that are NaN"):
        list(ComparedBundle(engine).read([1, 2, 3, 4, 5]))
    machine.__init__([1, 2, 3, 4, 5], 8, change=spoil(np.nan, 1))
    with pytest.raises(LogitsError, match="decode step at position 2 gave"):
        list(ComparedBundle(engine).follow([1, 2, 3], [4, 5]))  # two tokens are fed in a run, the third alone
    machine.__init__([1, 2, 3, 4, 5], 8, change=spoil(np.nan, 1))
    with pytest.raises(LogitsError, match="decode step at position 3 gave"):
        run_trajectories(engine, [[1, 2, 3]], CalibrationSettings(samples=4, steps=4))
    machine.__init__([1], 8, change=spoil(np.nan, 0))
    with pytest.raises(LogitsError):
        last_logits(machine, [1], "prefill")


def test_rows_of_a_prompt_are_those_of_its_tokens_one_by_one(demo_bundle: Path, demo_split_bundle: Path) -> None:
    """In one graph of any width, and in a fixed chunk whose end is padded; a limit of bytes divides a run."""
    for bundle, most in ((demo_bundle, 1 << 26), (demo_bundle, 4 * 10 * 512), (demo_split_bundle, 1 << 26)):
        with open_engine(bundle) as engine, pytest.MonkeyPatch.context() as patch:
            patch.setattr(prefill, "_MOST_BYTES", most)
            machine, ids = engine.machine, [3 + number % 90 for number in range(83)]
            blocks = [rows.copy() for rows in prefill.feed_rows(machine, ids)]
            assert sum(map(len, blocks)) == machine.cache.length == len(ids)
            widest = 64 if bundle is demo_split_bundle else most // (4 * machine.vocabulary)
            assert len(blocks) == sum(-(-chunk // widest) for chunk in (64, 19))
            engine.reset()
            alone = np.concatenate([machine.step([token], "decode").copy() for token in ids])
            np.testing.assert_allclose(np.concatenate(blocks), alone, rtol=1e-3, atol=1e-3)


def test_a_phase_of_the_last_row_alone_goes_token_by_token() -> None:
    machine: Any = ScriptedMachine([1, 2, 3, 4, 5], 8)
    rows = [block.argmax(-1).tolist() for block in prefill.feed_rows(machine, [7, 7, 7])]
    assert rows == [[1], [2], [3]]


def test_the_row_that_is_no_number_is_named() -> None:
    """Of a run that gives several."""
    machine: Any = ScriptedMachine([1], 8)
    logits = np.zeros((3, 8), np.float32)
    logits[1, 2] = np.nan
    machine.step = lambda tokens, phase, rows: logits
    with pytest.raises(LogitsError, match="prefill step at position 1 gave logits that are NaN"):
        all_logits(machine, [4, 5, 6], "prefill")
