"""A checkpoint in transformers as the reference: a bundle of it in float32 agrees in everything that is compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from workflows.builder import evaluate as evaluation
from workflows.builder.evaluate import EvalRequest, evaluate
from workflows.bundle import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import Cancelled
from workflows.evaluation.accuracy.eager_reference import EagerReference
from workflows.generate import open_engine
from workflows.wire.events import Event, ProgressEvent


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("ids") / "ids.txt"
    file.write_text(f"5,9,300,41,7\n2\n{','.join(map(str, range(90, 120)))}\n", "utf-8")
    return file


def test_a_bundle_in_float32_agrees_with_transformers(sharp_qwen3: Path, built: Built, ids: Path) -> None:
    bundle = built(sharp_qwen3, graphs="single", cache="static", capacity=256, chunk=64)
    found = evaluate(EvalRequest(bundle, str(sharp_qwen3), ids, steps=6))
    assert found.positions == 4 + 0 + 29 + 3 * 6
    assert (found.top1_agreement, found.top5_overlap) == (1, 1)
    assert found.kl_mean is not None and found.kl_mean < 1e-8 and (found.logit_max_abs_diff or 1) < 1e-3
    assert [row.tokens_equal for row in found.greedy] == [6, 6, 6]
    assert found.perplexity.reference == pytest.approx(found.perplexity.candidate, rel=1e-5)
    assert [(row.part, row.layer) for row in found.layers] == [("decoder", 0), ("decoder", 1)]
    for row in found.layers:
        for cosine in (row.hidden_cosine, row.key_cosine, row.value_cosine):
            assert cosine == pytest.approx(1, abs=1e-6)
    assert found.notes[0] == f"Reference: {sharp_qwen3} in transformers, with eager attention in float32."


def test_a_demo_s_questions_are_answered_by_both(built: Built, tmp_path: Path) -> None:
    file = tmp_path / "one.txt"
    file.write_text("What is 1 + 1?", "utf-8")
    found = evaluate(EvalRequest(built("demo:qwen3"), "demo:qwen3", file, steps=4, questions=6))
    assert found.task is not None and (found.task.rows, found.task.reference_score, found.task.score) == (6, 1, 1)


def test_it_can_be_cancelled(sharp_qwen3: Path, built: Built, ids: Path) -> None:
    bundle = built(sharp_qwen3, graphs="single", cache="static", capacity=256, chunk=64)
    events: list[Event] = []
    with pytest.raises(Cancelled):
        evaluate(
            EvalRequest(bundle, str(sharp_qwen3), ids, steps=6),
            events.append,
            lambda: any(isinstance(event, ProgressEvent) and event.done == 1 for event in events),
        )


@pytest.mark.slow
def test_where_it_is_joinery_s_own_build(sharp_qwen3: Path, built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = read_bundle(built(sharp_qwen3, graphs="single", cache="static", capacity=256, chunk=64))
    checkpoint, request = open_checkpoint(str(sharp_qwen3)), EvalRequest(bundle.folder, str(sharp_qwen3))
    obstacle = evaluation._eager_obstacle
    assert obstacle(request, checkpoint, bundle, None) == ""
    assert "restore products" in obstacle(replace(request, suggest=3), checkpoint, bundle, None)
    own_code = replace(checkpoint, remote_code={"modeling.py": "0" * 64})
    assert obstacle(request, own_code, bundle, None) == "the checkpoint brings code of its own"
    hearing = read_bundle(built("demo:whisper"))
    assert "decoders of text alone" in obstacle(request, checkpoint, hearing, None)
    monkeypatch.setattr(evaluation, "free_bytes", lambda: 1000)
    assert "of memory are free" in obstacle(request, checkpoint, bundle, None)


def test_a_prompt_that_was_read_is_not_read_again(sharp_qwen3: Path, built: Built) -> None:
    """The tokens are those of a prompt that was not, and what follows finds the cache as it was."""
    ids = list(range(90, 120))
    bundle = read_bundle(built(sharp_qwen3, graphs="single", cache="static", capacity=256, chunk=64))
    with open_engine(bundle.folder) as engine:
        reference = EagerReference.open(open_checkpoint(str(sharp_qwen3)), "text-generation", engine)
        fed: list[int] = []
        reference._model.model.register_forward_hook(lambda _model, _inputs, out: fed.append(out[0].shape[1]))
        fresh = reference.greedy(ids, 6, lambda: False)
        (read,) = reference.read(ids)
        assert reference.greedy(ids, 6, lambda: False) == fresh
        assert reference.greedy(ids[:-2], 6, lambda: False) != []
        (followed,) = reference.follow(ids, fresh)
    assert fed == [30, 1, 1, 1, 1, 1, 29, 1, 1, 1, 1, 1, 1, 28, 1, 1, 1, 1, 1, 6]
    assert len(read) == 29 and followed.logits.argmax(-1).tolist() == fresh
