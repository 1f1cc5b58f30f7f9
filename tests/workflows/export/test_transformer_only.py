"""The transformer-only variant: its operators, its eager modules, and the same tokens as the plain variant."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import onnx_ir as ir
import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.workflows.conftest import Built
from tests.workflows.families.models import greedy, save_decoder
from tests.workflows.families.test_identity import check
from workflows.builder import BuildRequest, build
from workflows.common.errors import RecipeError
from workflows.export.attention import ATTENTION_NAME
from workflows.export.decoder import causal_layers
from workflows.export.signature import transformer_signature
from workflows.export.transformer_only import LpNorm, PointwiseConv, cut_transformer
from workflows.generate import GenerateOptions, open_engine
from workflows.inspection.contents import inspect_path
from workflows.wire.events import GenerationDone

VARIANT = {"variant": "transformer-only", "capacity": 256}


def build_variant(checkpoint: str | Path, out: Path, **options: Any) -> Path:
    build(BuildRequest(str(checkpoint), out, {**VARIANT, **options}))
    return out


@pytest.mark.slow
def test_the_demo_says_the_same_as_its_plain_variant(demo_bundle: Path, built: Built) -> None:
    answers = []
    for bundle in (built("demo:qwen3", variant="transformer-only", capacity=128), demo_bundle):
        engine = open_engine(bundle)
        for question in ("8*7=", "9+6=", "The capital of France is"):
            *_, done = engine.generate(engine.encode(question), GenerateOptions(max_new_tokens=24))
            assert isinstance(done, GenerationDone)
            answers.append(done.token_ids)
    assert answers[:3] == answers[3:]


@pytest.mark.slow
def test_what_the_graphs_are_made_of(built: Built) -> None:
    bundle = built("demo:qwen3", variant="transformer-only", capacity=128)
    report = inspect_path(bundle)
    by_name = {component.name: component for component in report.components}
    assert [c.role for c in report.components] == ["embeddings", "prefill", "decode", "head"]
    assert report.route == "prefill-decode"
    for name, sequence in (("prefill", 64), ("decode", 1)):
        counts = by_name[name].op_counts
        layers = counts["com.microsoft.GroupQueryAttention"]
        assert counts["Conv"] == 7 * layers
        assert counts["LpNormalization"] == 4 * layers + 1
        assert not {"MatMul", "Gemm", "RMSNormalization", "RotaryEmbedding", "Cos", "Gather"} & counts.keys()
        inputs = {spec.name: spec for spec in by_name[name].inputs}
        assert inputs["inputs_embeds"].shape[:2] == [1, sequence]
        assert inputs["past_key_values.0.key"].dtype == "float16"
        assert isinstance(inputs["past_key_values.0.key"].shape[2], str)  # symbolic, after the optimizer too
        graph = ir.load(bundle / by_name[name].file).graph
        attention = next(node for node in graph if node.op_type == "GroupQueryAttention")
        assert attention.attributes["do_rotary"].value == 1
        assert Counter(node.op_type for node in graph)["GroupQueryAttention"] == layers
    assert report.kv[0].dtype == "float16"


@pytest.mark.parametrize(
    ("graphs", "model_type"),
    [
        ("single", "llama"),
        *(
            pytest.param("single", name, marks=pytest.mark.slow)
            for name in ("gemma3_text", "smollm3", "phi3", "granite")
        ),
        *(pytest.param("prefill-decode", name, marks=pytest.mark.slow) for name in ("llama", "gemma3_text")),
    ],
)
def test_token_for_token_in_fp32(graphs: str, model_type: str, tmp_path: Path) -> None:
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint")
    out = build_variant(checkpoint, tmp_path / "out", graphs=graphs, kv_dtype="float32")
    check(out, checkpoint, greedy, 8)


def eager(model_type: str, folder: Path) -> Any:
    folder = save_decoder(model_type, folder)
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation=ATTENTION_NAME).eval()


def test_the_modules_compute_eagerly_what_they_stand_for(tmp_path: Path) -> None:
    with torch.no_grad():
        model = eager("llama", tmp_path)
        x = torch.randn(1, 5, 64) * 0.01  # so small that epsilon counts
        norm, linear = model.model.norm, model.model.layers[0].mlp.gate_proj
        norm.weight.uniform_(0.5, 2)
        torch.testing.assert_close(LpNorm(norm)(x), norm(x), rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(PointwiseConv(linear)(x), linear(x), rtol=1e-5, atol=1e-6)

        ids, layers = torch.randint(3, 211, (1, 9)), causal_layers(model)
        plain = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
        plain.model.norm.weight.copy_(norm.weight)
        wanted = plain(ids).logits
        signature = transformer_signature(layers, 64, torch.float32)
        embeddings, transformer, head = cut_transformer(model, signature, layers, 32)
        past = [torch.zeros(1, 2, 32, 16) for _ in range(2 * len(layers))]
        got = []
        for i in range(9):  # token by token, over the buffers that the step before wrote
            lengths = torch.tensor([i], dtype=torch.int32), torch.tensor(i + 1, dtype=torch.int32)
            hidden, *past = transformer(embeddings(ids[:, i : i + 1]), *lengths, *past)
            got.append(head(hidden))
        torch.testing.assert_close(torch.cat(got, 1), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("model_type", "why"),
    [
        ("gpt2", "no rotary positions"),
        (
            "stablelm",
            "takes heads of which a multiple of 16 is rotated, and this model rotates 4: build the plain variant",
        ),
        ("cohere2", "attention is of another kind"),
    ],
)
def test_a_model_that_it_does_not_fit_is_refused(model_type: str, why: str, tmp_path: Path) -> None:
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint")
    with pytest.raises(RecipeError, match=why):
        build_variant(checkpoint, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_choices_that_do_not_fit_it(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="needs --cache gqa, not static"):
        build_variant("demo:qwen3", tmp_path / "a", cache="static")
    with pytest.raises(RecipeError, match="only a decoder without an encoder"):
        build_variant("demo:t5", tmp_path / "b")
    with pytest.raises(RecipeError, match="A cache in float16 needs --cache gqa"):
        build(BuildRequest("demo:qwen3", tmp_path / "c", {"kv_dtype": "float16", "cache": "static"}))


def test_positions_beyond_its_tables_are_refused(built: Built) -> None:
    out = built("demo:qwen3", variant="transformer-only", capacity=128)
    with pytest.raises(RecipeError, match="know 128 positions: a capacity of 256 needs another build"):
        open_engine(out, capacity=256)
