"""The text part of a checkpoint of several parts has the logits of the whole model without pictures or sound."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

from tests.workflows.families.models import VOCABULARY, save_decoder, save_with_sound, save_with_tiles
from workflows.checkpoint import Checkpoint, open_checkpoint
from workflows.common.errors import CheckpointError, RecipeError
from workflows.export import stand_ins
from workflows.export.load import load_model
from workflows.export.stand_ins import StandIns
from workflows.export.text_part import text_part_of
from workflows.recipe import resolve_recipe, task_of, tasks_for
from workflows.recipe.task import text_part_notice

TASK, PLACE = "text-generation", VOCABULARY - 1
_SHARED: dict[str, Any] = {
    "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "sliding_window": 24,
    "num_kv_shared_layers": 2, "head_dim": 16, "hidden_size_per_layer_input": 8,
    "vocab_size_per_layer_input": VOCABULARY, "laurel_rank": 8, "activation_sparsity_pattern": [0.5, 0.0, 0.0, 0.0],
}  # fmt: skip


def logits(model: Any) -> torch.Tensor:
    """[130,V] of random text."""
    ids = torch.randint(3, PLACE - 8, (1, 130), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found: torch.Tensor = model(input_ids=ids, use_cache=False).logits[0]
    return found


def text_model(checkpoint: Checkpoint, **options: Any) -> Any:
    return load_model(checkpoint, TASK, attention="eager", **options)


@pytest.mark.parametrize("model_type", ["llava", "vipllava", "gemma3", "internvl", "qwen2_audio"])
def test_the_text_part_has_the_logits_of_the_whole(model_type: str, tmp_path: Path) -> None:
    save = save_with_sound if model_type == "qwen2_audio" else save_with_tiles
    folder = save(model_type, tmp_path / "checkpoint", PLACE)
    whole = getattr(transformers, json.loads((folder / "config.json").read_text())["architectures"][0])
    expected = logits(whole.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval())
    model = text_model(open_checkpoint(str(folder)))
    assert not any("vision" in name or "audio" in name for name, _ in model.named_parameters())
    assert float((logits(model) - expected).abs().max()) < 1e-4 * float(expected.abs().max())


def as_gemma3n(folder: Path, rename: Callable[[str], str]) -> Path:
    """A checkpoint of Gemma 3n with other parts, of the text model in `folder`, whose weights get other names."""
    (file,) = folder.glob("*.safetensors")
    parts = {
        "model.vision_tower.timm_model.conv.weight": torch.ones(3),
        "model.audio_tower.layers.0.weight": torch.ones(2),
    }
    save_file({rename(name): weight for name, weight in load_file(file).items()} | parts, file, {"format": "pt"})
    text = json.loads((folder / "config.json").read_text())
    config = {
        "model_type": "gemma3n", "architectures": ["Gemma3nForConditionalGeneration"], "text_config": text,
        "vision_config": {"model_type": "gemma3n_vision"}, "audio_config": {"model_type": "gemma3n_audio"},
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize(
    "rename",
    [
        lambda name: name.replace("model.", "model.language_model.", 1),
        lambda name: f"language_model.{name}",
        lambda name: name,
    ],
    ids=["language model in a model", "model in a language model", "own names"],
)
def test_the_prefix_of_the_text_part_is_found(rename: Callable[[str], str], tmp_path: Path) -> None:
    """And what a person asks for is said in one sentence; nobody gets the part without asking."""
    folder = save_decoder("gemma3n_text", tmp_path / "checkpoint", **_SHARED)
    expected = logits(text_model(open_checkpoint(str(folder))))
    checkpoint = open_checkpoint(str(as_gemma3n(folder, rename)))
    assert torch.equal(logits(text_model(checkpoint)), expected)
    recipe = resolve_recipe(checkpoint, {"task": TASK})
    assert (recipe.family, recipe.task) == ("text-part", TASK)
    assert text_part_notice(checkpoint, TASK).startswith("This is the text part of Gemma3nForConditionalGeneration")
    with pytest.raises(RecipeError, match=r"vision_config.*build its text part alone with --task text-generation"):
        resolve_recipe(checkpoint, {})


def test_a_family_with_pictures_keeps_its_task(tmp_path: Path) -> None:
    """And has the other one beside it."""
    checkpoint = open_checkpoint(str(save_with_tiles("llava", tmp_path / "checkpoint", PLACE)))
    assert tasks_for(checkpoint) == ("image-text-to-text", TASK) and task_of(checkpoint) == "image-text-to-text"
    assert text_part_notice(checkpoint, "image-text-to-text") == ""


def test_a_build_with_pictures_says_that_it_has_no_sound(tmp_path: Path) -> None:
    folder = save_with_tiles("gemma4", tmp_path / "checkpoint", PLACE)
    assert text_part_notice(open_checkpoint(str(folder)), "image-text-to-text") == ""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "audio_config": {"hidden_size": 32}}), "utf-8")
    notice = text_part_notice(open_checkpoint(str(folder)), "image-text-to-text")
    assert notice == "This is Gemma4ForConditionalGeneration with pictures: the weights that read sound are left out."


def test_stand_ins_have_the_names_of_the_text_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 64)
    checkpoint = open_checkpoint(str(save_with_tiles("llava", tmp_path / "checkpoint", PLACE)))
    made = StandIns(checkpoint)
    whole, streamed = text_model(checkpoint), text_model(checkpoint, stand_ins=made)
    for (name, weight), (_, other) in zip(whole.named_parameters(), streamed.named_parameters(), strict=True):
        if stand_ins.is_stand_in(other):
            assert torch.equal(made.read(other), weight), name


def test_a_weight_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = as_gemma3n(save_decoder("gemma3n_text", tmp_path / "checkpoint", **_SHARED), str)
    (file,) = folder.glob("*.safetensors")
    weights = load_file(file)
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, file, {"format": "pt"})
    with pytest.raises(CheckpointError, match=r"lacks the weight model\.layers\.1\.mlp\.up_proj\.weight by the names"):
        text_model(open_checkpoint(str(folder)))
    save_file({name.replace("embed_tokens", "table"): weight for name, weight in weights.items()}, file)
    with pytest.raises(CheckpointError, match=r"has no weight named embed_tokens\.weight"):
        text_model(open_checkpoint(str(folder)))


def test_a_head_that_scales_is_another_model() -> None:
    """Cohere scales its logits by 1/16, and the models that see with its text part do not."""
    config = transformers.Cohere2VisionConfig(architectures=["Cohere2VisionForConditionalGeneration"])
    with pytest.raises(RecipeError, match=r"Cohere2ForCausalLM scales its logits \(logit_scale in config\.json\)"):
        text_part_of(config, TASK)
    config.text_config.logit_scale = 1.0
    part = text_part_of(config, TASK)
    assert part is not None and part.model_class is transformers.Cohere2ForCausalLM
    assert text_part_of(config, "image-text-to-text") is None


def test_a_text_part_without_a_causal_lm_is_refused() -> None:
    with pytest.raises(RecipeError, match="is qwen3_vl_text, for which transformers has no causal LM"):
        text_part_of(transformers.Qwen3VLConfig(), TASK)
