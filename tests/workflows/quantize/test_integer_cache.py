"""A cache in integers: both branches by numpy and by the float graph, over heads, windows and biases of many kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime as ort
import pytest
import torch
from numpy.typing import NDArray
from transformers import AutoModelForCausalLM

from tests.workflows.conftest import Built
from tests.workflows.families.models import save_decoder
from tests.workflows.optimize.making import operators, parse
from workflows.builder.evaluate import EvalRequest, evaluate
from workflows.bundle import verify_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RecipeError
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.prefill import feed_tokens
from workflows.inspection.contents import check_bundle
from workflows.inspection.probe.checkpoint_facts import plan_report
from workflows.quantize.integer_cache import FEW, KeyRotation, key_rotations, quantize_cache, scale_of
from workflows.recipe import resolve_recipe
from workflows.wire.events import GenerationDone

pytestmark = pytest.mark.usefixtures("stage_cache")
CAPACITY = 64
RUNS = (20, 1, FEW, FEW + 1, 3, 1, 12)


def frequencies(rotated: int) -> NDArray[np.float64]:
    """Radians a position for each pair of channels; the last turns too slowly to show its other channel."""
    return 1 / 100_000 ** np.linspace(0, 1, rotated // 2)


@dataclass
class Attention:
    """A graph of one attention, or of two of which the second reads the first one's cache."""

    heads: int = 4
    kv_heads: int = 2
    size: int = 16
    rotated: int = 16
    attributes: Mapping[str, Any] = field(default_factory=dict)
    biased: bool = False
    read_again: bool = False

    @property
    def name(self) -> str:
        more = "".join(f"-{name}" for name in ("biased", "read_again") if getattr(self, name))
        return f"{self.heads}-{self.kv_heads}-{self.size}-{self.rotated}{more}-{'-'.join(self.attributes)}"

    def graph(self) -> ir.Model:
        wide, narrow = self.heads * self.size, self.kv_heads * self.size
        named = {"num_heads": self.heads, "kv_num_heads": self.kv_heads} | dict(self.attributes)
        settings = ", ".join(f"{name} = {value}" for name, value in named.items())
        tables = "cos, sin" if self.rotated else '"", ""'
        more = f', {tables}, ""{", bias" if self.biased else ""}'
        rotary = f", do_rotary = {int(self.rotated > 0)}"
        cache = f"float[1,{self.kv_heads},capacity,{self.size}]"
        nodes = f"y, key_after, value_after = {_GQA} <{settings}{rotary}> (q, k, v, key, value, last, total{more})"
        if self.read_again:
            nodes += f""" none = Slice (k, nothing, nothing, axis)
                z = {_GQA} <{settings}> (y, none, none, key_after, value_after, last, total)"""
        bias = f", float[1,{self.heads},sequence,keys] bias" if self.biased else ""
        text = f"""g (int64[1,sequence] input_ids, float[1,sequence,{wide}] q, float[1,sequence,{narrow}] k,
            float[1,sequence,{narrow}] v, {cache} key, {cache} value, int32[1] last, int32 total{bias}) =>
            (float[1,sequence,{wide}] {"z" if self.read_again else "y"}, {cache} key_after, {cache} value_after)
            {{ {nodes} }}"""
        angles = np.outer(np.arange(CAPACITY), frequencies(self.rotated))
        arrays: dict[str, NDArray[Any]] = {}
        if self.rotated:
            arrays |= {"cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32)}
        if self.read_again:
            arrays |= {"nothing": np.array([0]), "axis": np.array([1])}
        return parse(text, opset=24, contrib=True, **arrays)


_GQA = "com.microsoft.GroupQueryAttention"


class Cached:
    """A session that runs a graph over one buffer for past and present, as the runtime binds them."""

    def __init__(self, model: ir.Model, dtype: type, shape: Sequence[int]) -> None:
        options = ort.SessionOptions()
        options.log_severity_level = 4
        self._session = ort.InferenceSession(ir.to_proto(model).SerializeToString(), options, ["CPUExecutionProvider"])
        self._buffers = [ort.OrtValue.ortvalue_from_numpy(np.zeros(shape, dtype)) for _ in range(2)]
        self._known = {value.name for value in self._session.get_inputs()}

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        binding = self._session.io_binding()
        for name in self._known & inputs.keys():
            binding.bind_cpu_input(name, inputs[name])
        for name, buffer in zip(("key", "value"), self._buffers, strict=True):
            binding.bind_ortvalue_input(name, buffer)
            binding.bind_ortvalue_output(f"{name}_after", buffer)
        result = next(name for name in ("y", "z") if name in {value.name for value in self._session.get_outputs()})
        binding.bind_output(result)
        self._session.run_with_iobinding(binding)
        return np.array(binding.get_outputs()[-1].numpy())

    @property
    def rows(self) -> list[NDArray[Any]]:
        return [buffer.numpy() for buffer in self._buffers]


def step(case: Attention, tokens: int, total: int) -> dict[str, NDArray[Any]]:
    made = np.random.default_rng(total)
    widths = (case.heads * case.size, case.kv_heads * case.size, case.kv_heads * case.size)
    rows = {
        name: made.standard_normal((1, tokens, width), np.float32) for name, width in zip("qkv", widths, strict=True)
    }
    rows["k"][..., ::5] *= 12  # as some channels of real models are
    bias = made.standard_normal((1, case.heads, tokens, total), np.float32)
    lengths = {"last": np.array([total - 1], np.int32), "total": np.array(total, np.int32)}
    return {"input_ids": np.zeros((1, tokens), np.int64), "bias": bias, **rows, **lengths}


def by_numpy(
    case: Attention, inputs: Mapping[str, NDArray[Any]], key: NDArray[Any], value: NDArray[Any], turn: bool = True
) -> NDArray[np.float64]:
    """Attention to rows [H, T, D] that a cache holds, the last of which are the queries' own."""
    query = inputs["q"][0].reshape(-1, case.heads, case.size).transpose(1, 0, 2).astype(np.float64)
    tokens, total = query.shape[1], key.shape[1]
    at = np.arange(total - tokens, total)
    if case.rotated and turn:
        query = rotated(query, at, case)
    key, value = (np.repeat(rows, case.heads // case.kv_heads, axis=0) for rows in (key, value))
    scores = query @ key.transpose(0, 2, 1) * case.attributes.get("scale", case.size**-0.5)
    if cap := case.attributes.get("softcap"):
        scores = cap * np.tanh(scores / cap)
    scores = scores + inputs["bias"][0] if case.biased else scores
    back = at[:, None] - np.arange(total)
    scores[:, (back < 0) | (back >= case.attributes.get("local_window_size", total))] = -np.inf
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (shares / shares.sum(-1, keepdims=True)) @ value
    return mixed.transpose(1, 0, 2).reshape(1, tokens, -1)


def rotated(rows: NDArray[Any], at: NDArray[Any], case: Attention) -> NDArray[Any]:
    cos, sin = (turn(np.outer(at, frequencies(case.rotated))) for turn in (np.cos, np.sin))
    half = case.rotated // 2
    pairs = (slice(0, case.rotated, 2), slice(1, case.rotated, 2))
    if not case.attributes.get("rotary_interleaved"):
        pairs = (slice(0, half), slice(half, case.rotated))
    first, second = (rows[..., part] for part in pairs)
    turned = rows.copy()
    turned[..., pairs[0]], turned[..., pairs[1]] = first * cos - second * sin, second * cos + first * sin
    return turned


CASES = [
    Attention(),
    Attention(heads=2, kv_heads=2, size=24, rotated=0),
    Attention(heads=6, kv_heads=1, size=40, rotated=0),
    Attention(heads=3, kv_heads=3, size=80, rotated=32),
    Attention(size=128, rotated=128, attributes={"rotary_interleaved": 1}),
    Attention(attributes={"local_window_size": 7}),
    Attention(attributes={"softcap": 2.0, "scale": 0.3}),
    Attention(rotated=0, biased=True),
    Attention(biased=True, attributes={"local_window_size": 9}),
    Attention(read_again=True),
    Attention(read_again=True, attributes={"local_window_size": 7}, size=8, rotated=0),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_attention_to_integers_is_numpy_s(case: Attention) -> None:
    """A few tokens attend to the integers alone, and many to their own rows as they came."""
    model, total = case.graph(), 0
    shape = (1, case.kv_heads, CAPACITY, case.size)
    plain = Cached(model, np.float32, shape)
    steps = [step(case, tokens, sum(RUNS[: number + 1])) for number, tokens in enumerate(RUNS)]
    for inputs in steps:
        plain.run(inputs)
    key, value = plain.rows
    reaches = {"key": key_rotations(model)["key"].reach(key), "value": np.abs(value).max(2, keepdims=True)}
    scales = {name: scale_of(reach) for name, reach in reaches.items()}
    assert quantize_cache(model, scales).modified and operators(model)["If"] == 1
    integers = Cached(model, np.int8, shape)
    for inputs, tokens in zip(steps, RUNS, strict=True):
        total += tokens
        got = integers.run(inputs)
        held = [rows * scale for rows, scale in zip(integers.rows, scales.values(), strict=True)]
        for rows, whole, scale in zip(held, plain.rows, scales.values(), strict=True):
            assert np.all(np.abs(rows - whole)[:, :, :total] <= 0.51 * scale)
        seen = [rows[0, :, :total].astype(np.float64) for rows in held]
        own = [rows.copy() for rows in seen]
        if tokens > FEW:
            for rows, whole in zip(own, plain.rows, strict=True):
                rows[:, total - tokens :] = whole[0, :, total - tokens : total]
        want = by_numpy(case, inputs, own[0], own[1])
        if case.read_again:
            want = by_numpy(case, {**inputs, "q": want}, seen[0], seen[1], turn=False)
        np.testing.assert_allclose(got, want, atol=1e-4)


def test_a_past_that_grows_gives_the_same_as_a_buffer() -> None:
    """As a caller runs it that binds no buffer for past and present: both branches return past and new rows joined."""
    case, total = Attention(), 0
    model, shape = case.graph(), (1, case.kv_heads, CAPACITY, case.size)
    scales = {name: np.full((1, case.kv_heads, 1, case.size), 0.4, np.float32) for name in ("key", "value")}
    quantize_cache(model, scales)
    buffered = Cached(model, np.int8, shape)
    session = ort.InferenceSession(ir.to_proto(model).SerializeToString(), providers=["CPUExecutionProvider"])
    past = dict.fromkeys(("key", "value"), np.zeros((1, case.kv_heads, 0, case.size), np.int8))
    for tokens in RUNS:
        total += tokens
        inputs = step(case, tokens, total)
        fed = {value.name: inputs[value.name] for value in session.get_inputs() if value.name not in past} | past
        found = dict(zip([value.name for value in session.get_outputs()], session.run(None, fed), strict=True))
        np.testing.assert_array_equal(found["y"], buffered.run(inputs))
        past = {name: found[f"{name}_after"] for name in past}
        for grown, rows in zip(past.values(), buffered.rows, strict=True):
            np.testing.assert_array_equal(grown, rows[:, :, :total])


def test_a_pair_of_channels_may_turn_to_any_angle() -> None:
    """Keys of short texts show one channel of a slow pair large, and at other positions the other one is."""
    keys = np.zeros((1, 1, 3, 8), np.float32)
    keys[0, 0, :, 3] = (3, -40, 5)
    keys[0, 0, :, 7] = (4, 9, 12)
    halves, neighbours = KeyRotation(8).reach(keys), KeyRotation(8, interleaved=True).reach(keys)
    np.testing.assert_allclose(halves[0, 0, 0], [0, 0, 0, 41, 0, 0, 0, 41])
    np.testing.assert_allclose(neighbours[0, 0, 0], [0, 0, 40, 40, 0, 0, 12, 12])
    np.testing.assert_allclose(KeyRotation(0).reach(keys)[0, 0, 0], np.full(8, 40 * 2**0.5), rtol=1e-6)
    np.testing.assert_allclose(KeyRotation(4).reach(keys)[0, 0, 0], [0, 40, 0, 40, 0, 0, 0, 12])


# -- in a bundle -----------------------------------------------------------------------------------------------------

LENGTHS = (1, FEW, FEW + 1, 15, 16, 17, 39, 120)  # at both branches, around the chunk of 16, and near the capacity
SHARED = {
    "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "sliding_window": 24,
    "num_kv_shared_layers": 2, "head_dim": 16, "global_head_dim": 32, "hidden_size_per_layer_input": 8,
}  # two layers read the keys of two others  # fmt: skip
BUNDLES: list[Any] = [
    ("llama", {}, {}),
    pytest.param("gemma3_text", {}, {"head_dim": 24, "hidden_size": 60}, marks=pytest.mark.slow),
    pytest.param("gpt2", {}, {}, marks=pytest.mark.slow),
    pytest.param("qwen3_5_text", {}, {}, marks=pytest.mark.slow),
    pytest.param("gemma4_text", {}, SHARED, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("family", "options", "sizes"), BUNDLES)
def test_logits_are_the_checkpoint_s_at_every_length(
    family: str, options: dict[str, Any], sizes: dict[str, Any], built: Built, tmp_path: Path
) -> None:
    """Prompts, and four tokens fed alone behind each, through a cache of which every number is an integer."""
    source, texts = save_decoder(family, tmp_path / family, **sizes), tmp_path / "ids.txt"
    made = np.random.default_rng(0)
    texts.write_text("\n".join(",".join(map(str, made.integers(3, 200, 50))) for _ in range(8)))
    settings = {"quantize": {"calibration": {"prompts": str(texts)}}, **options}
    bundle = built(source, chunk=16, capacity=128, kv_dtype="int8", **settings)
    model = AutoModelForCausalLM.from_pretrained(source).eval()
    with open_engine(bundle) as engine:
        assert {tensor.dtype for tensor in engine.machine.cache.tensors.values()} == {"int8"}
        for length in LENGTHS:
            ids = np.random.default_rng(length).integers(3, 200, length + 4).tolist()
            engine.reset()
            *_, fed = feed_tokens(engine.machine, ids[:length])
            got = [np.array(fed.logits), *(np.array(engine.machine.step([token])[-1]) for token in ids[length:])]
            with torch.no_grad():
                want = model(torch.tensor([ids])).logits[0, length - 1 :].numpy()
            errors = np.linalg.norm(np.stack(got) - want, axis=-1) / np.linalg.norm(want, axis=-1)
            assert errors.mean() <= 0.06 and errors.max() <= 0.15, (length, errors)
    assert verify_bundle(bundle).ok and check_bundle(bundle).ok


@pytest.mark.slow
def test_the_demo_answers_alike_with_drafts_and_with_a_kept_prompt(built: Built) -> None:
    """A run of drafts goes through the branch of a single token; a second turn begins with the first one's cache."""
    with open_engine(built("demo:qwen3", precision="int4", kv_dtype="int8")) as engine:
        ids, found = engine.encode("What is 8 times 7?"), []
        for drafts in (False, True, False):
            *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=12, drafts=drafts))
            assert isinstance(done, GenerationDone)
            found.append(done.token_ids)
        assert found[0] == found[1] == found[2] and "56" in engine.text.decode(found[0])


def test_the_stage_is_in_the_estimate() -> None:
    checkpoint = open_checkpoint("demo:qwen3")
    stages = [plan_report(checkpoint, {"kv_dtype": dtype}).estimate.stages for dtype in ("float32", "int8")]
    assert ["quantize" in one for one in stages] == [False, True]


def test_an_evaluation_compares_numbers_and_not_integers(built: Built, demo_bundle: Path) -> None:
    found = evaluate(EvalRequest(built("demo:qwen3", kv_dtype="int8"), str(demo_bundle), None, steps=8, questions=0))
    assert found.top1_agreement == 1 and (found.kv_cosine or 0) > 0.999


@pytest.mark.slow
def test_prompts_in_8_bit_products_share_the_cache(built: Built, demo_bundle: Path) -> None:
    bundle = built("demo:qwen3", precision="int4", kv_dtype="int8", fast_prefill=True)
    found = evaluate(EvalRequest(bundle, str(demo_bundle), None, steps=8, questions=100))
    assert found.top1_agreement >= 0.95 and found.task is not None
    assert abs(found.task.reference_score - found.task.score) <= 0.02


@pytest.mark.parametrize(
    ("source", "options", "why"),
    [
        ("demo:qwen3", {"target": "qnn", "graphs": "single"}, "The target qnn"),
        ("demo:qwen3", {"target": "dml"}, "the kernels of the CPU provider"),
        ("demo:qwen3", {"graphs": "prefill-decode"}, "graphs=single"),
        ("demo:qwen3", {"variant": "transformer-only"}, "as transformer-only"),
        ("demo:qwen3", {"precision": "fp16"}, "and not with fp16"),
        ("demo:qwen3", {"precision": "w8a16"}, "and not with w8a16"),
        ("demo:qwen3", {"opset": 23}, "needs opset 24"),
        ("demo:qwen3", {"cache": "static"}, "needs --cache gqa"),
        ("demo:t5", {}, "a decoder without an encoder"),
        ("demo:vision", {"precision": "int4"}, "calibrated with text"),
    ],
)
def test_what_cannot_be_is_refused(source: str, options: dict[str, Any], why: str) -> None:
    with pytest.raises(RecipeError, match=why):
        resolve_recipe(open_checkpoint(source), options | {"kv_dtype": "int8"})


@pytest.mark.parametrize(
    ("source", "options", "offered"),
    [
        ("demo:qwen3", {}, True),
        ("demo:qwen3_5", {"precision": "int4"}, True),
        ("demo:qwen3", {"cache": "static"}, False),
        ("demo:qwen3", {"target": "dml"}, False),
        ("demo:t5", {}, False),
        ("demo:vision", {}, False),
    ],
)
def test_a_plan_offers_what_can_be_at_a_quarter_of_the_memory(
    source: str, options: dict[str, Any], offered: bool
) -> None:
    checkpoint = open_checkpoint(source)
    plan = plan_report(checkpoint, options)
    assert plan.offers_int8_cache is offered
    if offered:
        assert plan_report(checkpoint, options | {"kv_dtype": "int8"}).estimate.kv_bytes * 4 == plan.estimate.kv_bytes
