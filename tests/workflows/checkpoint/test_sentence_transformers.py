"""The files of sentence-transformers: what each states, in both spellings, and what is refused by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.predict.text_bundles import add_modules, write_json
from workflows.checkpoint.sentence_transformers import (
    DenseFiles,
    embedding_files,
    is_embedder,
    module_file_names,
    read_embedding,
    read_reranker,
    scored_tokens,
    transformer_folder,
)
from workflows.common.errors import CheckpointError


def test_a_folder_as_most_are(tmp_path: Path) -> None:
    """all-MiniLM-L6-v2's files, but for the prompts."""
    old = {"word_embedding_dimension": 384, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
    model = {"__version__": {"pytorch": "1.8.1"}, "prompts": {"query": "query: ", "document": ""},
             "default_prompt_name": "query", "similarity_fn_name": "dot"}  # fmt: skip
    add_modules(tmp_path, pooling=old, model=model, max_seq_length=256, do_lower_case=True)
    found = read_embedding(tmp_path)
    assert (found.pooling, found.steps, found.include_prompt) == (("mean",), (None,), True)
    assert (found.max_tokens, found.lowercase, found.similarity) == (256, True, "dot")
    assert (found.prompts, found.default_prompt) == ({"query": "query: ", "document": ""}, "query")
    assert is_embedder(tmp_path)
    assert embedding_files(tmp_path) == (
        "1_Pooling/config.json", "config_sentence_transformers.json", "modules.json", "sentence_bert_config.json",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pooling", "modes"),
    [
        ({}, ("mean",)),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, ("cls",)),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}, ("cls", "mean")),
        ({"pooling_mode_lasttoken": True, "pooling_mode_max_tokens": True}, ("max", "lasttoken")),
        ({"pooling_mode": "weightedmean", "embedding_dimension": 8}, ("weightedmean",)),
        ({"pooling_mode": ["mean", "cls"], "pooling_mode_max_tokens": True}, ("mean", "cls")),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, ("mean_sqrt_len_tokens",)),
    ],
)
def test_the_modes_of_a_pooling(tmp_path: Path, pooling: dict[str, Any], modes: tuple[str, ...]) -> None:
    add_modules(tmp_path, pooling=pooling | {"include_prompt": False})
    found = read_embedding(tmp_path)
    assert (found.pooling, found.include_prompt) == (modes, False)


def dense(folder: Path, **changes: Any) -> Path:
    config = {"in_features": 8, "out_features": 4, "bias": True, **changes}
    add_modules(folder, "Pooling", "Dense", "Normalize")
    write_json(folder / "2_Dense" / "config.json", {name: value for name, value in config.items() if value != "none"})
    (folder / "2_Dense" / "model.safetensors").write_bytes(b"")
    return folder


@pytest.mark.parametrize(
    ("name", "activation"),
    [("none", "tanh"), ("torch.nn.modules.linear.Identity", "identity"), ("torch.nn.modules.activation.GELU", "gelu")],
)
def test_a_layer_after_the_pooling(tmp_path: Path, name: str, activation: str) -> None:
    found = read_embedding(dense(tmp_path, activation_function=name))
    assert found.steps == (DenseFiles("2_Dense/model.safetensors", 8, 4, True, activation), None)
    named = list(module_file_names((tmp_path / "modules.json").read_bytes(), lambda _: True))
    assert named == ["1_Pooling/config.json", "2_Dense/config.json", "2_Dense/model.safetensors",
                     "3_Normalize/config.json"]  # fmt: skip


def test_a_newer_folder(tmp_path: Path) -> None:
    """As sentence-transformers 6.2 saves it."""
    modality = {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}
    add_modules(
        tmp_path,
        pooling={"embedding_dimension": 8, "pooling_mode": "cls", "include_prompt": True},
        model={"model_type": "SentenceTransformer", "prompts": {}, "default_prompt_name": None},
        transformer_task="feature-extraction", modality_config=modality, module_output_name="token_embeddings",
        processing_kwargs={}, unpad_inputs=None,
    )  # fmt: skip
    write_json(tmp_path / "2_Normalize" / "config.json", {"module_input_name": "sentence_embedding"})
    found = read_embedding(tmp_path)
    assert (found.pooling, found.max_tokens, found.similarity) == (("cls",), None, "cosine")


@pytest.mark.parametrize("below", ["0_Transformer", "models/0"])
def test_a_transformer_in_a_folder_of_its_own(tmp_path: Path, below: str) -> None:
    """As sentence-transformers saved it before version 2; its settings are beside the model."""
    add_modules(tmp_path, below=below, max_seq_length=99)
    write_json(tmp_path / "sentence_bert_config.json", {"max_seq_length": 7})
    assert transformer_folder(tmp_path) == below and is_embedder(tmp_path)
    assert read_embedding(tmp_path).max_tokens == 99
    files = {"1_Pooling/config.json", "config_sentence_transformers.json", "modules.json"}
    assert {*embedding_files(tmp_path)} == {*files, f"{below}/sentence_bert_config.json"}
    assert list(module_file_names((tmp_path / "modules.json").read_bytes(), lambda _: True)) == [
        "1_Pooling/config.json",
        "2_Normalize/config.json",
    ]


def test_the_settings_in_a_file_of_an_older_name(tmp_path: Path) -> None:
    add_modules(tmp_path)
    (tmp_path / "sentence_bert_config.json").unlink()
    write_json(tmp_path / "sentence_xlm-roberta_config.json", {"max_seq_length": 99, "do_lower_case": True})
    found = read_embedding(tmp_path)
    assert (found.max_tokens, found.lowercase) == (99, True)
    assert "sentence_xlm-roberta_config.json" in embedding_files(tmp_path)


LOGITS = {"method": "forward", "method_output_name": "logits"}


def ranking(folder: Path, score: dict[str, Any] | None, model: dict[str, Any] | None = None, **options: Any) -> Path:
    """A reranker's files, with LogitScore or a head."""
    config = {"model_type": "CrossEncoder", **(model or {})}
    add_modules(folder, "LogitScore" if score else "Pooling", model=config, **options)
    if score:
        write_json(folder / "1_LogitScore" / "config.json", score)
    else:
        write_json(folder / "modules.json", [{"type": "sentence_transformers.base.Transformer", "path": ""}])
    return folder


@pytest.mark.parametrize(
    ("score", "message", "tokens", "turns"),
    [
        ({"true_token_id": 9, "false_token_id": 2}, {**LOGITS, "format": "flat"}, (9, 2), "text"),
        ({"true_token_id": 9, "false_token_id": None}, {**LOGITS, "format": "structured"}, (9,), "parts"),
        ({"true_token_id": 0, "module_input_name": "causal_logits"}, None, (0,), None),
        (None, {**LOGITS, "format": "flat"}, None, "text"),
        (None, None, None, None),
    ],
)
def test_a_reranker(
    tmp_path: Path, score: dict[str, Any] | None, message: Any, tokens: tuple[int, ...] | None, turns: str | None
) -> None:
    """As sentence-transformers 6.2 saves it."""
    modality = {"text": LOGITS, **({"message": message} if message else {})}
    task, output = ("text-generation", "causal_logits") if score else ("sequence-classification", "scores")
    prompts = {"prompts": {"web": "Given"}, "default_prompt_name": "web", "activation_fn": "any"}
    begins = {"chat_template": {"add_generation_prompt": True}}
    ranking(tmp_path, score, prompts, transformer_task=task, modality_config=modality, module_output_name=output,
            processing_kwargs=begins, max_seq_length=70)  # fmt: skip
    found = read_reranker(tmp_path)
    assert found is not None and not is_embedder(tmp_path)
    assert (found.tokens, found.turns, found.begins_reply, found.max_tokens) == (tokens, turns, True, 70)
    assert (found.prompts, found.default_prompt) == ({"web": "Given"}, "web")
    assert scored_tokens(tmp_path) == tokens


def test_a_folder_that_ranks_nothing(tmp_path: Path) -> None:
    assert read_reranker(tmp_path) is None
    assert read_reranker(add_modules(tmp_path / "vectors")) is None and scored_tokens(tmp_path / "vectors") is None
    assert read_reranker(ranking(tmp_path / "body", None, transformer_task="feature-extraction")) is None


@pytest.mark.parametrize(
    ("score", "options", "message"),
    [
        ({"true_token_id": None}, {}, "'1_LogitScore/config.json' has None for the id of a token"),
        ({"true_token_id": True}, {}, "has True for the id of a token"),
        ({"true_token_id": 1, "temperature": 5}, {}, "the option temperature"),
        ({"true_token_id": 1}, {"modality_config": {"image": LOGITS}}, "the option modality_config"),
        ({"true_token_id": 1}, {"modality_config": {"message": {"format": "auto"}}}, "the option format = auto"),
        ({"true_token_id": 1}, {"processing_kwargs": {"chat_template": {"tools": []}}}, "the option processing_kwargs"),
        (None, {"model": {"model_type": "SparseEncoder"}}, "the option model_type = SparseEncoder"),
    ],
)
def test_a_reranker_that_is_not_computed_is_refused(
    tmp_path: Path, score: dict[str, Any] | None, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(CheckpointError, match=message):
        read_reranker(ranking(tmp_path, score, **options))


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (("Pooling", "LayerNorm"), "'modules.json' has the module LayerNorm, which Joinery does not compute"),
        (("WeightedLayerPooling", "Pooling"), "the module WeightedLayerPooling"),
        (("Normalize",), "the modules Transformer, Normalize in this order"),
        (("Pooling", "Pooling"), "the modules Transformer, Pooling, Pooling in this order"),
    ],
)
def test_a_module_that_is_not_computed_is_refused(tmp_path: Path, kinds: tuple[str, ...], message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        read_embedding(add_modules(tmp_path, *kinds))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": {"pooling_mode": "attention"}}, "'1_Pooling/config.json' has the pooling attention"),
        ({"pooling": {"pooling_mode": []}}, "has the pooling"),
        ({"pooling": {"pooling_mode_rms": True}}, "the option pooling_mode_rms"),
        ({"model": {"model_type": "SparseEncoder"}}, "the option model_type = SparseEncoder"),
        ({"model": {"truncate_dim": 64}}, "'config_sentence_transformers.json' has the option truncate_dim,"),
        ({"model": {"similarity_fn_name": "jaccard"}}, "the similarity jaccard"),
        ({"model": {"default_prompt_name": "query"}}, "names the prompt query, which it does not have"),
        ({"model": {"prompts": {"query": 3}}}, "prompts that are not names with texts"),
        ({"max_seq_length": 0}, "max_seq_length = 0, not a number from 1"),
        ({"tokenizer_args": {"padding_side": "left"}}, "the option tokenizer_args = "),
        ({"query_length": 32}, "'sentence_bert_config.json' has the option query_length = 32"),
        ({"transformer_task": "fill-mask"}, "the option transformer_task = fill-mask"),
    ],
)
def test_an_option_that_is_not_computed_is_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        read_embedding(add_modules(tmp_path, **options))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"activation_function": "torch.nn.modules.activation.Mish"},
            "the activation torch.nn.modules.activation.Mish",
        ),
        ({"use_residual": True}, "the option use_residual = True"),
        ({"module_input_name": "token_embeddings"}, "the option module_input_name = token_embeddings"),
        ({"in_features": "8"}, "in_features = 8, not a number from 1"),
    ],
)
def test_a_layer_that_is_not_computed_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        read_embedding(dense(tmp_path, **changes))


def test_weights_of_a_layer_are_safetensors_or_pytorchs(tmp_path: Path) -> None:
    weights = dense(tmp_path) / "2_Dense" / "model.safetensors"
    weights.with_name("pytorch_model.bin").write_bytes(b"")
    assert read_embedding(tmp_path).steps[0] == DenseFiles("2_Dense/model.safetensors", 8, 4, True, "tanh")
    weights.unlink()
    assert read_embedding(tmp_path).steps[0] == DenseFiles("2_Dense/pytorch_model.bin", 8, 4, True, "tanh")
    assert "2_Dense/pytorch_model.bin" in embedding_files(tmp_path)
    weights.with_name("pytorch_model.bin").unlink()
    with pytest.raises(CheckpointError, match=r"'2_Dense' lacks model\.safetensors and pytorch_model\.bin: download"):
        read_embedding(tmp_path)


@pytest.mark.parametrize("content", ["[", "{}", '[{"type": 3, "path": ""}]', '[{"type": "a", "path": "../b"}]'])
def test_damaged_modules(tmp_path: Path, content: str) -> None:
    (tmp_path / "modules.json").write_text(content, "utf-8")
    with pytest.raises(CheckpointError, match=r"^'modules.json' is no(t JSON| list of modules)"):
        is_embedder(tmp_path)


def test_a_cross_encoder_has_a_transformer_alone(tmp_path: Path) -> None:
    write_json(tmp_path / "modules.json", [{"type": "sentence_transformers.models.Transformer", "path": ""}])
    assert not is_embedder(tmp_path) and embedding_files(tmp_path) == ("modules.json",)
    assert not is_embedder(tmp_path / "nowhere") and embedding_files(tmp_path / "nowhere") == ()
