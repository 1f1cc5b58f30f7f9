"""What a checkpoint says it is decides what it is built as: another model than that is refused, never cut out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.workflows.checkpoint.making import files, write
from tests.workflows.families.models import save_decoder
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError, RecipeError
from workflows.export.load import load_model
from workflows.inspection.probe import probe
from workflows.recipe import family_for, resolve_recipe, task_of

_SIZES = {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 16}


def saying(folder: Path, model_type: str, *architectures: str, **said: Any) -> str:
    """A checkpoint by hand that says it is that; its weights are two vectors."""
    config = {"model_type": model_type, "architectures": list(architectures), **_SIZES, **said}
    return str(write(folder, files(config__json=json.dumps(config).encode(), tokenizer__json=None)))


@pytest.mark.parametrize(
    ("model_type", "architecture", "said", "why"),
    [
        ("moonshine", "MoonshineForConditionalGeneration", {}, "'moonshine' is not one that Joinery can build"),
        ("whisper", "WhisperForAudioClassification", {}, "is WhisperForAudioClassification, which Joinery cannot"),
        ("prophetnet", "ProphetNetForConditionalGeneration", {}, "'prophetnet' is not one that Joinery can build"),
        ("llama", "LlamaForQuestionAnswering", {}, "tells no task that llama can be built for: choose"),
        ("granite", "GraniteForSequenceClassification", {}, "tells no task that granite can be built for: choose"),
        ("t5", "T5EncoderModel", {"is_encoder_decoder": False}, "is_encoder_decoder in its config.json is false"),
        (
            "mllama",
            "MllamaForConditionalGeneration",
            {"vision_config": {}},
            "whose config.json has the part vision_config",
        ),
        (
            "gemma3n",
            "Gemma3nForConditionalGeneration",
            {},
            "a model of several parts: of the models",
        ),
        ("llama", "LlamaForCausalLM", {"is_encoder_decoder": True}, "the families with both are t5, bart, whisper, mu"),
        ("vit", "ViTForMaskedImageModeling", {}, "tells no task that vit can be built for"),
    ],
)
def test_what_is_another_model_is_refused_by_name(
    model_type: str, architecture: str, said: dict[str, Any], why: str, tmp_path: Path
) -> None:
    """The recipe and the wizard say the same; nothing asks for a file to be mended that is whole.

    Of a model of several parts the wizard offers the text part.
    """
    source = saying(tmp_path, model_type, architecture, **said)
    with pytest.raises(RecipeError, match=why) as caught:
        resolve_recipe(open_checkpoint(source), {})
    assert "mend" not in str(caught.value) and str(caught.value).endswith(".")
    found = probe(source, lambda _: None, lambda: False)
    if model_type in ("mllama", "gemma3n"):
        assert found.own_task is None and found.tasks == ["text-generation"] and found.left_out
    else:
        assert "tells no task" in why or (not found.supported and why in found.reason)


def test_no_encoder_decoder_is_a_decoder_unless_it_says_so() -> None:
    """Every type that transformers has as both is found as a decoder alone for the task that means it alone."""
    from transformers.models.auto import modeling_auto as known

    both = {**known.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES, **known.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES}
    decoders = sorted(known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.keys() & both)
    assert "whisper" in decoders and len(decoders) > 8
    for model_type in decoders:
        assert family_for(model_type, "text-generation").name in ("decoder-only", "text-part")
        try:
            found = family_for(model_type)
            assert found.encoder or found.text_part
        except RecipeError as error:
            assert "is not one that Joinery can build" in str(error)


@pytest.mark.parametrize(
    ("model_type", "architecture", "task", "instead"),
    [
        ("bart", "BartForConditionalGeneration", "text-generation", "choose translation or summarization"),
        ("bart", "BartForCausalLM", "translation", "choose text-generation"),
        ("bert", "BertForMaskedLM", "text-classification", "choose feature-extraction or fill-mask"),
        ("bert", "BertForTokenClassification", "text-classification", "choose feature-extraction or token-class"),
        ("whisper", "WhisperForConditionalGeneration", "text-generation", "choose automatic-speech-recog"),
    ],
)
def test_a_task_that_the_architecture_is_not_for(
    model_type: str, architecture: str, task: str, instead: str, tmp_path: Path
) -> None:
    """--task does not make one head of another: two classifiers may have the same names and shapes."""
    with pytest.raises(RecipeError, match=f"is {architecture}, which has no head for {task}: {instead}"):
        resolve_recipe(open_checkpoint(saying(tmp_path, model_type, architecture)), {"task": task})


def test_the_decoder_alone_where_the_architecture_says_so(tmp_path: Path) -> None:
    """BartForCausalLM is a causal LM, though bart is a type of encoder-decoders."""
    assert task_of(open_checkpoint(saying(tmp_path, "bart", "BartForCausalLM"))) == "text-generation"


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a tied llama."""
    return save_decoder("llama", tmp_path_factory.mktemp("llama"), tie_word_embeddings=True)


def with_more(llama: Path, folder: Path, **more: torch.Tensor) -> Path:
    """The same with further weights; `__` stands for a dot."""
    weights = load_file(llama / "model.safetensors") | {name.replace("__", "."): t for name, t in more.items()}
    save_file(weights, write(folder, {"config.json": (llama / "config.json").read_bytes()}) / "model.safetensors")
    return folder


@pytest.mark.parametrize(
    "name", ["model__layers__2__mlp__up_proj__weight", "vision_tower__patch__weight", "score__weight", "model__extra"]
)
def test_a_weight_without_a_place_is_named(name: str, llama: Path, tmp_path: Path) -> None:
    """A third layer, a tower, another head: whatever would be left out is said."""
    checkpoint = open_checkpoint(str(with_more(llama, tmp_path, **{name: torch.ones(3, 4)})))
    with pytest.raises(CheckpointError, match=f"{name.replace('__', '.')} does not exist in LlamaForCausalLM"):
        load_model(checkpoint, "text-generation")


def test_what_carries_no_weight_of_its_own_may_lie_there(llama: Path, tmp_path: Path) -> None:
    """Angles and positions that follow from the config, and the embedding once more under other names."""
    embedding = load_file(llama / "model.safetensors")["model.embed_tokens.weight"]
    more = {
        "model__layers__0__self_attn__rotary_emb__inv_freq": torch.ones(8),
        "model__layers__1__self_attn__masked_bias": torch.tensor(-1e4),
        "model__embeddings__position_ids": torch.arange(4),
        "lm_head__weight": embedding.clone(),
        "output__weight": embedding.clone(),
    }
    model = load_model(open_checkpoint(str(with_more(llama, tmp_path, **more))), "text-generation")
    assert torch.equal(model.lm_head.weight, embedding)
    checkpoint = open_checkpoint(str(with_more(llama, tmp_path / "other", output__weight=embedding + 1)))
    with pytest.raises(CheckpointError, match=r"the weight output\.weight does not exist in"):
        load_model(checkpoint, "text-generation")


def test_a_body_without_its_head_is_reported(tmp_path: Path) -> None:
    """LlamaModel's weights are whole, and there is no head among them."""
    folder = save_decoder("llama", tmp_path, tie_word_embeddings=False)
    weights = load_file(folder / "model.safetensors")
    save_file({name: t for name, t in weights.items() if name != "lm_head.weight"}, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["LlamaModel"]}))
    with pytest.raises(CheckpointError, match=r"lm_head\.weight: it is a LlamaModel, so open a checkpoint that has"):
        load_model(open_checkpoint(str(folder)), "text-generation")


@pytest.mark.parametrize("size", ["vocab_size", "intermediate_size", "hidden_size", "head_dim"])
def test_a_size_that_no_file_holds_takes_no_memory(size: str, llama: Path, tmp_path: Path) -> None:
    """What the config makes is counted before any of it is filled."""
    folder = with_more(llama, tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {size: 4 * 10**8}))
    with pytest.raises(CheckpointError, match=r"config.json makes a model of [0-9,]+ parameters and the weights hold"):
        load_model(open_checkpoint(str(folder)), "text-generation")
