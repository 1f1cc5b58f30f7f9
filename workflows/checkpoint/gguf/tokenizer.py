"""Makes tokenizer.json and its settings of a GGUF file's vocabulary.

    tokenizer.ggml.model  gpt2   pieces of bytes, merges in the file     split as `tokenizer.ggml.pre` says
                          llama  SentencePiece's pieces and scores       merges follow from the scores
                          bert   WordPiece's pieces, the longest first   words in lower case unless pieces have upper

The result is what the model's authors publish where the file says as much: Qwen's texts are composed (NFC) although
llama.cpp leaves them, and a piece that a person may type (user-defined) is taken whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from workflows.checkpoint.gguf.model import GgufModel
from workflows.common.errors import printable

Json = dict[str, Any]

_NORMAL, _UNKNOWN, _CONTROL, _USER = 1, 2, 3, 4  # kinds of tokens (llama_token_type)
_SPACE = "\u2581"  # SentencePiece's
_WITHIN = "##"  # of WordPiece, before a piece that begins no word
_NAMES = {
    "bos_token": "bos",
    "eos_token": "eos",
    "unk_token": "unknown",
    "pad_token": "padding",
    "sep_token": "seperator",  # as the format spells it
    "mask_token": "mask",
    "cls_token": "cls",
}

# How texts are split before merges apply: the expressions that the models' authors publish.
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA3 = rf"{_WORDS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_QWEN2 = rf"{_WORDS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CASES = (rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+", rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*")
_TEKKEN = rf"{_CASES[0]}|{_CASES[1]}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}"
_GPT4O = rf"{_CASES[0]}{_WORDS}?|{_CASES[1]}{_WORDS}?|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}"


@dataclass(frozen=True, slots=True)
class Split:
    """expression: "" for GPT-2's own. digits: whether each digit stands alone first. composed: whether texts are NFC.

    whole: whether a word that is a piece is taken without merges. begins: whether a text begins with bos, unless the
    file says so.
    """

    expression: str = ""
    digits: bool = False
    composed: bool = False
    whole: bool = False
    begins: bool = False


_LLAMA3_SPLIT = Split(_LLAMA3, whole=True, begins=True)
SPLITS: Mapping[str, Split] = {
    **dict.fromkeys(("gpt-2", "mpt", "olmo", "phi-2"), Split()),
    **dict.fromkeys(("smollm", "starcoder", "refact", "command-r", "codeshell"), Split(digits=True)),
    **dict.fromkeys(("llama3", "llama-v3", "llama-bpe"), _LLAMA3_SPLIT),
    **dict.fromkeys(("dbrx", "smaug-bpe"), Split(_LLAMA3)),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "megrez"), Split(_QWEN2, composed=True)),
    "tekken": Split(_TEKKEN, whole=True, begins=True),
    "gpt-4o": Split(_GPT4O),
}
"""By `tokenizer.ggml.pre`."""


def make_tokenizer(model: GgufModel) -> tuple[Json, Json]:
    """The contents of tokenizer.json and tokenizer_config.json. Raises CheckpointError for a kind that is not read."""
    kind = model.metadata.get("tokenizer.ggml.model")
    makers = {"gpt2": _byte_pieces, "llama": _sentence_pieces, "bert": _word_pieces}
    if kind not in makers:
        raise model.error(f"its tokenizer is of the kind '{printable(kind, 40)}', and {' and '.join(makers)} are read")
    vocabulary = _Vocabulary(model)
    return makers[str(kind)](model, vocabulary), _settings(model, vocabulary)


class _Vocabulary:
    """The tokens of a file with their kinds, checked."""

    def __init__(self, model: GgufModel) -> None:
        self._model = model
        self.tokens = self.strings("tokens")
        kinds = model.metadata.get("tokenizer.ggml.token_type", [1] * len(self.tokens))
        self.kinds = [kind for kind in kinds if isinstance(kind, int)] if isinstance(kinds, list) else []
        if not self.tokens or len(self.kinds) != len(self.tokens):
            raise model.error("its tokenizer lacks tokens, or the kind of each")
        self.pieces = self.tokens  # as merges make them

    def strings(self, name: str) -> list[str]:
        """A list of texts of the tokenizer. Raises CheckpointError where there is none."""
        value = self._model.metadata.get(f"tokenizer.ggml.{name}")
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._model.error(f"its metadata lacks tokenizer.ggml.{name}")
        return [str(one) for one in value]

    def ids(self, tokens: Sequence[str]) -> dict[str, int]:
        """Token → id. Raises CheckpointError for a token that is there twice."""
        ids = {token: index for index, token in enumerate(tokens)}
        if len(ids) < len(tokens):
            twice = next(token for index, token in enumerate(tokens) if ids[token] != index)
            raise self._model.error(f"its vocabulary has the token '{printable(twice, 40)}' twice")
        return ids

    def token(self, name: str) -> str | None:
        """The token of a special id; None where there is none."""
        index = self._model.token_id(name)
        if index is not None and index >= len(self.tokens):
            raise self._model.error(f"its token {name} is {index}, beyond the {len(self.tokens)} of its vocabulary")
        return None if index is None else self.pieces[index]

    def added(self) -> list[Json]:
        """The tokens that are taken whole wherever they stand: control tokens, and those that a person may type."""
        return [
            {"id": index, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": kind in (_CONTROL, _UNKNOWN)}
            for index, (token, kind) in enumerate(zip(self.pieces, self.kinds, strict=True))
            if kind in (_CONTROL, _USER, _UNKNOWN) and token
        ]  # fmt: skip


def _byte_pieces(model: GgufModel, vocabulary: _Vocabulary) -> Json:
    """The tokenizer of pieces of bytes."""
    name = model.metadata.get("tokenizer.ggml.pre")
    split = SPLITS.get(str(name))
    if split is None:
        known = ", ".join(sorted(SPLITS))
        raise model.error(f"its texts are split in the way '{printable(name, 40)}' (tokenizer.ggml.pre), not: {known}")
    merges = [merge.split(" ") for merge in vocabulary.strings("merges")]
    ids = vocabulary.ids(vocabulary.tokens)
    if wrong := next((one for one in merges if len(one) != 2 or one[0] not in ids or one[1] not in ids), None):
        raise model.error(f"its merge '{printable(' '.join(wrong), 60)}' is of no two tokens")
    steps: list[Json] = [{"type": "Digits", "individual_digits": True}] if split.digits else []
    if split.expression:
        cut = {"type": "Split", "pattern": {"Regex": split.expression}, "behavior": "Isolated", "invert": False}
        steps.append(cut)
    bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": not split.expression}
    pieces = _bpe(ids, [[*merge] for merge in merges], ignore_merges=split.whole)
    decoder = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    normalizer = {"type": "NFC"} if split.composed else None
    splitter = {"type": "Sequence", "pretokenizers": [*steps, bytes_]}
    return _file(vocabulary, pieces, normalizer, splitter, decoder, _ends(model, vocabulary, split.begins))


def _sentence_pieces(model: GgufModel, vocabulary: _Vocabulary) -> Json:
    """SentencePiece's pieces: spaces are written as a sign, and a character that is no piece as its bytes."""
    vocabulary.pieces = [_spelled(*one) for one in zip(vocabulary.tokens, vocabulary.kinds, strict=True)]
    ids = vocabulary.ids(vocabulary.pieces)
    prefix = bool(model.metadata.get("tokenizer.ggml.add_space_prefix", True))
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": _SPACE}
    first = {"type": "Prepend", "prepend": _SPACE}
    normalizer = {"type": "Sequence", "normalizers": [first, spaces]} if prefix else spaces
    decoders: list[Json] = [
        {"type": "Replace", "pattern": {"String": _SPACE}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    if prefix:
        decoders.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    merges = make_merges(_ranked(model, vocabulary))
    pieces = _bpe(ids, merges, unk_token=vocabulary.token("unknown"), fuse_unk=True, byte_fallback=True)
    decoder = {"type": "Sequence", "decoders": decoders}
    return _file(vocabulary, pieces, normalizer, None, decoder, _ends(model, vocabulary, begins=True))


def _word_pieces(model: GgufModel, vocabulary: _Vocabulary) -> Json:
    """BERT's WordPiece, whose pieces within a word begin with ##, where the file marks those that begin one.

    Texts are in lower case where the file says so, or where no piece has another: such a piece would never be met.
    """
    vocabulary.pieces = [_word_piece(*one) for one in zip(vocabulary.tokens, vocabulary.kinds, strict=True)]
    ids = vocabulary.ids(vocabulary.pieces)
    words = (piece for piece, kind in zip(vocabulary.pieces, vocabulary.kinds, strict=True)
             if kind == _NORMAL and not _is_bracketed(piece))  # fmt: skip
    lower = model.metadata.get("tokenizer.ggml.normalizer.lowercase")
    lower = all(piece == piece.lower() for piece in words) if lower is None else bool(lower)
    first, last = vocabulary.token("cls") or vocabulary.token("bos"), vocabulary.token("seperator")
    unknown = vocabulary.token("unknown")
    if first is None or last is None or unknown is None:
        raise model.error("its tokenizer lacks the token that begins a text, ends it or stands for an unknown word")
    strip = model.metadata.get("tokenizer.ggml.normalizer.strip_accents", lower)
    normalizer = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": lower,
                  "strip_accents": bool(strip)}  # fmt: skip
    pieces = {"type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": _WITHIN,
              "max_input_chars_per_word": 100, "vocab": ids}  # fmt: skip
    decoder = {"type": "WordPiece", "prefix": _WITHIN, "cleanup": True}
    single = [_special(first, 0), {"Sequence": {"id": "A", "type_id": 0}}, _special(last, 0)]
    pair = [*single, {"Sequence": {"id": "B", "type_id": 1}}, _special(last, 1)]
    splitter = {"type": "BertPreTokenizer"}
    return _file(vocabulary, pieces, normalizer, splitter, decoder, _template(vocabulary, single, pair))


def _word_piece(token: str, kind: int) -> str:
    """A piece as WordPiece spells it: llama.cpp's converter marks those that begin a word instead of the others."""
    if kind not in (_NORMAL, _USER) or _is_bracketed(token):
        return token
    return token[1:] if token.startswith(_SPACE) else _WITHIN + token


def _is_bracketed(token: str) -> bool:
    """Whether it is one such as [UNK] or [unused7], which converters left as they are before they knew kinds."""
    return len(token) > 1 and token.startswith("[") and token.endswith("]")


def _spelled(token: str, kind: int) -> str:
    """A piece as merges make it: llama.cpp's converter writes the spaces of what a person may type as they are."""
    return token.replace(" ", _SPACE) if kind == _USER and not token.strip() else token


def _ranked(model: GgufModel, vocabulary: _Vocabulary) -> dict[str, float]:
    """The pieces of texts with their scores; what a person may type comes before all others."""
    scores = model.metadata.get("tokenizer.ggml.scores")
    numbers = [one for one in scores if isinstance(one, int | float)] if isinstance(scores, list) else []
    if len(numbers) != len(vocabulary.tokens):
        raise model.error("its vocabulary lacks the score of each piece (tokenizer.ggml.scores)")
    return {
        piece: math.inf if kind == _USER else float(score)
        for piece, kind, score in zip(vocabulary.pieces, vocabulary.kinds, numbers, strict=True)
        if kind in (_NORMAL, _USER)
    }


def make_merges(scores: Mapping[str, float]) -> list[list[str]]:
    """The merges of two pieces into one that follow from the pieces' scores, the first to apply first.

    As SentencePiece merges: of all neighbours those first that make the piece of the best score. Of the pairs that make
    one piece, the longest left one comes first, as in the files that transformers' converter makes.
    """
    found = [
        (-score, -cut, piece)
        for piece, score in scores.items()
        for cut in range(1, len(piece))
        if piece[:cut] in scores and piece[cut:] in scores
    ]
    found.sort(key=itemgetter(0, 1))
    return [[piece[:-cut], piece[-cut:]] for _, cut, piece in found]


def _bpe(ids: Mapping[str, int], merges: list[list[str]], **options: Any) -> Json:
    defaults = {"dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                "fuse_unk": False, "byte_fallback": False, "ignore_merges": False}  # fmt: skip
    return {"type": "BPE", **defaults, **options, "vocab": dict(ids), "merges": merges}


def _file(
    vocabulary: _Vocabulary,
    pieces: Json,
    normalizer: Json | None,
    splitter: Json | None,
    decoder: Json,
    ends: Json | None,
) -> Json:
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": vocabulary.added(),
        "normalizer": normalizer,
        "pre_tokenizer": splitter,
        "post_processor": ends,
        "decoder": decoder,
        "model": pieces,
    }


def _ends(model: GgufModel, vocabulary: _Vocabulary, begins: bool) -> Json | None:
    """The tokens around each text: bos, and eos where the file says so."""
    first = vocabulary.token("bos") if model.metadata.get("tokenizer.ggml.add_bos_token", begins) else None
    last = vocabulary.token("eos") if model.metadata.get("tokenizer.ggml.add_eos_token", False) else None
    if first is None and last is None:
        return None

    def around(texts: Iterable[tuple[str, int]]) -> list[Json]:
        steps: list[Json] = []
        for name, kind in texts:
            steps += [_special(first, kind)] if first else []
            steps.append({"Sequence": {"id": name, "type_id": kind}})
            steps += [_special(last, kind)] if last else []
        return steps

    return _template(vocabulary, around([("A", 0)]), around([("A", 0), ("B", 1)]))


def _template(vocabulary: _Vocabulary, single: list[Json], pair: list[Json]) -> Json:
    """The steps around one text and around two."""
    tokens = [step["SpecialToken"]["id"] for step in pair if "SpecialToken" in step]
    ids = {token: vocabulary.pieces.index(token) for token in tokens}
    specials = {token: {"id": token, "ids": [index], "tokens": [token]} for token, index in ids.items()}
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": specials}


def _special(token: str, kind: int) -> Json:
    return {"SpecialToken": {"id": token, "type_id": kind}}


def _settings(model: GgufModel, vocabulary: _Vocabulary) -> Json:
    """The content of tokenizer_config.json: tokens of a meaning, and the chat templates."""
    tokens = {name: vocabulary.token(ours) for name, ours in _NAMES.items()}
    settings: Json = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    settings |= {name: token for name, token in tokens.items() if token is not None}
    settings["model_max_length"] = model.integer("context_length")
    prefix = "tokenizer.chat_template"
    templates = {key.removeprefix(f"{prefix}.").replace(prefix, "default"): value
                 for key, value in model.metadata.items() if key == prefix or key.startswith(f"{prefix}.")}  # fmt: skip
    texts = {name: value for name, value in templates.items() if isinstance(value, str)}
    if list(texts) == ["default"]:
        settings["chat_template"] = texts["default"]
    elif texts:
        settings["chat_template"] = [{"name": name, "template": text} for name, text in texts.items()]
    return settings
