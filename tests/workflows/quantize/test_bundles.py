"""Quantized bundles of real models agree with the floating-point ones, whatever the cut, the cache and the method."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from resources.demos.train_qwen3 import HELD_BACK_FILE
from tests.workflows.conftest import Built
from tests.workflows.families.test_single import _TEXT, eager, save, text_inputs
from workflows.builder import BuildRequest, build
from workflows.builder.evaluate import EvalRequest, evaluate
from workflows.common.errors import RecipeError
from workflows.generate import open_engine
from workflows.graph.weights import WEIGHTS
from workflows.inspection.contents import inspect_path
from workflows.inspection.opened_graph import GraphLocation, open_graph
from workflows.runtime import open_single
from workflows.wire.events import Event, NoticeEvent
from workflows.wire.reports.inspection import BuiltPass

pytestmark = pytest.mark.usefixtures("stage_cache")


def quantized(out: Path, precision: str, source: str = "demo:qwen3", trust: bool = False, **options: Any) -> Path:
    build(BuildRequest(source, out, {"precision": precision, **options}, trust_remote_code=trust))
    return out


def steps_of(bundle: Path) -> dict[str, BuiltPass]:
    """Component → the one step of its quantize stage, where it has one."""
    stages = [stage for stage in inspect_path(bundle).stages if stage.name == "quantize"]
    return {stage.component: stage.passes[0] for stage in stages if stage.passes}


def said_after(bundle: Path) -> np.ndarray:
    """Logarithms of what follows each token of 400 held-back questions [tokens, V]."""
    found = []
    with open_engine(bundle) as engine:
        for row in json.loads(HELD_BACK_FILE.read_text("utf-8"))[:400]:
            engine.reset()
            chunks = engine.machine.chunks(engine.encode(row["prompt"]))
            found += [np.array(engine.machine.step(fed, phase, len(fed)), np.float64) for fed, phase in chunks]
    logits = np.concatenate(found)
    return logits - np.logaddexp.reduce(logits, -1, keepdims=True)


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """64 held-back questions: about 600 tokens of replies."""
    file = tmp_path_factory.mktemp("prompts") / "prompts.txt"
    file.write_text("\n".join(row["prompt"] for row in json.loads(HELD_BACK_FILE.read_text("utf-8"))[:64]))
    return file


@pytest.mark.parametrize(
    ("precision", "agreement"),
    [
        pytest.param("int4", 0.9, marks=pytest.mark.slow),
        pytest.param("int8", 0.98, marks=pytest.mark.slow),
        pytest.param("int8-dynamic", 0.95, marks=pytest.mark.slow),
    ],
)
def test_the_demo_keeps_its_answers(
    precision: str, agreement: float, demo_bundle: Path, prompts: Path, built: Built
) -> None:
    bundle = built("demo:qwen3", precision=precision, cache="static")  # gqa's table of angles stays as it is
    found = evaluate(EvalRequest(bundle, str(demo_bundle), prompts, steps=24, questions=200))
    assert found.positions >= 500 and found.top1_agreement >= agreement
    assert abs(found.task.reference_score - found.task.score) <= 0.02
    size, before = ((folder / WEIGHTS).stat().st_size for folder in (bundle, demo_bundle))
    assert size < 0.6 * before
    step = steps_of(bundle)["decoder"]
    assert step.modified and step.name == precision
    assert inspect_path(bundle).precision == precision


@pytest.mark.slow
def test_a_quantized_table_and_head_are_stored_once(
    demo_bundle: Path, prompts: Path, built: Built, tmp_path: Path
) -> None:
    alone = built("demo:qwen3", precision="int8", quantize={"embedding": False})
    both = quantized(tmp_path / "both", "int8")
    saved = (alone / WEIGHTS).stat().st_size - (both / WEIGHTS).stat().st_size
    assert 0 <= 1024 * 96 * 4 - saved < 1 << 16  # the float32 table, but for where tensors begin
    found = evaluate(EvalRequest(both, str(demo_bundle), prompts, steps=8, questions=0))
    assert found.top1_agreement >= 0.98


@pytest.mark.slow
def test_blocks_of_128_that_make_up_for_their_errors_keep_more_than_plain_ones_of_32(
    demo_bundle: Path, tmp_path: Path
) -> None:
    """By the words of questions, of which the demo is less sure than of its answers."""
    wanted, lost = said_after(demo_bundle), {}
    plain = {"rounding": "nearest", "block_size": 32, "fine_block_size": None, "symmetric": True}
    whole = {"rounding": "compensated", "block_size": 128, "fine_block_size": 32, "head": None, "embedding": None}
    for rounding, quantize in (("nearest", plain | {"head": None, "embedding": None}), ("compensated", whole)):
        bundle = quantized(tmp_path / rounding, "int4", quantize=quantize)
        lost[rounding] = float((np.exp(wanted) * (wanted - said_after(bundle))).sum(-1).mean())
        recipe = json.loads((bundle / "recipe.json").read_text("utf-8"))["quantize"]
        assert recipe["embedding"] is None and recipe["symmetric"] == (rounding == "nearest")
        assert recipe["block_size"] == (128 if rounding == "compensated" else 32)
    assert lost["compensated"] < 0.8 * lost["nearest"]
    entry = next(one for one in json.loads((bundle / "evidence.json").read_text()) if one["name"] == "quantize")
    assert entry["calibrated"].startswith("rounded with ")


@pytest.mark.slow
def test_prefill_and_decode_share_what_was_quantized(demo_split_bundle: Path, prompts: Path, tmp_path: Path) -> None:
    split = quantized(tmp_path / "split", "int4", graphs="prefill-decode", capacity=256)
    found = evaluate(EvalRequest(split, str(demo_split_bundle), prompts, steps=8, questions=0))
    assert found.top1_agreement >= 0.9
    places = []
    for name in ("prefill", "decode"):
        initializers = ir.load(split / f"{name}.onnx").graph.initializers
        large = {key: value.const_value for key, value in initializers.items() if ".int4" in key}
        places.append({key: tensor.offset for key, tensor in large.items() if isinstance(tensor, ir.ExternalTensor)})
    assert places[0] == places[1] and len(places[0]) > 20


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["int8", "fp16"])
@pytest.mark.parametrize("cache", ["static", "window", "gqa", "scatter"])
def test_every_cache_takes_it(cache: str, precision: str, demo_bundle: Path, prompts: Path, tmp_path: Path) -> None:
    room = {} if cache in ("static", "gqa") else {"capacity": 256}  # those are exported for others as they are
    bundle = quantized(tmp_path / cache, precision, cache=cache, **room)
    found = evaluate(EvalRequest(bundle, str(demo_bundle), prompts, steps=8, questions=0))
    assert found.top1_agreement >= 0.98
    dtypes = {group.dtype for group in inspect_path(bundle).kv}
    assert dtypes == {"float16" if precision == "fp16" else "float32"}


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["int8", "fp16", "int8-dynamic"])
@pytest.mark.parametrize("source", ["demo:t5", "demo:mu"])
def test_encoders_and_decoders(source: str, precision: str, built: Built, tmp_path: Path) -> None:
    plain = built(source, trust_remote_code=True)
    bundle = quantized(tmp_path / precision, precision, source, trust=True)
    assert all(step.modified for step in steps_of(bundle).values()) and len(steps_of(bundle)) == 2
    found = evaluate(EvalRequest(bundle, str(plain), None, steps=16, questions=100))
    assert found.top1_agreement >= 0.97
    assert found.task.score >= found.task.reference_score - 0.02


@pytest.mark.slow
def test_one_graph_without_a_cache(tmp_path: Path) -> None:
    source = save("bert", "AutoModelForMaskedLM", _TEXT, tmp_path / "bert")
    bundle = quantized(tmp_path / "int8", "int8", str(source))
    stage = next(stage for stage in inspect_path(bundle).stages if stage.name == "quantize")
    assert stage.passes[0].modified and stage.parity.max_abs_diff > 0
    opened = open_single(bundle)
    inputs = text_inputs([entry.name for entry in opened.inputs], 64)
    reference = eager(source, "AutoModelForMaskedLM", inputs, "logits")
    error = opened.run(inputs)["logits"] - reference
    assert 0 < np.linalg.norm(error) / np.linalg.norm(reference) < 0.02


@pytest.mark.slow
def test_convolutions_are_refused_each_with_its_name_and_components_have_their_own(tmp_path: Path) -> None:
    options = {"variant": "transformer-only", "capacity": 128, "quantize": {"components": {"head": "int8"}}}
    bundle = quantized(tmp_path / "npu", "int4", **options)
    steps = steps_of(bundle)
    assert steps["head"].name == "int8" and steps["head"].modified
    assert steps["prefill"].name == "int4" and not steps["prefill"].modified
    refused = steps["prefill"].refused
    assert len(refused) == 21 and all("Conv" in one.reason and one.node for one in refused)


def test_the_stage_has_a_graph_of_its_own_and_the_earlier_ones_stay(built: Built) -> None:
    bundle = built("demo:qwen3", precision="int4")
    places = {name: GraphLocation(bundle, "decoder", name) for name in ("export", "int4")}
    seen = {name: {row.op for row in open_graph(place).view.nodes} for name, place in places.items()}
    assert "MatMulNBits" in seen["int4"] and "MatMulNBits" not in seen["export"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            {"precision": "int4", "quantize": {"exclude": ["node_linear_4"]}},
            "near it are .*node_linear_3",
            marks=pytest.mark.slow,
        ),
        ({"quantize": {"components": {"prefill": "int4"}}}, "this recipe divides the model into decoder"),
        ({"precision": "int4", "quantize": {"block_size": 24}}, "quantize.block_size is wrong"),
        ({"precision": "int4", "quantize": {"bits": 3}}, "quantize.bits is wrong"),
    ],
)
def test_what_cannot_be_requested(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=message):
        build(BuildRequest("demo:qwen3", tmp_path / "out", options))
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_bf16_is_built_with_a_word_before_and_after(tmp_path: Path) -> None:
    told: list[Event] = []
    build(BuildRequest("demo:qwen3", tmp_path / "out", {"precision": "bf16"}), told.append)
    words = [event.message for event in told if isinstance(event, NoticeEvent)]
    assert "does not run on the CPU provider" in words[0] and "MatMul" in words[-1]
    stage = inspect_path(tmp_path / "out").stages[-1]
    assert "MatMul" in stage.parity.note and stage.parity.max_abs_diff is None
