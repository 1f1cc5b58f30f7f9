"""The first layers as a draft of the whole: a graph of its own over the same weights, and the same tokens faster."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import onnx
import pytest

from tests.workflows.conftest import Built, make_qwen3
from workflows.bundle import read_bundle, verify_bundle
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.speculative.draft_length import DraftLengthTuner
from workflows.inspection.contents import check_bundle, inspect_path
from workflows.wire.events import GenerationDone, NoticeEvent

LAYOUTS: dict[str, dict[str, Any]] = {
    "window": {"cache": "window", "capacity": 32},
    "gqa": {"cache": "gqa"},
    "scatter": {"cache": "scatter"},
    "split": {"graphs": "prefill-decode", "chunk": 16},
    "three": {"variant": "transformer-only", "chunk": 16},
    "three, dynamic": {"variant": "transformer-only", "graphs": "single", "chunk": 16},
    "int4": {"precision": "int4"},
    "mixed": {"precision": "int8", "quantize": {"components": {"draft": "int4"}}},
    "fp16": {"precision": "fp16"},
}


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Qwen3 of three layers, of which the last change little: the first says much the same."""
    import torch
    from transformers import AutoModelForCausalLM

    folder = make_qwen3(tmp_path_factory.mktemp("deep"), num_hidden_layers=3, head_dim=32)
    model = AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        for layer in model.model.layers[1:]:
            layer.self_attn.o_proj.weight.mul_(0.05)
            layer.mlp.down_proj.weight.mul_(0.05)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts of every length in turn, whatever they cost."""
    turns = count()
    monkeypatch.setattr(DraftLengthTuner, "length", lambda self, limit: max(min(next(turns) % 6, limit), 0))


def check(bundle: Path, accepted: float = 0.3) -> None:
    """Greedy tokens are those without drafts, in turns; of the drafted tokens at least that share is accepted."""
    with open_engine(bundle) as engine:
        ids = [5, 6, 7, 8, 9]
        for _ in range(2):
            alone, done = (_done(engine, ids, drafts=on) for on in (False, True))
            assert done.token_ids == alone.token_ids and alone.speculation is None
            assert done.speculation is not None and done.speculation.drafted > 0
            assert done.speculation.accepted >= accepted * done.speculation.drafted
            ids = [*ids, *done.token_ids[:7], 11]
        assert engine.draft is not None and engine.draft.own
    assert verify_bundle(bundle).ok and check_bundle(bundle).ok


def _done(engine: Any, ids: list[int], **options: Any) -> GenerationDone:
    *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=24, **options), eos=[])
    assert isinstance(done, GenerationDone)
    return done


@pytest.mark.slow
def test_the_first_layers_draft(built: Built, deep: Path) -> None:
    """Its weights are the target's, the target's graph computes nothing for it, and the picture shows both."""
    bundle = built(deep, cache="static", capacity=96, early_exit=1)
    check(bundle)
    flow = read_bundle(bundle).pipeline.pipeline
    assert flow.strategy is not None and flow.draft == "draft" and flow.strategy.draft.depth == 1
    assert [stage.run for stage in flow.flow] == ["decoder"] and list(flow.sessions) == ["decoder", "draft"]
    graphs = [onnx.load(bundle / name, load_external_data=False).graph for name in ("decoder.onnx", "draft.onnx")]
    places = [
        {(one.external_data[1].value, one.external_data[2].value) for one in graph.initializer if one.external_data}
        for graph in graphs
    ]
    assert places[1] < places[0]
    assert graphs[0].output[0].name == "logits" and len(graphs[0].output) == 1 + 2 * 3
    drawn = inspect_path(bundle).composite
    assert [one.name for one in drawn.sessions] == ["decoder", "draft"]
    assert {state.name: state.layers[0].layers for state in drawn.states} == {"all": (0, 1, 2), "draft all": (0,)}
    with open_engine(bundle, cache="window", capacity=24) as engine:
        alone, done = (_done(engine, [5, 6, 7], drafts=on) for on in (False, True))
        assert done.token_ids == alone.token_ids and done.cache.evicted > 0


@pytest.mark.slow
def test_where_tokens_share_a_grid_there_are_no_drafts(built: Built, deep: Path) -> None:
    with open_engine(built(deep, capacity=96, early_exit=1, precision="int8-dynamic")) as engine:
        events = list(engine.generate([5, 6, 7], GenerateOptions(max_new_tokens=4), eos=[]))
        told = [one.message for one in events if isinstance(one, NoticeEvent)]
        assert len(told) == 1 and "int8-dynamic" in told[0]


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_every_layout_and_precision(layout: str, built: Built, deep: Path) -> None:
    check(built(deep, early_exit=1, **({"capacity": 96} | LAYOUTS[layout])), accepted=0.1)
