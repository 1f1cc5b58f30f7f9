"""Models without their large weights: traced to the same graphs, and refused where stand-ins would be wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.workflows.conftest import make_qwen3
from workflows.checkpoint import Checkpoint, find_checkpoint
from workflows.checkpoint.checkpoint import read_checkpoint
from workflows.common.errors import CheckpointError
from workflows.export import stand_ins
from workflows.export.components import export_components
from workflows.export.load import load_model
from workflows.export.reference import ReferenceLogits
from workflows.export.stand_ins import NotStreamedError, StandIns, is_stand_in
from workflows.graph.described_weights import is_described
from workflows.graph.weights import WEIGHTS, load_saved_graph, write_described
from workflows.recipe import build_memory, resolve_recipe
from workflows.wire.events import Event, NoticeEvent


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models are built as large ones are."""
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)


def read(source: str | Path) -> Checkpoint:
    return read_checkpoint(*find_checkpoint(str(source)))


def export(source: str | Path, folder: Path, **options: Any) -> list[Event]:
    events: list[Event] = []
    checkpoint = read(source)
    folder.mkdir()
    export_components(checkpoint, resolve_recipe(checkpoint, options), folder, events.append)
    return events


def test_a_stand_in_takes_no_memory_and_tells_its_weight(streamed: None) -> None:
    checkpoint = read("demo:qwen3")
    stand = StandIns(checkpoint)
    model = load_model(checkpoint, "text-generation", stand_ins=stand)
    stored = load_file(checkpoint.folder / "model.safetensors")
    held = {name: weight for name, weight in model.named_parameters() if is_stand_in(weight)}
    assert sum(weight.untyped_storage().nbytes() for weight in held.values()) == 4 * len(held)
    assert {name for name, weight in stored.items() if weight.numel() >= 1 << 10} == {*held}
    for name, weight in held.items():
        assert torch.equal(stand.read(weight), stored[name].float()), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"cache": "static", "early_exit": 2}, {"variant": "transformer-only"}], ids=str
)
def test_the_graphs_and_the_weight_file_are_those_of_a_whole_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)
    source = make_qwen3(tmp_path / "source", num_hidden_layers=6, head_dim=16)
    export(source, tmp_path / "whole", **options)
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    assert not [event for event in export(source, tmp_path / "streamed", **options) if isinstance(event, NoticeEvent)]
    assert is_described(tmp_path / "streamed") and not (tmp_path / "streamed" / WEIGHTS).exists()
    for graph in (tmp_path / "whole").glob("*.onnx"):
        whole, other = (load_saved_graph(tmp_path / name / graph.name) for name in ("whole", "streamed"))
        assert [node.op_type for node in whole.graph] == [node.op_type for node in other.graph]
        for one, two in zip(whole.graph.initializers.values(), other.graph.initializers.values(), strict=True):
            np.testing.assert_array_equal(np.asarray(one.const_value), np.asarray(two.const_value), str(two.name))
    write_described(tmp_path / "streamed", tmp_path / "made.data")
    assert (tmp_path / "made.data").read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()
    before, after = (ReferenceLogits.read(tmp_path / name) for name in ("whole", "streamed"))
    assert before is not None and after is not None
    np.testing.assert_allclose(after.logits, before.logits, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("tied", [True, False])
def test_a_head_that_is_not_tied_is_the_checkpoints(tmp_path: Path, streamed: None, tied: bool) -> None:
    source = make_qwen3(tmp_path / "source", tie_word_embeddings=tied)
    assert not [event for event in export(source, tmp_path / "out") if isinstance(event, NoticeEvent)]
    stored = load_file(source / "model.safetensors")
    graph = load_saved_graph(tmp_path / "out" / "decoder.onnx").graph
    head = stored["model.embed_tokens.weight" if tied else "lm_head.weight"].float().numpy()
    same = [np.asarray(v.const_value) for v in graph.initializers.values() if v.const_value.size == head.size]
    assert any(np.array_equal(one, head) or np.array_equal(one, head.T) for one in same)


@pytest.mark.parametrize("equal", [True, False])
def test_a_head_that_is_stored_beside_its_table_is_tied_where_it_is_equal(
    tmp_path: Path, streamed: None, equal: bool
) -> None:
    source = make_qwen3(tmp_path / "source", tie_word_embeddings=True)
    stored = load_file(source / "model.safetensors")
    stored["lm_head.weight"] = stored["model.embed_tokens.weight"].clone()
    stored["lm_head.weight"][3, 3] += 0.0 if equal else 1.0
    save_file(stored, source / "model.safetensors", {"format": "pt"})
    checkpoint = read(source)
    model = load_model(checkpoint, "text-generation", stand_ins=StandIns(checkpoint))
    assert (model.lm_head.weight is model.model.embed_tokens.weight) == equal


def test_a_weight_that_is_not_finite_is_refused_by_name(tmp_path: Path, streamed: None) -> None:
    source = make_qwen3(tmp_path / "source")
    stored = load_file(source / "model.safetensors")
    name = "model.layers.1.mlp.down_proj.weight"
    stored[name][5, 7] = torch.inf
    save_file(stored, source / "model.safetensors", {"format": "pt"})
    with pytest.raises(CheckpointError, match=name.replace(".", r"\.")):
        export(source, tmp_path / "out")


@pytest.mark.slow
def test_what_transformers_computes_is_built_with_the_weights_in_memory(
    tmp_path: Path, streamed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

    torch.manual_seed(0)
    config = Qwen3MoeConfig(
        vocab_size=96, hidden_size=32, intermediate_size=48, moe_intermediate_size=40, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, head_dim=16, num_experts=4, num_experts_per_tok=2,
        max_position_embeddings=256, bos_token_id=None, eos_token_id=2, pad_token_id=0,
    )  # fmt: skip
    Qwen3MoeForCausalLM(config).save_pretrained(tmp_path / "source")
    monkeypatch.setattr("workflows.export.merged_weights.MergeModulelist", object)  # a conversion that nobody knows
    events = export(tmp_path / "source", tmp_path / "out")
    (told,) = [event.message for event in events if isinstance(event, NoticeEvent)]
    assert told.startswith(
        "The build holds all weights in memory, about 0.6 GB, because transformers computes the weight model."
    )
    assert (tmp_path / "out" / WEIGHTS).is_file()


def test_whole_numbers_are_no_stand_ins(tmp_path: Path, streamed: None) -> None:
    source = make_qwen3(tmp_path / "source")
    checkpoint = read(source)
    tensors = checkpoint.tensors
    config = json.loads((source / "config.json").read_text("utf-8"))
    assert config["model_type"] == "qwen3"
    name = "model.embed_tokens.weight"
    object.__setattr__(tensors[name], "dtype", "float64")
    with pytest.raises(NotStreamedError, match=r"embed_tokens\.weight is stored in float64"):
        load_model(checkpoint, "text-generation", stand_ins=StandIns(checkpoint))
