"""Models that are one graph without a cache: the numbers of eager PyTorch; the task is found from the checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import save_encoder_decoder
from workflows.builder import BuildRequest, build
from workflows.checkpoint import open_checkpoint
from workflows.cli import run
from workflows.common.errors import BundleError, GraphError, RecipeError, RequestError
from workflows.generate import open_engine
from workflows.inspection.contents import inspect_path
from workflows.inspection.probe import plan, probe
from workflows.recipe import resolve_recipe, task_of
from workflows.runtime import open_single, run_single
from workflows.runtime.providers.preflight import examine
from workflows.wire.reports.preflight import OutputDifference

LENGTHS = (1, 7, 64, 65)
VOCABULARY = 211
_TEXT: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 80,
    "num_labels": 3,
    "pad_token_id": 1,
}
_DISTILBERT: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 48,
    "max_position_embeddings": 80,
}
# Distances above 4 share buckets, the wider the farther: transformers rounds their logarithms.
_DEBERTA: dict[str, Any] = {
    **_TEXT,
    "type_vocab_size": 0,
    "relative_attention": True,
    "position_buckets": 8,
    "position_biased_input": False,
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "norm_rel_ebd": "layer_norm",
}
# (model_type, class of transformers, config, task that is found from the checkpoint)
TEXT = [
    ("bert", "AutoModelForMaskedLM", _TEXT, "fill-mask"),
    ("bert", "AutoModel", _TEXT, "feature-extraction"),
    ("roberta", "AutoModelForSequenceClassification", {**_TEXT, "type_vocab_size": 1}, "text-classification"),
    ("distilbert", "AutoModelForTokenClassification", _DISTILBERT, "token-classification"),
    ("modernbert", "AutoModelForMaskedLM", {**_TEXT, "local_attention": 8}, "fill-mask"),
    ("albert", "AutoModelForMaskedLM", {**_TEXT, "embedding_size": 16}, "fill-mask"),
    ("camembert", "AutoModelForMaskedLM", {**_TEXT, "type_vocab_size": 1}, "fill-mask"),
    ("electra", "AutoModelForTokenClassification", {**_TEXT, "embedding_size": 16}, "token-classification"),
    ("mpnet", "AutoModelForMaskedLM", _TEXT, "fill-mask"),
    ("xlm-roberta", "AutoModelForSequenceClassification", {**_TEXT, "type_vocab_size": 1}, "text-classification"),
    ("deberta-v2", "AutoModelForSequenceClassification", _DEBERTA, "text-classification"),
    ("deberta-v2", "AutoModel", {**_DEBERTA, "conv_kernel_size": 3, "conv_act": "gelu"}, "feature-extraction"),
    ("deberta", "AutoModelForTokenClassification", {**_DEBERTA, "pos_att_type": "c2p|p2c"}, "token-classification"),
]
_VIT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "patch_size": 4}
_DINO = {
    **_VIT,
    "model_type": "dinov2",
    "image_size": 28,
    "patch_size": 7,
    "out_features": ["stage1", "stage2"],
    "reshape_hidden_states": False,
}
_PATCH = {**_VIT, "model_type": "dinov2", "hidden_size": 16, "num_attention_heads": 2, "image_size": 32}
_DEPTH_PRO = {
    **{f"{part}_model_config": _PATCH for part in ("image", "patch", "fov")},
    "patch_size": 32,
    "fusion_hidden_size": 16,
    "intermediate_hook_ids": [1, 0],
    "intermediate_feature_dims": [8, 8],
    "scaled_images_feature_dims": [16, 16, 8],
    "num_fov_head_layers": 1,
    "use_fov_model": True,
}
_ZOE = {
    "backbone_config": {**_VIT, "model_type": "beit", "num_hidden_layers": 4, "image_size": 32,
                        "out_features": ["stage1", "stage2", "stage3", "stage4"], "reshape_hidden_states": False},
    "backbone_hidden_size": 32,
    "neck_hidden_sizes": [8, 8, 16, 16],
    "fusion_hidden_size": 8,
    "bottleneck_features": 8,
    "num_relative_features": 8,
    "bin_embedding_dim": 16,
    "bin_configurations": [{"n_bins": 8, "min_depth": 0.001, "max_depth": 10.0, "name": "nyu"}],
    "num_attractors": [4, 2, 1, 1],
    "patch_transformer_hidden_size": 16,
    "patch_transformer_intermediate_size": 16,
    "patch_transformer_num_attention_heads": 2,
    "num_patch_transformer_layers": 1,
}  # fmt: skip
_RESNET = {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic"}
IMAGES = [
    ("resnet", "AutoModelForImageClassification", _RESNET, "image-classification"),
    (
        "convnext",
        "AutoModelForImageClassification",
        {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "image_size": 64},
        "image-classification",
    ),
    ("vit", "AutoModelForImageClassification", {**_VIT, "image_size": 32}, "image-classification"),
    ("vit", "AutoModel", {**_VIT, "image_size": 32}, "feature-extraction"),
    (
        "depth_anything",
        "AutoModelForDepthEstimation",
        {
            "backbone_config": _DINO,
            "neck_hidden_sizes": [8, 16],
            "fusion_hidden_size": 8,
            "head_hidden_size": 8,
            "reassemble_hidden_size": 32,
            "reassemble_factors": [1, 0.5],
            "patch_size": 7,
        },
        "depth-estimation",
    ),
    (
        "dpt",
        "AutoModelForDepthEstimation",
        {
            **_VIT,
            "image_size": 32,
            "neck_hidden_sizes": [8, 8, 16, 16],
            "num_hidden_layers": 4,
            "backbone_out_indices": [0, 1, 2, 3],
            "fusion_hidden_size": 8,
            "is_hybrid": False,
            "neck_ignore_stages": [],
        },
        "depth-estimation",
    ),
    ("depth_pro", "AutoModelForDepthEstimation", _DEPTH_PRO, "depth-estimation"),
    ("beit", "AutoModelForImageClassification", {**_VIT, "image_size": 32}, "image-classification"),
    (
        "convnextv2",
        "AutoModelForImageClassification",
        {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "image_size": 64},
        "image-classification",
    ),
    ("deit", "DeiTForImageClassification", {**_VIT, "image_size": 32}, "image-classification"),
    ("dinov2", "AutoModel", {**_VIT, "image_size": 32}, "feature-extraction"),
    (
        "efficientnet",
        "AutoModelForImageClassification",
        {"width_coefficient": 0.25, "depth_coefficient": 0.2, "hidden_dim": 320, "image_size": 64},
        "image-classification",
    ),
    (
        "mobilenet_v2",
        "AutoModelForImageClassification",
        {"depth_multiplier": 0.25, "image_size": 64},
        "image-classification",
    ),
    (
        "regnet",
        "AutoModelForImageClassification",
        {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "groups_width": 8},
        "image-classification",
    ),
    (
        "swin",
        "AutoModelForImageClassification",
        {"image_size": 32, "patch_size": 4, "embed_dim": 8, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4},
        "image-classification",
    ),
    (
        "glpn",
        "AutoModelForDepthEstimation",
        {
            "hidden_sizes": [8, 16, 24, 32],
            "depths": [1, 1, 1, 1],
            "num_attention_heads": [1, 2, 4, 8],
            "decoder_hidden_size": 16,
        },
        "depth-estimation",
    ),
    ("zoedepth", "AutoModelForDepthEstimation", _ZOE, "depth-estimation"),
]
SLOW = {"mpnet", "electra", "xlm-roberta", "camembert", "convnextv2", "deit", "efficientnet", "mobilenet_v2", "regnet"}
SLOW |= {"glpn", "depth_pro", "zoedepth", "albert", "roberta", "distilbert", "convnext", "swin", "beit", "dinov2"}
SLOW |= {"depth_anything", "modernbert", "dpt"}
SLOW |= {("bert", "AutoModelForMaskedLM"), ("vit", "AutoModel")}  # which differ by their head alone
SLOW |= {"deberta", ("deberta-v2", "AutoModel")}


def marked(rows: list[Any]) -> list[Any]:
    """Rows whose like is tested already are slow."""
    return [pytest.param(*row, marks=pytest.mark.slow if SLOW & {row[0], row[:2]} else ()) for row in rows]


def str_or_nothing(value: Any) -> str:
    """A test's id from the names alone."""
    return value if isinstance(value, str) else ""


def save(model_type: str, kind: str, config: dict[str, Any], folder: Path) -> Path:
    import torch
    import transformers

    torch.manual_seed(0)
    made, settings = getattr(transformers, kind), transformers.AutoConfig.for_model(model_type, **config)
    model = (made.from_config(settings) if kind.startswith("Auto") else made(settings)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if kind.endswith("DepthEstimation") and name.endswith("bias"):
                parameter.fill_(0.2)  # a depth below zero is cut to zero
            vanishes = model_type in ("efficientnet", "mobilenet_v2")  # with transformers' own small random weights
            if parameter.ndim == 2 or (parameter.ndim == 4 and vanishes):
                parameter.normal_(0, (parameter.shape[0] / parameter.numel()) ** 0.5)
            elif parameter.ndim == 1 and vanishes and name.endswith("weight"):
                parameter.fill_(1.5)
    model.save_pretrained(folder)
    return folder


def eager(folder: Path, kind: str, inputs: dict[str, np.ndarray], output: str) -> np.ndarray:
    import torch
    import transformers

    model = getattr(transformers, kind).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    with torch.no_grad():
        return model.eval()(**{name: torch.from_numpy(array) for name, array in inputs.items()})[output].numpy()


def text_inputs(names: list[str], length: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(length)
    mask = np.ones((1, length), np.int64)
    mask[0, length - length // 4 :] = 0  # the last quarter is padding
    given = {
        "input_ids": rng.integers(3, VOCABULARY, (1, length)),
        "attention_mask": mask,
        "token_type_ids": (np.arange(length)[None] > length // 2).astype(np.int64),
    }
    return {name: given[name] for name in names}


def closeness(candidate: np.ndarray, reference: np.ndarray) -> float:
    assert candidate.shape == reference.shape
    assert np.abs(reference).max() > 1e-4  # else equality would prove nothing
    return float(np.abs(candidate - reference).max() / max(1, np.abs(reference).max()))  # a random depth is far


@pytest.mark.parametrize(("model_type", "kind", "config", "task"), marked(TEXT), ids=str_or_nothing)
def test_encoders(model_type: str, kind: str, config: dict[str, Any], task: str, tmp_path: Path) -> None:
    checkpoint = save(model_type, kind, config, tmp_path / "checkpoint")
    build(BuildRequest(str(checkpoint), tmp_path / "out", {}))
    report = inspect_path(tmp_path / "out")
    assert (report.task, report.route, report.kv) == (task, "single", [])
    (component,) = report.components
    assert (component.name, component.role) == ("model", "model")
    names = [entry.name for entry in component.inputs]
    typed = ["token_type_ids"] if model_type in ("bert", "albert", "electra") else []
    assert names == ["input_ids", "attention_mask", *typed]
    rows = 1 if model_type == "modernbert" else "batch"  # rotary positions have one row
    assert component.inputs[0].shape == [rows, "sequence"]
    opened = open_single(tmp_path / "out")
    output = opened.outputs[0].name
    assert output == ("last_hidden_state" if task == "feature-extraction" else "logits")
    for length in LENGTHS:
        inputs = text_inputs(names, length)
        assert closeness(opened.run(inputs)[output], eager(checkpoint, kind, inputs, output)) < 1e-4, length
    if rows == "batch":  # texts at once, one of them without padding
        texts = [text_inputs(names, 64), {**text_inputs(names, 64), "attention_mask": np.ones((1, 64), np.int64)}]
        batch = {name: np.concatenate([text[name] for text in texts]) for name in names}
        assert closeness(opened.run(batch)[output], eager(checkpoint, kind, batch, output)) < 1e-4


@pytest.mark.parametrize(("model_type", "kind", "config", "task"), marked(IMAGES), ids=str_or_nothing)
def test_images(model_type: str, kind: str, config: dict[str, Any], task: str, tmp_path: Path) -> None:
    checkpoint = save(model_type, kind, config, tmp_path / "checkpoint")
    build(BuildRequest(str(checkpoint), tmp_path / "out", {}))
    report = inspect_path(tmp_path / "out")
    assert (report.task, report.route, report.kv) == (task, "single", [])
    opened = open_single(tmp_path / "out")
    (pixels,), outputs = opened.inputs, [spec.name for spec in opened.outputs]
    assert ("field_of_view" in outputs) == (model_type == "depth_pro")
    assert (pixels.name, pixels.shape[:2]) == ("pixel_values", (1, 3))
    odd = (160, 64) if model_type == "glpn" else (33, 47)  # its strides want multiples of 32
    sizes = [(64, 64), (96, 32), odd] if isinstance(pixels.shape[2], str) else [pixels.shape[2:]]
    for height, width in sizes:
        image = np.random.default_rng(0).standard_normal((1, 3, height, width)).astype(np.float32)
        inputs = {"pixel_values": image}
        results = opened.run(inputs)
        for output in outputs:
            assert closeness(results[output], eager(checkpoint, kind, inputs, output)) < 1e-4


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save("bert", "AutoModelForSequenceClassification", _TEXT, tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def bundle(bert: Path, built: Built) -> Path:
    return built(bert)


def test_a_single_graph_generates_nothing_and_is_reported(
    bundle: Path, demo_bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BundleError, match=r"bert model for text-classification without a KV cache, so it generates no"):
        open_engine(bundle)
    capsys.readouterr()
    assert run(["generate", str(bundle), "--prompt", "x"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert run(["inspect", str(bundle)]) == 0
    with pytest.raises(BundleError, match=r"composite of the route decoder \(decoder\), not one graph"):
        run_single(demo_bundle, {})


def test_a_preflight_runs_it_once(bundle: Path) -> None:
    """Its own provider gives its own values; who takes no node is told."""
    report = examine(bundle, "cpu", {})
    assert report.usable and report.components[0].on_provider == report.components[0].nodes > 5
    assert report.components[0].step == OutputDifference(0.0, None) and report.components[0].prefill is None


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"pixels": np.zeros(1)}, RequestError, "The graph has no input pixels: its inputs are input_ids, attention_m"),
        ({"attention_mask": None}, RequestError, "The input attention_mask is missing: the graph takes input_ids"),
        ({"input_ids": np.zeros((1, 7), np.int32)}, GraphError, "input_ids is int32 and the graph takes int64"),
        ({"input_ids": np.zeros((2, 7), np.int64)}, GraphError, "has 1 in the axis batch and input_ids has 2"),
        ({"input_ids": np.zeros(7, np.int64)}, GraphError, r"has the shape \[7\] and the graph takes \[batch, seq"),
        ({"input_ids": np.zeros((1, 0), np.int64)}, GraphError, r"input_ids has the shape \[1, 0\]"),
        ({"input_ids": np.zeros((1, 6), np.int64)}, GraphError, "has 7 in the axis sequence and input_ids has 6"),
    ],
)
def test_inputs_that_do_not_fit(bundle: Path, changes: dict[str, Any], error: type, message: str) -> None:
    inputs: dict[str, Any] = text_inputs(["input_ids", "attention_mask", "token_type_ids"], 7) | changes
    with pytest.raises(error, match=message):
        run_single(bundle, {name: array for name, array in inputs.items() if array is not None})


def test_a_closed_graph_is_reported(bundle: Path) -> None:
    """`with` lets go of the session."""
    with open_single(bundle) as graph:
        assert graph.inputs
    with pytest.raises(RequestError, match="The graph is closed: open the bundle again"):
        graph.run({})


def test_probe_and_plan_show_nothing_of_a_cache(bert: Path) -> None:
    found = probe(str(bert), lambda _: None, lambda: False)
    assert (found.supported, found.tasks[0], found.decoder is None) == (True, "text-classification", True)
    planned = plan(str(bert), {}, lambda: False)
    assert [box.name for box in planned.components] == ["model"]
    assert planned.components[0].outputs == ["logits"]
    assert (planned.edges, planned.estimate.kv_bytes) == ([], 0)
    assert all(not layout.available and layout.note for layout in planned.layouts)


def rename(folder: Path, **changes: Any) -> Path:
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8")) | changes
    path.write_text(json.dumps(config), "utf-8")
    return folder


def test_a_checkpoint_whose_task_is_unknown(tmp_path: Path) -> None:
    folder = save("bert", "AutoModelForQuestionAnswering", _TEXT, tmp_path / "bert")
    choices = "feature-extraction, fill-mask, text-classification, token-classification"
    with pytest.raises(RecipeError, match=r"BertForQuestionAnswering tells no task .* --task: feature-extraction\."):
        resolve_recipe(open_checkpoint(str(folder)), {})
    assert resolve_recipe(open_checkpoint(str(folder)), {"task": "feature-extraction"}).task == "feature-extraction"
    with pytest.raises(RecipeError, match=f"cannot be built for the task 'poetry': choose {choices}"):
        resolve_recipe(open_checkpoint(str(folder)), {"task": "poetry"})
    for names, task in (
        (["BertForMaskedLM", "BertForPreTraining"], "fill-mask"),
        (["BertForMaskedLM", "BertForSequenceClassification"], None),
    ):
        found = open_checkpoint(str(rename(folder, architectures=names)))
        if task:
            assert task_of(found) == task
            continue
        with pytest.raises(RecipeError, match=f"{names[0]}, {names[1]} tell no one task .* --task: feature-extr"):
            task_of(found)
    with pytest.raises(RecipeError, match="names no architecture"):
        resolve_recipe(open_checkpoint(str(rename(folder, architectures=None))), {})


def test_task_specific_params_decide_between_the_tasks_of_t5(tmp_path: Path) -> None:
    folder = save_encoder_decoder("t5", tmp_path / "t5")
    params = {"summarization": {}, "translation_en_to_fr": {}}
    for given, task in (
        (None, "translation"),
        ({"summarization": {}}, "summarization"),
        ({"translation_en_to_fr": {}}, "translation"),
        (params, "translation"),
    ):
        assert task_of(open_checkpoint(str(rename(folder, task_specific_params=given)))) == task
