"""Builds without the weights in memory: the same bytes as builds that hold them, in every precision."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import onnx
import pytest

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import F32, Q4_1, Q8_0, write_gguf
from tests.workflows.checkpoint.peft.making import make_adapter, make_base
from tests.workflows.conftest import make_qwen3
from tests.workflows.families.models import save_decoder, save_qwen_vl, save_smolvlm, save_with_sound, save_with_tiles
from workflows.builder import BuildRequest, build
from workflows.bundle.evidence import load_evidence
from workflows.common.errors import Cancelled, JoineryError
from workflows.export import stand_ins
from workflows.graph.described_weights import WeightRecipe, join_recipes
from workflows.graph.weights import WEIGHTS
from workflows.recipe import build_memory
from workflows.wire.events import Event, NoticeEvent, ProgressEvent

_EXPERTS = {
    "hidden_size": 64, "intermediate_size": 96, "moe_intermediate_size": 96, "num_experts": 12, "num_local_experts": 12,
}  # fmt: skip
DEMOS = ("demo:qwen3", "demo:qwen3-draft")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint whose layers are copied, and whose head is a weight of its own."""
    return make_qwen3(tmp_path_factory.mktemp("checkpoint"), num_hidden_layers=6, head_dim=16)


@pytest.fixture(autouse=True)
def _stages_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)


@pytest.fixture
def common_stages(monkeypatch: pytest.MonkeyPatch, shelf: Path) -> None:
    """Precisions are made of one export in memory and of one streamed, which have keys of their own."""
    monkeypatch.setenv("JOINERY_HOME", str(shelf / "streamed"))


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of the weights, and of the graphs."""
    files = [folder / WEIGHTS, *sorted(folder.glob("*.onnx"))]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def both(source: str | Path, folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Path, Path]:
    """A bundle of which the weights were in memory, and one of which they were not."""
    build(BuildRequest(str(source), folder / "whole", options))
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    messages: list[str] = []

    def report(event: Event) -> None:
        messages.append(str(getattr(event, "message", "")))

    build(BuildRequest(str(source), folder / "streamed", options), report)
    assert not [message for message in messages if message.startswith("The build holds all weights")]
    return folder / "whole", folder / "streamed"


@pytest.mark.usefixtures("common_stages")
@pytest.mark.slow
def test_int4_is_that_of_a_build_with_the_weights_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    whole, streamed = both(source, tmp_path, monkeypatch, precision="int4")
    assert digests(streamed) == digests(whole)
    first = load_evidence(streamed)[-1]
    assert first["parity"]["greedy_tokens"] == 14 and first["parity"]["max_abs_diff"] > 0
    (truth,) = {entry["against_model"]["max_abs_diff"] for entry in load_evidence(streamed) if "against_model" in entry}
    assert truth < 1e-4


@pytest.mark.slow
def test_a_model_with_own_attention_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its layers are run one by one, and copied where the first ones are traced."""
    checkpoint = save_decoder("bloom", tmp_path / "checkpoint", num_hidden_layers=6)
    whole, streamed = both(checkpoint, tmp_path, monkeypatch, capacity=128, check="quick")
    assert digests(streamed) == digests(whole)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["qwen3_moe", "gpt_oss"])
def test_experts_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str) -> None:
    """Those that transformers merges from many stored tensors, and those that are stored merged and turned."""
    checkpoint = save_decoder(family, tmp_path / "checkpoint", num_hidden_layers=6, num_experts_per_tok=2, **_EXPERTS)
    whole, streamed = both(checkpoint, tmp_path, monkeypatch, capacity=128, check="quick", precision="int4")
    assert digests(streamed) == digests(whole)
    operators = {node.op_type for node in onnx.load(streamed / "decoder.onnx", load_external_data=False).graph.node}
    assert "QMoE" in operators and "MoE" not in operators


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["llama", "qwen3moe", "mixtral", "gpt-oss"])
def test_a_model_in_gguf_streams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, architecture: str) -> None:
    """Blocks of integers whose rows come apart, and experts that are stacked."""
    model = make_model(architecture, num_hidden_layers=4)

    def kind_of(name: str, array: Any) -> int:
        return Q4_1 if array.ndim == 2 and "ffn" not in name else Q8_0 if array.ndim > 1 else F32

    tensors = tensors_of(architecture, model, kind_of)
    file = write_gguf(tmp_path / "m.gguf", metadata_of(architecture, model.config), tensors)
    whole, streamed = both(file, tmp_path, monkeypatch, capacity=128)
    assert digests(streamed) == digests(whole)


@pytest.mark.slow
@pytest.mark.parametrize("save", [
    partial(save_qwen_vl, "qwen3_vl"), partial(save_qwen_vl, "glm4v"), partial(save_with_tiles, "gemma4"),
    partial(save_with_tiles, "paligemma"), partial(save_with_tiles, "pixtral"), partial(save_with_sound, "qwen2_audio"),
])  # fmt: skip
def test_a_model_that_sees_or_hears_streams(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path, int], Path]
) -> None:
    """Pictures of any size, whose rows enter the first layers too; embeddings for each layer; and recordings."""
    checkpoint = save(tmp_path / "checkpoint", 200)
    whole, streamed = both(checkpoint, tmp_path, monkeypatch, capacity=640, precision="int4", check="quick")
    assert digests(streamed) == digests(whole) and len(digests(whole)) == 4
    truths = {entry["against_model"]["max_abs_diff"] for entry in load_evidence(streamed) if "against_model" in entry}
    assert truths and max(truths) < 1e-4


@pytest.mark.slow
def test_what_a_pass_changes_for_pictures_alone_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison layer by layer runs the encoder, too."""
    checkpoint = save_smolvlm(tmp_path / "checkpoint", 200)
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    plain = WeightRecipe.compute

    def changed(recipe: WeightRecipe) -> Any:
        values = plain(recipe)
        return values * 1.5 if "connector" in recipe.parts[0].name and exported else values

    exported: list[bool] = []

    def report(event: Event) -> None:
        exported.extend([True] if isinstance(event, ProgressEvent) and event.stage == "optimize" else [])

    monkeypatch.setattr(WeightRecipe, "compute", changed)
    with pytest.raises(JoineryError, match="with pictures or sound"):
        build(BuildRequest(str(checkpoint), tmp_path / "bundle", {"capacity": 640}), report)


@pytest.mark.usefixtures("common_stages")
@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"precision": "fp32"},
        {"precision": "fp16"},
        {"precision": "int8"},
        {"precision": "int8-dynamic"},
        {"precision": "w8a16"},
        {"precision": "int4", "quantize": {"rounding": "compensated"}},
        {"precision": "int4", "variant": "transformer-only"},
        {"precision": "int4", "cache": "window", "capacity": 256},
        {"precision": "int4", "cache": "scatter", "early_exit": 2},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_every_precision_and_layout_is_that_of_a_whole_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], source: Path
) -> None:
    calibrated = options["precision"] == "w8a16" or "quantize" in options
    whole, streamed = both("demo:qwen3" if calibrated else source, tmp_path, monkeypatch, **options)
    assert digests(streamed) == digests(whole)


@pytest.mark.usefixtures("common_stages")
@pytest.mark.slow
def test_a_quick_check_gives_the_same_bytes_and_says_what_it_leaves_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    notices: list[str] = []

    def report(event: Event) -> None:
        notices.extend([event.message] if isinstance(event, NoticeEvent) and event.code == "check" else [])

    for check in ("full", "quick"):
        build(BuildRequest(str(source), tmp_path / check, {"precision": "int4", "check": check}), report)
    assert digests(tmp_path / "quick") == digests(tmp_path / "full")
    assert [notice.partition(":")[0] for notice in notices] == ["The check is quick"]
    tokens = {name: load_evidence(tmp_path / name)[-1]["parity"]["greedy_tokens"] for name in ("full", "quick")}
    assert tokens == {"full": 14, "quick": 3}


@pytest.mark.usefixtures("common_stages")
@pytest.mark.slow
@pytest.mark.parametrize("demo", DEMOS)
def test_every_demo_is_that_of_a_whole_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: str) -> None:
    whole, streamed = both(demo, tmp_path, monkeypatch, precision="int4")
    assert digests(streamed) == digests(whole)


@pytest.mark.slow
def test_a_cancelled_build_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path) -> None:
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    stages: list[str] = []
    cancelled = False

    def report(event: Event) -> None:
        nonlocal cancelled
        cancelled |= isinstance(event, ProgressEvent) and event.message == "quantizing the weights" and event.done == 9

    request = BuildRequest(str(source), tmp_path / "out", {"precision": "int4"})
    with pytest.raises(Cancelled):
        build(request, report, lambda: cancelled)
    build(request, lambda event: stages.append(f"{getattr(event, 'stage', '')} {getattr(event, 'state', '')}"))
    assert "export reused" in stages and "optimize reused" in stages and "quantize done" in stages


@pytest.mark.parametrize(
    "stage", ["export", *(pytest.param(s, marks=pytest.mark.slow) for s in ("optimize", "quantize"))]
)
def test_a_comparison_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path, stage: str
) -> None:
    """It ends as a cancelled build, not as graphs that do not run."""
    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    cancelled = False

    def report(event: Event) -> None:
        nonlocal cancelled
        cancelled |= isinstance(event, ProgressEvent) and (event.stage, event.unit, event.done) == (stage, "layers", 2)

    with pytest.raises(Cancelled, match=r"^The build was cancelled"):
        build(BuildRequest(str(source), tmp_path / "out", {"precision": "fp16"}), report, lambda: cancelled)
    assert cancelled


@pytest.mark.slow
def test_graphs_that_compute_otherwise_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    def wrongly_joined(recipes: list[WeightRecipe | None], axis: int) -> WeightRecipe | None:
        return join_recipes([*reversed(recipes)], axis)

    monkeypatch.setattr(build_memory, "STREAM_ABOVE", 0)
    monkeypatch.setattr("workflows.optimize.packing.join_recipes", wrongly_joined)
    with pytest.raises(JoineryError, match="changed what the model from layer 0 on computes"):
        build(BuildRequest(str(source), tmp_path / "out", {"precision": "fp32"}))


@pytest.mark.slow
def test_adapters_are_merged_weight_by_weight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a head that is tied in the base alone, and of weights that passes join."""
    adapter = tmp_path / "adapter"
    settings = {"target_modules": ["q_proj", "gate_proj", "embed_tokens"], "r": 4, "use_dora": True}
    make_adapter(make_base("qwen3", tmp_path / "base", num_hidden_layers=6), adapter, **settings)
    options = {"precision": "int4", "capacity": 128, "check": "quick", "adapter": [{"folder": str(adapter)}]}
    whole, streamed = both(tmp_path / "base", tmp_path, monkeypatch, **options)
    assert digests(streamed) == digests(whole)
