"""Marian's and M2M100's tokenizers, which transformers runs by SentencePiece: the same ids and texts without it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from tests.workflows.builder.pieces import save_m2m_100, save_marian, texts, trained
from tests.workflows.builder.test_tokenizer import in_bundle
from tests.workflows.conftest import Built
from workflows.builder.tokenizer import check_tokenizer
from workflows.bundle import read_bundle
from workflows.common.errors import CheckpointError
from workflows.generate.tokenizer import BundleTokenizer


def _save(folder: Path, model_type: str, name: str) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    (folder / name).write_bytes(trained())
    return folder


CASES: dict[str, Callable[[Path], Path]] = {
    "marian": save_marian,
    "marian, characters as they are": lambda folder: save_marian(folder, normalization_rule_name="identity"),
    "marian, lower case": lambda folder: save_marian(folder, normalization_rule_name="nmt_nfkc_cf"),
    "marian, all spaces": lambda folder: save_marian(folder, remove_extra_whitespaces=False),
    "marian, no space before": lambda folder: save_marian(folder, add_dummy_prefix=False),
    "marian, pieces of two words": lambda folder: save_marian(folder, split_by_whitespace=False),
    "m2m_100": lambda folder: save_m2m_100(folder, "unigram"),
    "m2m_100 by pairs": lambda folder: save_m2m_100(folder, "bpe"),
    "plbart": lambda folder: _save(folder, "plbart", "sentencepiece.bpe.model"),
    "bert-generation": lambda folder: _save(folder, "bert-generation", "spiece.model"),
    "m2m_100, languages unlisted": lambda folder: save_m2m_100(folder, "unigram", listed=False),
}


@pytest.mark.parametrize("name", CASES)
def test_ids_and_texts_are_those_of_transformers(tmp_path: Path, name: str) -> None:
    """500 texts of ten scripts, whitespace and control characters; 300 rows of random ids back, whole and streamed."""
    folder = CASES[name](tmp_path / "checkpoint")
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ours = BundleTokenizer.of_bundle(read_bundle(in_bundle(folder, tmp_path / "bundle")))
    ours.vocabulary = 1 << 20
    for text in texts(500, name):
        for special in (True, False):
            expected = theirs(text, add_special_tokens=special)["input_ids"]
            assert (ours.encode(text, special=special) if expected else []) == expected, (text, special)
    chances = random.Random(name)
    known = [*range(theirs.vocab_size), *theirs.added_tokens_decoder]
    for _ in range(300):
        ids = chances.choices(known, k=chances.randrange(1, 12))
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=True), ids
        stream = ours.stream()
        assert "".join([*map(stream.push, ids), stream.flush()]) == ours.decode(ids), ids


def test_the_texts_have_what_they_are_to_try(tmp_path: Path) -> None:
    """Unknown characters, pieces outside the vocabulary, and characters that are the target's alone."""
    theirs = AutoTokenizer.from_pretrained(save_marian(tmp_path / "c"), local_files_only=True)
    pieces = [piece for text in texts(500, "marian") for piece in theirs.spm_source.encode(text, out_type=str)]
    own = {theirs.spm_source.id_to_piece(i) for i in range(theirs.spm_source.get_piece_size())}
    assert {(piece in own, piece in theirs.encoder) for piece in pieces} == {
        (True, True),
        (True, False),
        (False, True),
        (False, False),
    }


def test_an_opus_mt_folder_translates_as_transformers_does(tmp_path: Path, built: Built, cli: Any) -> None:
    """From the files of the hub to the text that the command prints, from a bundle that needs no SentencePiece."""
    import torch
    from transformers import AutoModelForSeq2SeqLM, MarianConfig, MarianMTModel

    folder = save_marian(tmp_path / "opus-mt")
    words = json.loads((folder / "vocab.json").read_text())
    pad, seeded = words["<pad>"], torch.manual_seed(0)
    sizes = {"encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
             "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "d_model": 32, "max_position_embeddings": 64}  # fmt: skip
    ends = {"pad_token_id": pad, "eos_token_id": 0, "decoder_start_token_id": pad, "forced_eos_token_id": 0}
    model = MarianMTModel(MarianConfig(vocab_size=len(words), **sizes, **ends))
    with torch.no_grad():
        model.final_logits_bias.normal_(0, 0.5, generator=seeded)
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and "embed_positions" not in name:
                parameter.normal_(0, 1.5 / parameter.shape[1] ** 0.5)
    # a random model repeats one token for ever
    settings = {"bad_words_ids": [[pad]], "max_length": 64, "no_repeat_ngram_size": 1, "num_beams": 4, **ends}
    model.generation_config.update(**settings)
    model.save_pretrained(folder)
    (folder / "model.safetensors").unlink()
    torch.save(model.state_dict(), folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)  # as of 2020
    theirs, oracle = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    bundle = built(folder, capacity=32, passes={})
    for text in ("Hello world, it's fine today...", ">>fra<< Привет, мир! 漢字 ｶﾞ", "안녕하세요 세계"):
        source = theirs(text, return_tensors="pt")
        wanted = oracle.generate(**source, max_new_tokens=16, num_beams=1, do_sample=False)[0]
        code, out, err = cli("generate", bundle, "--prompt", text, "--max-new-tokens", "16", "--json")
        assert code == 0, err
        done = json.loads(out.splitlines()[-1])
        assert done["prompt_ids"] == source["input_ids"][0].tolist()
        assert done["token_ids"] == wanted[1:].tolist()
        assert done["text"] == theirs.decode(wanted, skip_special_tokens=True)
        assert len(set(done["token_ids"])) == len(done["token_ids"]) == 16
        wanted = oracle.generate(**source, max_new_tokens=16, do_sample=False)[0]  # with the beams of the checkpoint
        found = cli("generate", bundle, "--prompt", text, "--max-new-tokens", "16", "--beams", "4", "--json")
        assert json.loads(found[1].splitlines()[-1])["token_ids"] == wanted[1:].tolist()


def test_transformers_reads_the_bundle_s_tokenizer(tmp_path: Path) -> None:
    """As workflows.adapters.transformers has it do for its pipelines; but for `<s>`, written out in a text.

    tokenizer.json lists it as a token without text, and transformers divides a text at each that is listed there.
    """
    folder = save_marian(tmp_path / "checkpoint")
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    again = AutoTokenizer.from_pretrained(in_bundle(folder, tmp_path / "bundle") / "tokenizer", local_files_only=True)
    for text in (text for text in texts(50, "again") if "<s>" not in text):
        assert again(text)["input_ids"] == theirs(text)["input_ids"]


def _edit(folder: Path, name: str, **values: Any) -> None:
    file = folder / name
    old = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(old | values))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda folder: (folder / "target.spm").unlink(), "target.spm is missing beside it"),
        (lambda folder: (folder / "vocab.json").unlink(), "vocab.json is missing beside it"),
        (lambda folder: (folder / "source.spm").write_bytes(b"no"), "source.spm is not a SentencePiece model"),
        (lambda folder: (folder / "target.spm").write_bytes(b""), "target.spm is a SentencePiece model without pieces"),
        (lambda folder: _edit(folder, "vocab.json", again=5), "two of its tokens have the same id"),
        (
            lambda folder: (folder / "source.spm").write_bytes(trained(user_defined_symbols="<x>")),
            "its SentencePiece model has user-defined pieces or bytes",
        ),
        (
            lambda folder: (folder / "source.spm").write_bytes(trained(kind="char")),
            "its SentencePiece model divides text into words or characters",
        ),
        (
            lambda folder: (folder / "source.spm").write_bytes(trained(treat_whitespace_as_suffix=True)),
            "its SentencePiece model marks the ends of words",
        ),
    ],
)
def test_what_cannot_be_converted_is_refused_with_the_reason(tmp_path: Path, change: Any, why: str) -> None:
    folder = save_marian(tmp_path / "c")
    check_tokenizer(folder)
    change(folder)
    with pytest.raises(CheckpointError) as refusal:
        check_tokenizer(folder)
    assert "source.spm" in str(refusal.value) and why in str(refusal.value) and "--no-tokenizer" in str(refusal.value)


def test_a_vocabulary_that_is_no_json_is_named(tmp_path: Path) -> None:
    folder = save_marian(tmp_path / "c")
    (folder / "vocab.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"vocab\.json"):
        check_tokenizer(folder)


def test_a_tokenizer_of_python_alone_is_refused(tmp_path: Path) -> None:
    """ESM's has a vocabulary that Joinery could copy, and nothing that would read it."""
    (tmp_path / "config.json").write_text('{"model_type": "esm"}')
    (tmp_path / "vocab.txt").write_text("<cls>\n<pad>\n<eos>\n<unk>\nL\nA\n<mask>\n")
    with pytest.raises(CheckpointError, match="EsmTokenizer exists in Python alone"):
        check_tokenizer(tmp_path)
