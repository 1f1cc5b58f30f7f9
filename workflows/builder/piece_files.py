"""Converts a SentencePiece tokenizer that transformers has in Python alone: of Marian, M2M100, PLBart, BERT generation.

    source.spm, vocab.json ──transformers──▶ tokenizer.json (ids, decoder), pieces.json (source text to pieces)

No tokenizer.json alone can hold both: its unigram model has one list of pieces, of which each may occur in a text, and
Marian's vocabulary has the target's pieces as well, which must not.
"""

from __future__ import annotations

import base64
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models

from workflows.generate.piece_encoder import SPACE, PieceSettings

_NORMAL, _CONTROL, _USER_DEFINED, _BYTE = 1, 3, 4, 6  # kinds of pieces (sentencepiece_model.proto)
_UNIGRAM, _BPE = 1, 2  # kinds of models


def piece_files(tokenizer: Any) -> tuple[Tokenizer, PieceSettings] | str:
    """tokenizer.json and pieces.json of transformers' `tokenizer`, or the reason why it has none."""
    from sentencepiece import sentencepiece_model_pb2
    from transformers import BertGenerationTokenizer, M2M100Tokenizer, MarianTokenizer, PLBartTokenizer

    if isinstance(tokenizer, MarianTokenizer):
        if tokenizer.separate_vocabs:
            return "it has a vocabulary for the source and one for the target"
        processor, languages, vocabulary = tokenizer.spm_source, True, dict(tokenizer.encoder)
    elif isinstance(tokenizer, M2M100Tokenizer):
        processor, languages = tokenizer.sp_model, False
        vocabulary = {**tokenizer.encoder, **tokenizer.lang_token_to_id}
    elif isinstance(tokenizer, BertGenerationTokenizer | PLBartTokenizer):
        processor, languages, vocabulary = tokenizer.sp_model, False, tokenizer.get_vocab()
    else:
        return f"{type(tokenizer).__name__} exists in Python alone, and running needs no transformers"
    proto = sentencepiece_model_pb2.ModelProto.FromString(processor.serialized_model_proto())
    hides_controls = isinstance(tokenizer, MarianTokenizer | M2M100Tokenizer)  # SentencePiece decodes; others join
    vocabulary |= tokenizer.added_tokens_encoder
    if why := _why_unusual(proto, vocabulary):
        return why
    around = tokenizer.build_inputs_with_special_tokens([])
    begin = len(getattr(tokenizer, "prefix_tokens", ()))
    normalizer = proto.normalizer_spec
    scores = {one.piece: one.score for one in proto.pieces if one.type == _NORMAL}
    settings = PieceSettings(
        scores=scores,
        merges=_merges(scores) if proto.trainer_spec.model_type == _BPE else None,
        unknown=str(tokenizer.unk_token),
        added=tuple(sorted({*tokenizer.added_tokens_encoder, *tokenizer.all_special_tokens})),
        character_map=base64.b64encode(normalizer.precompiled_charsmap).decode(),
        trims=normalizer.remove_extra_whitespaces,
        begins=normalizer.add_dummy_prefix,
        languages=languages,
        before=tuple(around[:begin]),
        after=tuple(around[begin:]),
    )
    controls = {one.piece for one in proto.pieces if one.type == _CONTROL and one.piece in vocabulary}
    silent = {*tokenizer.all_special_tokens, *(controls if hides_controls else ())}
    return _ids_and_texts(tokenizer, vocabulary, silent), settings


def _why_unusual(proto: Any, vocabulary: dict[str, int]) -> str:
    """What of a tokenizer has no conversion; empty for those of Marian and M2M100 checkpoints as they are published."""
    kinds = {piece.type for piece in proto.pieces}
    if proto.trainer_spec.model_type not in (_UNIGRAM, _BPE):
        return "its SentencePiece model divides text into words or characters"
    if _USER_DEFINED in kinds or _BYTE in kinds:
        return "its SentencePiece model has user-defined pieces or bytes"
    if proto.trainer_spec.treat_whitespace_as_suffix or not proto.normalizer_spec.escape_whitespaces:
        return "its SentencePiece model marks the ends of words"
    if len(set(vocabulary.values())) < len(vocabulary):
        return "two of its tokens have the same id"
    return ""


def _merges(scores: dict[str, float]) -> tuple[tuple[str, str], ...]:
    """All pairs of pieces that together are one, by its score."""
    pairs = [
        (score, piece[:i], piece[i:])
        for piece, score in scores.items()
        for i in range(1, len(piece))
        if piece[:i] in scores and piece[i:] in scores
    ]
    return tuple((left, right) for _, left, right in sorted(pairs, key=lambda pair: -pair[0]))


def _ids_and_texts(tokenizer: Any, vocabulary: dict[str, int], silent: set[str]) -> Tokenizer:
    """A tokenizer.json with the ids of all pieces, the `silent` ones, which have no text, and the decoder."""
    made = Tokenizer(models.WordLevel(vocabulary, unk_token=str(tokenizer.unk_token)))
    made.add_special_tokens([AddedToken(token, normalized=False) for token in sorted(silent)])
    others = sorted(tokenizer.added_tokens_encoder.keys() - silent)
    made.add_tokens([AddedToken(token, normalized=False) for token in others])
    made.decoder = decoders.Sequence([decoders.Fuse(), decoders.Replace(SPACE, " ")])
    return made
