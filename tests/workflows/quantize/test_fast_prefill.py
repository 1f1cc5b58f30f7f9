"""8-bit products for prompts: by hand, in bundles of several architectures and layouts, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from transformers import AutoModelForCausalLM

from tests.workflows.conftest import Built
from tests.workflows.families.models import save_decoder
from tests.workflows.optimize.making import operators, parse, values, weights
from tests.workflows.recipe.test_cut import decoder
from workflows.builder.evaluate import EvalRequest, evaluate
from workflows.bundle import verify_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.prefill import feed_tokens
from workflows.inspection.contents import check_bundle, inspect_path
from workflows.inspection.probe.checkpoint_facts import plan_report
from workflows.quantize import METHODS, run_method
from workflows.quantize.fast_prefill import FastPrefill
from workflows.quantize.int8_dynamic import SIGNED
from workflows.quantize.mixed_precision import MixedPrecision
from workflows.recipe import QuantizeSettings, resolve_recipe
from workflows.recipe.precision import weight_bytes
from workflows.recipe.schema import NodePrecision
from workflows.wire.events import GenerationDone

pytestmark = pytest.mark.usefixtures("stage_cache")
METHOD = FastPrefill(METHODS["int4"])
BLOCKS = {"block_size": 128, "fine_block_size": 128, "symmetric": True}
# int4's blocks where bytes and time count
COMPACT = {"block_size": 64, "fine_block_size": 32, "rounding": "search", "head": None, "embedding": None}
SAME = {**BLOCKS, "head": None, "embedding": None}  # of steps, as fast_prefill has them: no head in 8 bits
TWO = "g (float[5,64] x) => (float[5,24] logits) { h = MatMul(x, w) logits = MatMul(h, v) }"


def by_hand(x: NDArray[np.float32], w: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows over their largest number, ONNX's DynamicQuantizeLinear of all, and a product in integers."""
    top = np.maximum(np.abs(x).max(-1, keepdims=True), np.finfo(np.float32).tiny)
    rows = x / top
    low, high = min(float(rows.min()), 0.0), max(float(rows.max()), 0.0)
    scale = np.float32((high - low) / 255)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    integers = np.clip(np.rint(rows / scale) + zero, 0, 255).astype(np.int32) - int(zero)
    columns, scales = SIGNED.quantize(w)
    return ((integers @ columns.astype(np.int32)) * scale * scales * top).astype(np.float32)


@pytest.mark.parametrize("inner", [8, 33, 256])
def test_products_in_front_of_the_head_are_numpy_s_integers(inner: int) -> None:
    w, x = weights(inner, 24), weights(5, inner, seed=1)
    x[2] = 0
    text = f"g (float[5,{inner}] x) => (float[5,24] h, float[5,8] logits) {{ h = MatMul(x, w) logits = MatMul(h, v) }}"
    model = parse(text, w=w, v=weights(24, 8, seed=2))
    assert run_method(model, METHOD, QuantizeSettings()).modified
    found = operators(model)
    assert found["DynamicQuantizeMatMul"] == 1 and found["MatMulNBits"] == 1 and "w" not in model.graph.initializers
    got, _ = values(model, {"x": x})
    np.testing.assert_allclose(got, by_hand(x, w), atol=1e-5)
    assert not got[2].any()


def test_a_row_of_large_numbers_leaves_the_others_their_bits() -> None:
    """As the first token of many models has them; the operator by itself has one range for all rows."""
    w, x = weights(64, 24), weights(6, 64, seed=1)
    x[0] *= 3_000
    errors = {}
    for name, method in (("rows", METHOD), ("run", METHODS["int8-dynamic"])):
        text = "g (float[6,64] x) => (float[6,24] y) { y = MatMul(x, w) }"
        model = parse(text, w=w)
        run_method(model, method, QuantizeSettings())
        (got,) = values(model, {"x": x})
        errors[name] = np.abs(got[1:] - x[1:] @ w).max() / np.abs(x[1:] @ w).max()
    assert errors["rows"] < 0.03 < 0.5 < errors["run"]


def test_the_largest_weights_do_not_overflow() -> None:
    """255 · 127 twice is beyond 16 bits, where kernels for CPUs without VNNI add in pairs."""
    w, x = np.full((64, 16), -3.0, np.float32), np.full((4, 64), 5.0, np.float32)
    model = parse("g (float[4,64] x) => (float[4,16] y) { y = MatMul(x, w) }", w=w)
    run_method(model, METHOD, QuantizeSettings())
    np.testing.assert_allclose(values(model, {"x": x})[0], x @ w, rtol=1e-4)


def test_a_bias_is_added_to_the_scaled_rows() -> None:
    w, x, b = weights(16, 64), weights(4, 64, seed=1) * 40, weights(16, seed=2)
    model = parse("g (float[4,64] x) => (float[4,16] y) { y = Gemm <transB = 1> (x, w, b) }", w=w, b=b)
    run_method(model, METHOD, QuantizeSettings())
    np.testing.assert_allclose(values(model, {"x": x})[0], by_hand(x, w.T) + b, atol=1e-3)


def test_a_node_with_a_precision_keeps_it() -> None:
    model = parse(TWO, w=weights(64, 64), v=weights(64, 24))
    next(iter(model.graph)).name = "first"
    settings = QuantizeSettings(nodes={"first": NodePrecision(precision="int8")})
    run_method(model, FastPrefill(MixedPrecision(METHODS["int4"])), settings)
    assert operators(model) == {"MatMulNBits": 2}
    assert {node.attributes.get_int("bits") for node in model.graph} == {8, 4}


@pytest.mark.parametrize(
    ("source", "precision", "offered"),
    [
        ("demo:qwen3", "int4", True),
        ("demo:qwen3", "int8", False),
        ("demo:t5", "int4", False),
        ("demo:vision", "int4", True),
    ],
)
def test_a_plan_offers_what_can_be(source: str, precision: str, offered: bool) -> None:
    assert plan_report(open_checkpoint(source), {"precision": precision}).offers_fast_prefill is offered


def test_excluded_nodes_stay_and_half_precision_keeps_the_method_of_steps() -> None:
    model = parse(TWO, w=weights(64, 64), v=weights(64, 24))
    next(iter(model.graph)).name = "first"
    report = run_method(model, METHOD, QuantizeSettings(exclude=("first",)))
    assert operators(model) == {"MatMul": 1, "MatMulNBits": 1} and report.refused[0].node == "first"
    w, v = weights(64, 64, dtype=np.float16), weights(64, 24, dtype=np.float16)
    half = parse(TWO.replace("float[", "float16["), w=w, v=v)
    run_method(half, METHOD, QuantizeSettings())
    assert operators(half) == {"MatMulNBits": 2}


# -- in a bundle -----------------------------------------------------------------------------------------------------

LENGTHS = (1, 15, 16, 17, 39)  # below, at, above and no multiple of the chunk of 16; past windows of 24
CASES: list[Any] = [
    ("llama", {"cache": "gqa"}, {}),
    pytest.param("gemma3_text", {"cache": "static"}, {"head_dim": 20, "hidden_size": 60}, marks=pytest.mark.slow),
    pytest.param("qwen3", {"cache": "scatter"}, {"head_dim": 24}, marks=pytest.mark.slow),
    pytest.param("mistral", {"cache": "window", "capacity": 64}, {}, marks=pytest.mark.slow),
    pytest.param("gpt2", {"cache": "static"}, {}, marks=pytest.mark.slow),
    pytest.param("qwen3_moe", {"cache": "gqa"}, {}, marks=pytest.mark.slow),
    pytest.param("qwen3_5_text", {}, {}, marks=pytest.mark.slow),
]


def last_logits(bundle: Path, ids: list[int]) -> NDArray[np.float32]:
    with open_engine(bundle) as engine:
        *_, fed = feed_tokens(engine.machine, ids)
        return np.array(fed.logits)


@pytest.mark.parametrize(("family", "options", "sizes"), CASES)
def test_prompts_are_nearer_to_the_checkpoint_than_in_blocks(
    family: str, options: dict[str, Any], sizes: dict[str, Any], built: Built, tmp_path: Path
) -> None:
    source = save_decoder(family, tmp_path / family, **sizes)
    settings = {"precision": "int4", "chunk": 16, "capacity": 128} | options
    plain = built(source, **settings, quantize=dict(COMPACT))
    fast = built(source, **settings, fast_prefill=True, quantize={"rounding": "search"})
    model = AutoModelForCausalLM.from_pretrained(source).eval()
    errors: dict[str, list[float]] = {"fast": [], "plain": []}
    for length in LENGTHS:
        ids = np.random.default_rng(length).integers(3, 200, length).tolist()
        with torch.no_grad():
            want = model(torch.tensor([ids])).logits[0, -1].numpy()
        for name, bundle in (("fast", fast), ("plain", plain)):
            errors[name].append(float(np.linalg.norm(last_logits(bundle, ids) - want) / np.linalg.norm(want)))
    assert sum(errors["fast"]) <= 0.95 * sum(errors["plain"]), errors
    assert verify_bundle(fast).ok and check_bundle(fast).ok


@pytest.mark.slow
def test_steps_have_the_graph_of_a_bundle_without_it(built: Built, tmp_path: Path) -> None:
    """A token alone after a token alone goes through the same operators over the same weights, and gives the same."""
    source = save_decoder("llama", tmp_path / "llama")
    settings = {"precision": "int4", "cache": "gqa", "chunk": 16, "capacity": 128, "quantize": dict(SAME)}
    fast, plain = built(source, **settings, fast_prefill=True), built(source, **settings)
    rows = []
    for bundle in (fast, plain):
        with open_engine(bundle) as engine:
            rows.append(np.stack([engine.machine.step([token])[-1] for token in (5, 6, 7, 8)]))
    np.testing.assert_array_equal(*rows)
    counts = {part.name: part.op_counts for part in inspect_path(fast).components}
    named = {name: ops.get("com.microsoft.DynamicQuantizeMatMul", 0) for name, ops in counts.items()}
    assert named == {"prefill": 8, "decode": 0}


@pytest.mark.slow
def test_drafts_and_cached_prompts_answer_alike(built: Built) -> None:
    """The demo, with and without n-gram drafts; a second turn begins with the first one's cache."""
    with open_engine(built("demo:qwen3", precision="int4", fast_prefill=True)) as engine:
        ids = engine.encode("What is 8 times 7?")
        found = []
        for drafts in (False, True, False):
            *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=12, drafts=drafts))
            assert isinstance(done, GenerationDone)
            found.append(done.token_ids)
        assert found[0] == found[1] == found[2] and "56" in engine.text.decode(found[0])


@pytest.mark.slow
def test_the_demo_answers_as_in_fp32(built: Built, demo_bundle: Path) -> None:
    bundle = built("demo:qwen3", precision="int4", fast_prefill=True)
    found = evaluate(EvalRequest(bundle, str(demo_bundle), None, steps=16, questions=200))
    assert found.top1_agreement >= 0.95 and found.task is not None
    assert abs(found.task.reference_score - found.task.score) <= 0.01


def test_the_cut_has_two_graphs_of_any_length() -> None:
    cut = decoder(fast_prefill=True, precision="int4")
    assert cut.stages == (("prefill", "init"), ("decode", "step"))
    assert {(part.copy_of, part.columns, part.slots) for part in cut.components} == {("decoder", None, None)}


@pytest.mark.parametrize(
    ("source", "options", "why"),
    [
        ("demo:qwen3", {}, "goes with int4, .* and not with fp32"),
        ("demo:qwen3", {"precision": "int8"}, "goes with int4, .* and not with int8"),
        ("demo:qwen3", {"precision": "int4", "target": "qnn", "graphs": "single"}, "The target qnn"),
        ("demo:qwen3", {"precision": "int4", "target": "dml"}, "the kernels of the CPU provider"),
        ("demo:qwen3", {"precision": "int4", "graphs": "prefill-decode"}, "graphs=single"),
        ("demo:qwen3", {"precision": "int4", "variant": "transformer-only"}, "as transformer-only"),
        (
            "demo:qwen3",
            {"precision": "int4", "quantize": {"components": {"prefill": "fp32"}}},
            "components.prefill out",
        ),
        ("demo:t5", {"precision": "int4"}, "a decoder without an encoder"),
    ],
)
def test_what_cannot_be_is_refused(source: str, options: dict[str, Any], why: str) -> None:
    with pytest.raises(RecipeError, match=why):
        resolve_recipe(open_checkpoint(source), options | {"fast_prefill": True})


def test_steps_have_the_fastest_blocks_unless_a_recipe_chooses() -> None:
    checkpoint, fast = open_checkpoint("demo:qwen3"), {"precision": "int4", "fast_prefill": True}
    assert BLOCKS.items() <= resolve_recipe(checkpoint, fast).quantize.model_dump().items()
    chosen = resolve_recipe(checkpoint, fast | {"quantize": {"block_size": 32}}).quantize
    assert (chosen.block_size, chosen.symmetric) == (32, True)


def test_the_estimate_counts_both() -> None:
    """100 M numbers, of which 20 M are a table that is tied to the head and stays in float32 beside it."""
    sizes = (100_000_000, 20_000_000, True)
    plain, fast = (
        resolve_recipe(open_checkpoint("demo:qwen3"), {"precision": "int4", "quantize": BLOCKS, "fast_prefill": fast})
        for fast in (False, True)
    )
    assert weight_bytes(fast, "int4", *sizes) - weight_bytes(plain, "int4", *sizes) == 80_000_000
