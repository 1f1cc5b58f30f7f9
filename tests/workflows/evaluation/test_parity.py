"""What two runs are told to differ by, where what they say is no number too; and what a decoder is begun with."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from workflows.bundle import Pipeline, read_bundle
from workflows.common.errors import BundleError, CheckpointError, JoineryError
from workflows.evaluation.parity import Outputs, ParityRunner
from workflows.export.reference import ReferenceLogits

NAN, INFINITE = math.nan, math.inf


def files(bundle: Path) -> dict[str, Path]:
    """Component → its graph."""
    return {name: bundle / session.file for name, session in pipeline_of(bundle).pipeline.sessions.items()}


def pipeline_of(bundle: Path) -> Pipeline:
    """The bundle's."""
    return read_bundle(bundle).pipeline


def rows(*values: float) -> Outputs:
    """Logits of one token of three, a step each."""
    return [np.array([0.5, value, -2.0], np.float32) for value in values]


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        (rows(1, 2), rows(1, 2), 0),
        (rows(1, 2), rows(1, 2.25), 0.25),
        (rows(1, -INFINITE), rows(1.5, -INFINITE), 0.5),  # a token that both forbid
        (rows(1, -INFINITE), rows(1, 3), INFINITE),
        (rows(1, 2), rows(1, -INFINITE), INFINITE),
        (rows(1, NAN), rows(1, NAN), NAN),
        (rows(NAN, 2), rows(NAN, 2), NAN),
        (rows(1, 2), rows(2, NAN), NAN),
        (rows(1, INFINITE), rows(1, INFINITE), NAN),
        (rows(1), [np.zeros(2, np.float32)], NAN),
    ],
)
def test_what_is_no_number_is_no_agreement(
    before: Outputs, after: Outputs, difference: float, demo_bundle: Path
) -> None:
    """Though both say it at the same place, and in whichever step it stands."""
    found = ParityRunner(pipeline_of(demo_bundle)).compare(before, after)
    assert found.max_abs_diff == pytest.approx(difference, nan_ok=True)
    assert found.holds() == (difference == 0) and math.isfinite(found.largest)
    assert found.to_dict()["max_abs_diff"] == (difference if math.isfinite(difference) else None)


def test_tokens_after_nan_are_not_alike(demo_bundle: Path) -> None:
    """Two runs that both say NaN at the fourth token agree on three."""
    probe = ParityRunner(pipeline_of(demo_bundle))
    before = probe.run(files(demo_bundle))
    assert probe.compare(before, before).greedy_equal == len(before) == 32
    spoilt = [logits.copy() for logits in before]
    spoilt[3][..., 7] = NAN
    found = probe.compare(spoilt, spoilt)
    assert (found.greedy_equal, found.greedy_tokens) == (3, 32) and math.isnan(found.max_abs_diff)


def test_graphs_that_say_nan_are_not_built_upon(
    demo_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exported graphs are held up to it before any pass is held against them."""
    from workflows.builder.stages import _PassObserver

    monkeypatch.setattr(ParityRunner, "run", lambda self, files: rows(1, NAN))
    with pytest.raises(JoineryError, match="exported graphs give NaN or infinity for ordinary tokens"):
        _PassObserver(demo_bundle, pipeline_of(demo_bundle), tmp_path, "static", ParityRunner(pipeline_of(demo_bundle)))


def test_a_decoder_begins_with_its_own_token(built: Built) -> None:
    """Another one gives other logits, and none is thought up where the pipeline names none."""
    bundle = built("demo:t5")
    pipeline = pipeline_of(bundle)

    def first(start: int | None) -> np.ndarray:
        tokens = pipeline.tokens.model_copy(update={"decoder_start": start})
        return ParityRunner(pipeline.model_copy(update={"tokens": tokens})).run(files(bundle))[0]

    own = ParityRunner(pipeline).run(files(bundle))[0]
    assert np.array_equal(own, first(pipeline.decoder_start)) and not np.allclose(own, first(5), atol=1e-2)
    with pytest.raises(BundleError, match="needs a start token, and the file names none"):
        first(None)


@pytest.mark.parametrize("logits", [np.zeros((2, 5)), np.full((2, 5), 7.0), np.array([[1e-9, 0, 2e-9, 0, 0]] * 2)])
def test_a_model_that_says_the_same_of_every_token_is_refused(demo_bundle: Path, logits: Any) -> None:
    """A number of its config is so large that all else is nothing beside it."""
    reference = ReferenceLogits(np.arange(4), np.array([2, 3]), logits.astype(np.float32))
    with pytest.raises(CheckpointError, match="logits are equal for every token"):
        ParityRunner(pipeline_of(demo_bundle)).compare_with_reference(reference, files(demo_bundle))
