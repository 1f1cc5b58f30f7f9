"""Small checkpoints' SentencePiece files as the hub has them, trained within a second, and texts of many scripts."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

LINES = [
    "Hello world, it's a naïve façade; the quick brown fox jumps over the lazy dog.",
    "The weather is fine today... and tomorrow!! (perhaps) costs 12.50 or 1,000",
    "Привет, мир! Как дела сегодня? Погода хорошая.",
    "你好，世界。今天天气很好，我们去公园散步。",
    "مرحبا بالعالم كيف حالك اليوم",
    "नमस्ते दुनिया आज मौसम अच्छा है",
    "שלום עולם מה שלומך היום",
    "สวัสดีชาวโลก วันนี้อากาศดีมาก",
    "안녕하세요 세계 오늘 날씨가 좋습니다",
    "emoji 🧵 😀 end",
] * 20
PARTS = [
    *(word for line in LINES[:10] for word in line.split()), "ﬁ", "Ⅷ", "½", "ﷺ", "e\u0301", "a\u0327\u0301", "क़ि",
    "นำ้", "\u1112\u1161\u11ab", "\u0627\u0653\u064e", "ｶﾞ", "か\u3099", "👨\u200d👩\u200d👧", "🇫🇷", "漢字", "....",
    ">>>", " ", "  ", "\t", "\n", "\r\n", "\x00", "\x07", "\x7f", "\u200b", "\u3000", "\u00a0", "\ufeff", "▁", "▁▁",
    "</s>", "<unk>", "<pad>", "<s>", ">>fra<<", ">>", "<<", "__en__", "__fr__", "\U0010ffff",
]  # fmt: skip


@cache
def trained(size: int = 300, kind: str = "unigram", **options: Any) -> bytes:
    """A SentencePiece model of LINES; some of their characters are in no piece."""
    import sentencepiece

    file = io.BytesIO()
    fixed = {"character_coverage": 0.98, "minloglevel": 2, "hard_vocab_limit": False, "num_threads": 1}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=file, vocab_size=size, model_type=kind, **{**fixed, **options}
    )
    return file.getvalue()


def names(model: bytes) -> list[str]:
    """The pieces of a model that stand for text."""
    import sentencepiece

    pieces = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [pieces.id_to_piece(i) for i in range(pieces.get_piece_size()) if not pieces.is_control(i)][1:]


def save_marian(folder: Path, **options: Any) -> Path:
    """The words of an opus-mt checkpoint: each tenth piece of the source is not in the vocabulary, the target's are."""
    folder.mkdir(parents=True, exist_ok=True)
    source, target = trained(**options), trained(size=400, character_coverage=1.0, **options)
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    pieces = dict.fromkeys([*names(source), *names(target), "漢字"])
    known = [piece for piece in pieces if piece not in names(source)[::10]]
    words = ["</s>", "<unk>", *known, ">>fra<<", ">>deu<<", "<s>", "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}), "utf-8")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "MarianTokenizer"}')
    if not (folder / "config.json").exists():
        (folder / "config.json").write_text('{"model_type": "marian"}')
    return folder


def save_m2m_100(folder: Path, kind: str, listed: bool = True) -> Path:
    """The words of an M2M100 checkpoint. listed: special_tokens_map.json names the languages, as on the hub."""
    from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES

    folder.mkdir(parents=True)
    model = trained(kind=kind)
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    words = {word: i for i, word in enumerate(dict.fromkeys(["<s>", "<pad>", "</s>", "<unk>", *names(model)]))}
    (folder / "vocab.json").write_text(json.dumps(words), "utf-8")
    (folder / "config.json").write_text('{"model_type": "m2m_100"}')
    if listed:
        codes = [f"__{code}__" for code in FAIRSEQ_LANGUAGE_CODES["m2m100"]]
        (folder / "special_tokens_map.json").write_text(json.dumps({"additional_special_tokens": codes}))
        (folder / "tokenizer_config.json").write_text('{"src_lang": "fr", "tokenizer_class": "M2M100Tokenizer"}')
    return folder


def texts(count: int, seed: str) -> Iterator[str]:
    """Texts of the parts, in any order, and of characters of the first planes."""
    chances = random.Random(seed)
    for _ in range(count):
        yield "".join(
            chances.choice(PARTS) + " " * chances.randrange(2)
            if chances.random() < 0.9
            else chr(chances.randrange(1, 0x3000))
            for _ in range(chances.randrange(9))
        )
