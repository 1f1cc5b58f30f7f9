"""BERT in GGUF: ids and vectors as those of the folder that it was made of, in each form, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from tokenizers import Tokenizer

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.converting_bert import F16, write_bert
from tests.workflows.checkpoint.gguf.making import F32, Q8_0, write_gguf
from tests.workflows.predict.text_bundles import save_checkpoint, tokenizer
from workflows.builder import BuildRequest, build
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError
from workflows.export.load import load_model
from workflows.predict import open_embedder
from workflows.recipe import resolve_recipe

TEXTS = ["the cat", "The DOG sat on the mats.", "Paris, paris! anna's", "unheardof cats", "dog on [MASK]", "Élan 猫"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uncased BERT."""
    folder = save_checkpoint(tmp_path_factory.mktemp("bert"), limit=64, intermediate_size=64)
    tokenizer(lowercase=True).save(str(folder / "tokenizer.json"))
    return folder


def test_ids_are_those_of_the_vocabulary(folder: Path, tmp_path: Path) -> None:
    """Words are in lower case, for no piece has another; a text and a pair have their ends and types."""
    path = write_bert(tmp_path / "m.gguf", folder)
    ours = Tokenizer.from_file(str(open_checkpoint(str(path)).folder / "tokenizer.json"))
    theirs = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert ours.get_vocab() == theirs.get_vocab()
    for text in TEXTS:
        for pair in (None, "a mat"):
            one, other = ours.encode(text, pair), theirs.encode(text, pair)
            assert (one.ids, one.type_ids) == (other.ids, other.type_ids), (text, pair)
    assert ours.decode(ours.encode("the cats sat").ids) == "the cats sat"


def test_case_and_accents_are_as_the_file_says(folder: Path, tmp_path: Path) -> None:
    def normalizer(**changes: Any) -> tuple[bool, bool]:
        path = write_bert(tmp_path / "m.gguf", folder, **changes)
        content = json.loads((open_checkpoint(str(path)).folder / "tokenizer.json").read_text("utf-8"))
        return content["normalizer"]["lowercase"], content["normalizer"]["strip_accents"]

    name = "tokenizer__ggml__normalizer__"
    assert normalizer() == (True, True)
    assert normalizer(**{f"{name}lowercase": False}) == (False, False)
    assert normalizer(**{f"{name}lowercase": True, f"{name}strip_accents": False}) == (True, False)
    tokens = [f"▁X{at}" if at == 9 else f"[unused{at}]" if at == 8 else f"▁x{at}" for at in range(4, 40)]
    own = {"tokens": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *tokens], "mask_token_id": None, "padding_token_id": 0,
           "unknown_token_id": 1, "cls_token_id": 2, "seperator_token_id": 3,
           "token_type": [3] * 4 + [1] * 36}  # fmt: skip
    assert normalizer(**{f"tokenizer__ggml__{key}": one for key, one in own.items()}) == (False, False), "X9 is a piece"


@pytest.mark.parametrize("kind", [F32, F16, Q8_0])
def test_vectors_are_those_of_the_numbers_in_the_file(folder: Path, tmp_path: Path, kind: int) -> None:
    """Of each form; the mean of the tokens, of length 1."""
    import transformers

    path = write_bert(tmp_path / "m.gguf", folder, kind)
    checkpoint = open_checkpoint(str(path))
    assert resolve_recipe(checkpoint, {}).task == "feature-extraction"
    model = load_model(checkpoint, "feature-extraction", attention="eager")
    theirs = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False).state_dict()
    error = {F32: 0, F16: 1e-3, Q8_0: 8e-3}[kind]
    for name, one in theirs.items():
        np.testing.assert_allclose(model.state_dict()[name], one, atol=error, err_msg=name)
    build(BuildRequest(str(path), tmp_path / "bundle", {"quantize": {"accuracy_level": 0}}))
    graph = onnx.load(tmp_path / "bundle" / "model.onnx", load_external_data=False).graph
    held = [node for node in graph.node if node.op_type in ("MatMulNBits", "GatherBlockQuantized")]
    assert len(held) == (5 if kind == Q8_0 else 0)  # and the table
    encode = tokenizer(lowercase=True).encode
    for made in open_embedder(tmp_path / "bundle").embed(TEXTS):
        with torch.no_grad():
            hidden = model(torch.tensor([encode(made.text).ids])).last_hidden_state[0]
        wanted = torch.nn.functional.normalize(hidden.mean(0), dim=0).numpy()
        np.testing.assert_allclose(made.vector, wanted, atol=2e-6)


def test_blocks_are_held_by_default(folder: Path, tmp_path: Path) -> None:
    checkpoint = open_checkpoint(str(write_bert(tmp_path / "m.gguf", folder, Q8_0)))
    assert resolve_recipe(checkpoint, {}).precision == "stored"
    assert resolve_recipe(open_checkpoint(str(write_bert(tmp_path / "m.gguf", folder))), {}).precision == "fp32"


def test_a_pooling_is_that_of_the_file(folder: Path, tmp_path: Path) -> None:
    for number, mode in ((2, "cls"), (3, "lasttoken")):
        root = open_checkpoint(str(write_bert(tmp_path / "m.gguf", folder, bert__pooling_type=number))).root
        assert json.loads((root / "1_Pooling" / "config.json").read_text("utf-8"))["pooling_mode"] == mode
    for without in (0, None):
        assert not open_checkpoint(str(write_bert(tmp_path / "m.gguf", folder, bert__pooling_type=without))).embeds


@pytest.mark.slow
def test_a_decoder_with_a_pooling_makes_vectors(tmp_path: Path) -> None:
    """As Qwen3-Embedding: the last token, which the file says to add, and length 1."""
    model = make_model("qwen3")
    more = {"qwen3.pooling_type": 3, "tokenizer.ggml.add_eos_token": True}
    path = write_gguf(tmp_path / "m.gguf", metadata_of("qwen3", model.config) | more, tensors_of("qwen3", model))
    build(BuildRequest(str(path), tmp_path / "bundle", {}))
    encode = Tokenizer.from_file(str(tmp_path / "bundle" / "tokenizer" / "tokenizer.json")).encode
    for made in open_embedder(tmp_path / "bundle").embed(["the cat", "é 12"]):
        ids = encode(made.text).ids
        assert ids[-1] == model.config.eos_token_id
        last = model.model(torch.tensor([ids])).last_hidden_state[0, -1]
        np.testing.assert_allclose(made.vector, torch.nn.functional.normalize(last, dim=0).numpy(), atol=2e-6)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"bert__pooling_type": 4}, "it ranks pairs of texts by a head, which is not read from GGUF"),
        ({"bert__pooling_type": 9}, "it has the pooling 9, which is not read"),
        ({"tokenizer__ggml__model": "gpt2"}, "its tokenizer is of the kind 'gpt2', and BERT has WordPiece"),
        ({"tokenizer__ggml__model": "t5"}, "its tokenizer is of the kind 't5', and BERT has WordPiece"),
        ({"tokenizer__ggml__seperator_token_id": None}, "its tokenizer lacks the token that begins a text, ends it or"),
        ({"general__architecture": "nomic-bert"}, "the architecture nomic-bert, which is not read from GGUF; there"),
        ({"general__architecture": "jina-bert-v2"}, "the architecture jina-bert-v2, which is not read from GGUF"),
    ],
)
def test_another_encoder_is_refused(folder: Path, tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    path = write_bert(tmp_path / "m.gguf", folder, **changes)
    with pytest.raises(CheckpointError) as refused:
        open_checkpoint(str(path))
    assert expected in str(refused.value) and str(refused.value).endswith(".")
