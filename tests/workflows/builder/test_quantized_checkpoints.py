"""Builds of quantized checkpoints: the tokens of eager transformers with the weights that the integers stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
import transformers

from tests.workflows.checkpoint.quantized import making
from tests.workflows.checkpoint.quantized.making import gptq_checkpoint
from workflows.builder import BuildRequest, build
from workflows.bundle.evidence import load_evidence
from workflows.bundle.read import read_bundle
from workflows.bundle.session_options import parse_options
from workflows.generate import GenerateOptions, open_engine
from workflows.runtime.loading.machines import open_machine
from workflows.runtime.providers import device_named
from workflows.wire.events import Event, GenerationDone

pytestmark = pytest.mark.slow
NEW, CHUNK = 12, 64
LENGTHS = (1, 65, 130)
COMPRESSED = {"quant_method": "compressed-tensors", "format": "pack-quantized"}
FP8 = {"quant_method": "fp8", "weight_block_size": [128, 128]}
IDS = np.random.default_rng(0).integers(0, 320, max(LENGTHS)).tolist()


def built(checkpoint: Path, out: Path, **options: Any) -> tuple[Path, list[str]]:
    """The bundle with products in float32, and what the build reported."""
    messages: list[str] = []

    def report(event: Event) -> None:
        messages.append(str(getattr(event, "message", "")))

    own = {"capacity": 256, "tokenizer": False, "check": "quick", "quantize": {"accuracy_level": 0}, **options}
    build(BuildRequest(str(checkpoint), out, own), report)
    return out, messages


def check_tokens(
    bundle: Path, model: Any, nearest: float = 1e-3, options: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Tokens equal, and logits within `nearest`, at each of LENGTHS. options: of onnxruntime's sessions."""
    for length in LENGTHS:
        ids = IDS[:length]
        with torch.no_grad():
            whole = model.generate(torch.tensor([ids]), max_new_tokens=NEW, do_sample=False)
        with open_engine(bundle, session_options=options) as engine:
            events = engine.generate(ids, GenerateOptions(max_new_tokens=NEW))
            (done,) = [event for event in events if isinstance(event, GenerationDone)]
        assert list(done.token_ids) == whole[0, length:].tolist(), f"{length} tokens"
        check_logits(bundle, model, length, nearest, options)


def check_logits(
    bundle: Path, model: Any, length: int, nearest: float, options: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Logits of a prompt within `nearest`."""
    ids = IDS[:length]
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].numpy()
    own = parse_options(options)
    with open_machine(read_bundle(bundle), device_named("cpu"), session_options=own) as machine:
        chunks = [ids[start : start + CHUNK] for start in range(0, length, CHUNK)]
        ours = np.concatenate([np.array(machine.step(chunk, "prefill", rows=len(chunk))) for chunk in chunks])
    np.testing.assert_allclose(ours, logits, rtol=0, atol=nearest)


def operators(bundle: Path, file: str = "decoder.onnx") -> Counter[str]:
    graph = onnx.load(bundle / file, load_external_data=False).graph
    return Counter(node.op_type for node in graph.node)


@pytest.mark.parametrize(
    ("architecture", "own", "products", "gathers"),
    [
        ("llama", {"order": "shared"}, 8, 9),  # of q, k and v together, and of gate and up; the table's Gather
        ("qwen2", {"order": "own", "group": 32}, 14, 15),
        ("phi3", {"bits": 8, "version": 2, "group": 32}, 8, 1),  # with a window of 8
    ],
)
def test_gptq(tmp_path: Path, architecture: str, own: dict[str, Any], products: int, gathers: int) -> None:
    path, model = gptq_checkpoint(tmp_path / "checkpoint", architecture, **own)
    bundle, messages = built(path, tmp_path / "bundle")
    assert any(line.startswith("The bundle holds the weights as the checkpoint stores them: ") for line in messages)
    assert not [line for line in messages if line.startswith("The build holds all weights in memory")]
    counts = operators(bundle)
    assert counts["MatMulNBits"] == products and counts["Gather"] == gathers
    check_tokens(bundle, model)


@pytest.mark.parametrize(
    ("architecture", "settings", "packer", "products"),
    [
        ("llama", {"quant_method": "awq", "bits": 4, "group_size": 64, "version": "gemm"}, making.awq, 8),
        ("gemma2", COMPRESSED, partial(making.compressed, symmetric=False), 8),  # with a window of 8
        ("qwen3", COMPRESSED, partial(making.float4, form="nvfp4"), 8),
        ("qwen2", {"quant_method": "bitsandbytes", "load_in_8bit": True}, making.bitsandbytes8, 8),
        ("llama", {"quant_method": "hqq"}, making.hqq, 8),
        ("gemma2", {"quant_method": "hqq"}, partial(making.hqq, bits=8, group=128), 8),
        ("qwen2", {"quant_method": "quanto"}, making.quanto, 8),
        ("qwen3", {"quant_method": "torchao"}, partial(making.torchao, group=32), 8),
        ("phi3", FP8, partial(making.float8, block=(128, 128), suffix="weight_scale_inv"), 0),
        ("llama", {"quant_method": "bitsandbytes", "load_in_4bit": True}, making.bitsandbytes4, 0),
    ],
)
def test_other_methods(
    tmp_path: Path, architecture: str, settings: dict[str, Any], packer: making.Packer, products: int
) -> None:
    path, model = making.checkpoint_of(tmp_path / "checkpoint", architecture, settings, packer)
    bundle, messages = built(path, tmp_path / "bundle")
    assert operators(bundle)["MatMulNBits"] == products
    says = [line for line in messages if line.startswith("The bundle holds the weights as the checkpoint stores them")]
    assert len(says) == (1 if products else 0)
    check_tokens(bundle, model)


@pytest.mark.parametrize(("bits", "order"), [(4, ""), (4, "own")])
def test_experts(tmp_path: Path, bits: int, order: str) -> None:
    """Those with inputs in another order, which QMoE cannot have, are rounded to 8 bits, and the build reports it."""
    settings = {"quant_method": "gptq", "bits": bits, "group_size": 32}
    packer = partial(making.gptq, bits=bits, group=32, order=order)
    sizes = {"moe_intermediate_size": 64}
    path, model = making.checkpoint_of(tmp_path / "checkpoint", "qwen3moe", settings, packer, **sizes)
    bundle, _ = built(path, tmp_path / "bundle")
    assert operators(bundle)["QMoE"] == 2 and operators(bundle)["MatMulNBits"] == (8 if order else 4)
    reasons = [one["reason"] for entry in load_evidence(bundle) for step in entry.get("passes", ()) for one in
               step.get("refused", ()) if "experts are" in one["reason"]]  # fmt: skip
    if order:
        assert reasons
    else:
        assert not reasons
        check_tokens(bundle, model)


@pytest.mark.parametrize(("kind", "precision"), [("safetensors", "stored"), ("gguf", "stored"), ("gguf", "fp32")])
def test_gpt_oss(tmp_path: Path, kind: str, precision: str) -> None:
    """Experts in MXFP4, sinks, windows of 8 in every other layer and a scaled rotation, past all of them.

    QMoE rounds the inputs of 8-bit integers, unless the kernel may not arrange them when it is opened.
    """
    folder, file, model = making.gpt_oss(tmp_path)
    bundle, _ = built(folder if kind == "safetensors" else file, tmp_path / "bundle", precision=precision)
    assert operators(bundle)["QMoE" if precision == "stored" else "MoE"] == 2
    exact = {"session.disable_prepacking": "1"} if precision == "stored" else {}
    check_tokens(bundle, model, options=exact)
    if precision == "stored":  # as people run it
        check_logits(bundle, model, LENGTHS[-1], 0.05)


@pytest.mark.parametrize("kind", ["classifier", "embedder"])
def test_text_encoders(tmp_path: Path, kind: str) -> None:
    """A graph without a cache: the numbers of the model, in the integers of the file."""
    if kind == "classifier":
        sizes = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4}
        model = transformers.BertForSequenceClassification(transformers.BertConfig(vocab_size=320, **sizes)).eval()
        tensors = making.quantize(model, making.bitsandbytes8, skip=("classifier",))
        path = making.write(tmp_path / "checkpoint", model, {"quant_method": "bitsandbytes"}, tensors)
        output, products = "logits", 9  # query, key and value together; and the pooler
    else:
        path, whole = gptq_checkpoint(tmp_path / "checkpoint", "qwen3")
        model, output, products = whole.model, "last_hidden_state", 8
    bundle, _ = built(path, tmp_path / "bundle", task=None if kind == "classifier" else "feature-extraction")
    counts = operators(bundle, "model.onnx")
    assert counts["MatMulNBits"] == products, counts
    session = onnxruntime.InferenceSession(bundle / "model.onnx")
    ids = np.array([IDS[:20]])
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    (ours,) = session.run([output], {one.name: feeds[one.name] for one in session.get_inputs()})
    with torch.no_grad():
        np.testing.assert_allclose(ours, model(torch.from_numpy(ids))[output], rtol=0, atol=2e-5)


def test_other_precisions_are_made_of_the_numbers(tmp_path: Path) -> None:
    path, model = gptq_checkpoint(tmp_path / "checkpoint", "gemma2", dtype=torch.bfloat16)
    bundle, _ = built(path, tmp_path / "bundle", precision="fp32")
    assert operators(bundle)["MatMulNBits"] == 0
    check_tokens(bundle, model)
    quantized, _ = built(path, tmp_path / "int8", precision="int8")
    assert operators(quantized)["MatMulNBits"] == 9
