"""Models that are one graph without a cache: the numbers of eager PyTorch; the task is found from the checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.families.models import save_encoder_decoder
from workflows.build import BuildRequest, build
from workflows.checkpoint import open_checkpoint
from workflows.cli import run
from workflows.errors import BundleError, GraphError, RecipeError, RequestError
from workflows.generate import open_engine
from workflows.inspection import inspect_path
from workflows.probe import plan, probe
from workflows.recipe import choose, task_of
from workflows.runtime import open_single, run_single

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
# (model_type, class of transformers, config, task that is found from the checkpoint)
TEXT = [
    ("bert", "AutoModelForMaskedLM", _TEXT, "fill-mask"),
    ("bert", "AutoModel", _TEXT, "feature-extraction"),
    ("roberta", "AutoModelForSequenceClassification", {**_TEXT, "type_vocab_size": 1}, "text-classification"),
    ("distilbert", "AutoModelForTokenClassification", _DISTILBERT, "token-classification"),
    ("modernbert", "AutoModelForMaskedLM", {**_TEXT, "local_attention": 8}, "fill-mask"),
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
]


def str_or_nothing(value: Any) -> str:
    """A test's id from the names alone."""
    return value if isinstance(value, str) else ""


def save(model_type: str, kind: str, config: dict[str, Any], folder: Path) -> Path:
    import torch
    import transformers

    torch.manual_seed(0)
    model = getattr(transformers, kind).from_config(transformers.AutoConfig.for_model(model_type, **config)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.normal_(0, 1 / parameter.shape[1] ** 0.5)
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
    return float(np.abs(candidate - reference).max() / max(1, np.abs(reference).max()))  # a random depth is far


@pytest.mark.parametrize(("model_type", "kind", "config", "task"), TEXT, ids=str_or_nothing)
def test_encoders(model_type: str, kind: str, config: dict[str, Any], task: str, tmp_path: Path) -> None:
    checkpoint = save(model_type, kind, config, tmp_path / "checkpoint")
    build(BuildRequest(str(checkpoint), tmp_path / "out", {}))
    report = inspect_path(tmp_path / "out")
    assert (report["task"], report["route"], report["kv"]) == (task, "single", [])
    (component,) = report["components"]
    assert (component["name"], component["role"]) == ("model", "model")
    names = [entry["name"] for entry in component["inputs"]]
    assert names == ["input_ids", "attention_mask", *(["token_type_ids"] if model_type == "bert" else [])]
    assert component["inputs"][0]["shape"] == [1, "sequence"]
    opened = open_single(tmp_path / "out")
    output = opened.outputs[0].name
    assert output == ("last_hidden_state" if task == "feature-extraction" else "logits")
    for length in LENGTHS:
        inputs = text_inputs(names, length)
        assert closeness(opened.run(inputs)[output], eager(checkpoint, kind, inputs, output)) < 1e-4, length


@pytest.mark.parametrize(("model_type", "kind", "config", "task"), IMAGES, ids=str_or_nothing)
def test_images(model_type: str, kind: str, config: dict[str, Any], task: str, tmp_path: Path) -> None:
    checkpoint = save(model_type, kind, config, tmp_path / "checkpoint")
    build(BuildRequest(str(checkpoint), tmp_path / "out", {}))
    report = inspect_path(tmp_path / "out")
    assert (report["task"], report["route"], report["kv"]) == (task, "single", [])
    opened = open_single(tmp_path / "out")
    (pixels,), outputs = opened.inputs, [spec.name for spec in opened.outputs]
    assert ("field_of_view" in outputs) == (model_type == "depth_pro")
    assert (pixels.name, pixels.shape[:2]) == ("pixel_values", (1, 3))
    sizes = [(64, 64), (96, 32), (33, 47)] if isinstance(pixels.shape[2], str) else [pixels.shape[2:]]
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
def bundle(bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("single") / "out"
    build(BuildRequest(str(bert), out, {"cache": "gqa", "capacity": 1 << 20}))  # which mean nothing here
    return out


def test_a_single_graph_generates_nothing_and_says_so(
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


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"pixels": np.zeros(1)}, RequestError, "The graph has no input pixels: its inputs are input_ids, attention_m"),
        ({"attention_mask": None}, RequestError, "The input attention_mask is missing: the graph takes input_ids"),
        ({"input_ids": np.zeros((1, 7), np.int32)}, GraphError, "input_ids is int32 and the graph takes int64"),
        ({"input_ids": np.zeros((2, 7), np.int64)}, GraphError, r"has the shape \[2, 7\] and the graph takes \[1, seq"),
        ({"input_ids": np.zeros((1, 0), np.int64)}, GraphError, r"input_ids has the shape \[1, 0\]"),
        ({"input_ids": np.zeros((1, 6), np.int64)}, GraphError, "has 7 in the axis sequence and input_ids has 6"),
    ],
)
def test_inputs_that_do_not_fit(bundle: Path, changes: dict[str, Any], error: type, message: str) -> None:
    inputs: dict[str, Any] = text_inputs(["input_ids", "attention_mask", "token_type_ids"], 7) | changes
    with pytest.raises(error, match=message):
        run_single(bundle, {name: array for name, array in inputs.items() if array is not None})


def test_probe_and_plan_show_nothing_of_a_cache(bert: Path) -> None:
    found = probe(str(bert), lambda _: None, lambda: False)
    assert (found["supported"], found["tasks"][0], "layers" in found) == (True, "text-classification", False)
    planned = plan(str(bert), {}, lambda: False)
    assert [box["name"] for box in planned["components"]] == ["model"]
    assert planned["components"][0]["outputs"] == ["logits"]
    assert (planned["edges"], planned["estimate"]["kv_bytes"]) == ([], 0)
    assert all(not layout["available"] and layout["note"] for layout in planned["layouts"])


def rename(folder: Path, **changes: Any) -> Path:
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8")) | changes
    path.write_text(json.dumps(config), "utf-8")
    return folder


def test_a_checkpoint_that_does_not_tell_its_task(tmp_path: Path) -> None:
    folder = save("bert", "AutoModelForQuestionAnswering", _TEXT, tmp_path / "bert")
    choices = "feature-extraction, fill-mask, text-classification, token-classification"
    with pytest.raises(RecipeError, match=f"BertForQuestionAnswering tells no task .* --task: {choices}"):
        choose(open_checkpoint(str(folder)), {})
    assert choose(open_checkpoint(str(folder)), {"task": "feature-extraction"}).task == "feature-extraction"
    with pytest.raises(RecipeError, match=f"cannot be built for the task 'poetry': choose {choices}"):
        choose(open_checkpoint(str(folder)), {"task": "poetry"})
    with pytest.raises(RecipeError, match="names no architecture"):
        choose(open_checkpoint(str(rename(folder, architectures=None))), {})


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
