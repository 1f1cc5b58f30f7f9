"""A model that gives no numbers: one sentence with the step, and never a token out of nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.workflows.generate.scripted import ScriptedMachine, generated
from workflows.common.errors import LogitsError
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.generate.logits import last_logits
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
    engine.machine, engine.reset = machine, lambda: None
    engine.bundle = type("Bundle", (), {})()
    engine.bundle.pipeline = type("Pipeline", (), {"tokens": type("Tokens", (), {"eos": []})})()
    with pytest.raises(LogitsError, match="decode step at position 2 gave logits that are NaN"):
        list(ComparedBundle(engine).read([1, 2, 3, 4, 5]))
    machine.__init__([1, 2, 3, 4, 5], 8, change=spoil(np.nan, 1))
    with pytest.raises(LogitsError, match="decode step at position 2 gave"):
        list(ComparedBundle(engine).follow([1, 2, 3], [4, 5]))
    machine.__init__([1, 2, 3, 4, 5], 8, change=spoil(np.nan, 1))
    with pytest.raises(LogitsError, match="decode step at position 3 gave"):
        run_trajectories(engine, [[1, 2, 3]], CalibrationSettings(samples=4, steps=4))
    machine.__init__([1], 8, change=spoil(np.nan, 0))
    with pytest.raises(LogitsError):
        last_logits(machine, [1], "prefill")
