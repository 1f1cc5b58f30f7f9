"""SentencePiece's arithmetic and character map, apart from a tokenizer; test_piece_files.py has whole tokenizers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from tests.workflows.builder.pieces import save_marian, texts, trained
from tests.workflows.builder.test_tokenizer import in_bundle
from workflows.bundle import read_bundle
from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.common.errors import BundleError, PromptError
from workflows.generate.piece_encoder import CharacterMap, UnigramPieces
from workflows.generate.tokenizer import BundleTokenizer


def test_pieces_are_those_of_sentencepiece() -> None:
    """Runs of one character, which many divisions have with the same probability, among them."""
    model = trained()
    proto = sentencepiece_model_pb2.ModelProto.FromString(model)
    pieces = UnigramPieces({one.piece: one.score for one in proto.pieces if one.type == one.NORMAL})
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model)
    chances = random.Random(0)
    for text in [*texts(300, "pieces"), *("".join(chances.choices("..!o▁l", k=9)) for _ in range(300))]:
        normalized = theirs.normalize(text)
        assert pieces.divide(normalized) == theirs.encode(text, out_type=str), text
    assert pieces.divide("") == []


def _blob(rule: str) -> bytes:
    proto = sentencepiece_model_pb2.ModelProto.FromString(trained(normalization_rule_name=rule))
    return bytes(proto.normalizer_spec.precompiled_charsmap)


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc_cf", "identity"])
def test_characters_are_mapped_as_sentencepiece_maps_them(rule: str) -> None:
    """Longest sequences first: letters with marks after them, Hangul and kana in parts, all of the first plane."""
    spec = {"add_dummy_prefix": False, "remove_extra_whitespaces": False}
    theirs = sentencepiece.SentencePieceProcessor(model_proto=trained(normalization_rule_name=rule, **spec))
    ours = CharacterMap(_blob(rule))
    plane = ["".join(map(chr, range(first, first + 64))) for first in range(0x40, 0xD800, 64)]
    for text in [*texts(300, rule), *plane]:
        assert ours.replace(text).replace(" ", "▁") == theirs.normalize(text), text


def test_a_damaged_map_is_refused_or_ends() -> None:
    """Nothing beyond its end is read, and no text is without end."""
    blob, chances = _blob("nmt_nfkc"), random.Random(1)
    with pytest.raises(ValueError, match="cut short"):
        CharacterMap(blob[:99])
    for _ in range(30):
        damaged = bytearray(blob)
        for place in chances.choices(range(4, len(blob)), k=2000):
            damaged[place] = chances.randrange(256)
        assert isinstance(CharacterMap(bytes(damaged)).replace("Ⅷ é ｶﾞ 가"), str)


@pytest.mark.parametrize(
    "content",
    ["[]", "{", "{}", '{"scores": {}, "unknown": "no piece"}', '{"scores": {"a": 0}, "unknown": "<unk>", "x": 1}',
     '{"scores": {"a": 1e39}, "unknown": "<unk>"}', '{"scores": {"": 0}, "unknown": "<unk>"}',
     '{"scores": {"a": 0}, "unknown": "<unk>", "character_map": "%"}',
     '{"scores": {"a": 0}, "unknown": "<unk>", "character_map": "////fw=="}',
     '{"scores": {"a": 0}, "unknown": "<unk>", "merges": [["a", "b"]]}'],
)  # fmt: skip
def test_an_invalid_file_of_a_bundle_is_named(tmp_path: Path, content: str) -> None:
    root = in_bundle(save_marian(tmp_path / "c"), tmp_path / "b")
    (root / "tokenizer" / "pieces.json").write_text(content)
    (root / MANIFEST).write_text(make_manifest(root).model_dump_json())
    with pytest.raises(BundleError, match=r"pieces\.json"):
        BundleTokenizer.of_bundle(read_bundle(root))


def test_an_unpaired_surrogate_is_refused(tmp_path: Path) -> None:
    text: Any = BundleTokenizer.of_bundle(read_bundle(in_bundle(save_marian(tmp_path / "c"), tmp_path / "b")))
    with pytest.raises(PromptError, match="not valid Unicode"):
        text.encode("\ud800", special=True)
