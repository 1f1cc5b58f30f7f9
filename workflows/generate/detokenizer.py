"""Detokenizing while tokens stream: the tokenizer's decoder, stage by stage, each giving what no later token changes.

    token ──stage──▶ tokens ──stage──▶ … ──▶ characters          end() gives what the stages still hold

What is held: bytes that are no character yet, a run of byte-fallback tokens (one bad byte makes all of it U+FFFD), and
the beginning of what a stage would replace. Everything else comes with its token, at a cost that does not grow.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from tokenizers import Tokenizer, decoders

REPLACEMENT = "�"
# A decoder whose text for a token depends on the token before at most: Metaspace on whether there is one, CTC on which.
PAIRWISE = ("Metaspace", "WordPiece", "Replace", "Strip")
SINGLE_STAGE = ("BPEDecoder", "CTC")  # understood where no other stage comes before or after


class DecoderStage(Protocol):
    """One decoder of the chain."""

    def push(self, token: str) -> Iterable[str]:
        """What `token` makes certain."""
        ...

    def end(self) -> Iterable[str]:
        """What is left when no token follows."""
        ...


def decoding_stages(tokenizer: Tokenizer) -> list[DecoderStage] | None:
    """The stages that decode as `tokenizer` does; None where its decoder can take any character back until the end."""
    if tokenizer.decoder is None:
        return [PairwiseDecoder(" ".join)]
    parts = list(_flattened(json.loads(tokenizer.decoder.__getstate__())))
    if len(parts) == 1 and parts[0]["type"] in SINGLE_STAGE:
        return [
            SuffixDecoder(parts[0]["suffix"])
            if parts[0]["type"] == "BPEDecoder"
            else PairwiseDecoder(_decode(parts[0]))
        ]
    stages: list[DecoderStage] = []
    joined = False  # whether the stages before give pieces of one text, and no longer tokens
    for part in parts:
        stage = _text_stage(part) if joined else _token_stage(part)
        if stage is None and part["type"] != "Fuse":
            return None
        stages += [stage] if stage else []
        joined = joined or part["type"] in ("Fuse", "ByteLevel")
    return stages


def run_stages(stages: Sequence[DecoderStage], tokens: Iterable[str]) -> str:
    """What becomes certain at the end of `stages` when `tokens` come in at their beginning."""
    for stage in stages:
        tokens = [piece for token in tokens for piece in stage.push(token)]
    return "".join(tokens)


def _flattened(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if part["type"] != "Sequence":
        yield part
        return
    for inner in part["decoders"]:
        yield from _flattened(inner)


def _token_stage(part: Mapping[str, Any]) -> DecoderStage | None:
    if part["type"] in PAIRWISE:
        return PairwiseDecoder(_decode(part))
    if part["type"] == "ByteLevel":
        return ByteLevelDecoder()
    return ByteFallbackDecoder() if part["type"] == "ByteFallback" else None


def _text_stage(part: Mapping[str, Any]) -> DecoderStage | None:
    if part["type"] == "Strip" and not part["stop"]:
        return StripDecoder(part["content"], part["start"])
    old = part["pattern"].get("String") if part["type"] == "Replace" else None
    return ReplaceDecoder(old, part["content"]) if old else None


def _decode(part: Mapping[str, Any]) -> Callable[[Sequence[str]], str]:
    decoder = decoders.Fuse()
    decoder.__setstate__(json.dumps(part).encode())  # the only way to a decoder from its description
    return lambda tokens: str(decoder.decode(list(tokens)))


class PairwiseDecoder:
    """A decoder that looks back one token at most: a token's text is what two tokens give beyond the first alone."""

    def __init__(self, decode: Callable[[Sequence[str]], str]) -> None:
        self._decode = decode
        self._before: list[str] = []

    def push(self, token: str) -> Iterable[str]:
        """The token's text, with or without the space before it."""
        shown = len(self._decode(self._before)) if self._before else 0
        text = self._decode([*self._before, token])[shown:]
        self._before = [token]
        return (text,)

    def end(self) -> Iterable[str]:
        """Nothing is held."""
        return ()


class SuffixDecoder:
    """BPE that marks the ends of words by `suffix`: a space, but at the end of the text."""

    def __init__(self, suffix: str) -> None:
        self._suffix, self._held = suffix, ""

    def push(self, token: str) -> Iterable[str]:
        """The token up to its mark, after what was held of the one before."""
        before, at = self._held.replace(self._suffix, " "), token.find(self._suffix)
        self._held = "" if at < 0 else token[at:]
        return (before, token if at < 0 else token[:at])

    def end(self) -> Iterable[str]:
        """The last mark is no space."""
        return (self._held.replace(self._suffix, ""),)


class ByteLevelDecoder:
    """Characters that stand for bytes; a token with any other character stands for itself."""

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, token: str) -> Iterable[str]:
        """The characters whose last byte `token` brings."""
        try:
            found = bytes([BYTE_OF[character] for character in token])
        except KeyError:
            found = token.encode()
        return (self._text.decode(found),)

    def end(self) -> Iterable[str]:
        """U+FFFD for a character that was begun."""
        return (self._text.decode(b"", final=True),)


class ByteFallbackDecoder:
    """Tokens like <0xE6> are bytes; a run of them that is no UTF-8 is U+FFFD for every byte."""

    def __init__(self) -> None:
        self._decode = _decode({"type": "ByteFallback"})
        self._begin()

    def _begin(self) -> None:
        self._run = bytearray()
        self._broken = False
        self._checked = codecs.getincrementaldecoder("utf-8")("strict")

    def push(self, token: str) -> Iterable[str]:
        """The run before and `token`, or nothing while a run can still become text."""
        if self._decode([token]) == token:
            return (*self.end(), token)
        self._run.append(int(token[3:5], 16))
        return self._wrong() if self._broken or not self._goes_on() else ()

    def end(self) -> Iterable[str]:
        """The run as text, or U+FFFD for each byte."""
        run, broken = bytes(self._run), self._broken
        self._begin()
        if broken or not run:
            return ()
        try:
            return (run.decode(),)
        except UnicodeDecodeError:
            return (REPLACEMENT,) * len(run)

    def _goes_on(self) -> bool:
        try:
            self._checked.decode(self._run[-1:])
        except UnicodeDecodeError:
            return False
        return True

    def _wrong(self) -> Iterable[str]:
        """U+FFFD for the bytes that were not told of."""
        told = len(self._run) - 1 if self._broken else 0
        self._broken = True
        return (REPLACEMENT,) * (len(self._run) - told)


class StripDecoder:
    """A text without its first `most` characters where they are `content`."""

    def __init__(self, content: str, most: int) -> None:
        self._content, self._left = content, most

    def push(self, token: str) -> Iterable[str]:
        """The text without what is stripped."""
        first = 0
        while first < min(self._left, len(token)) and token[first] == self._content:
            first += 1
        self._left = self._left - first if first == len(token) else 0
        return (token[first:],)

    def end(self) -> Iterable[str]:
        """Nothing is held."""
        return ()


class ReplaceDecoder:
    """A text with every `old` as `new`, from left to right."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new, self._held = old, new, ""

    def push(self, token: str) -> Iterable[str]:
        """The text up to what may become `old`."""
        *done, rest = (self._held + token).split(self._old)
        kept = partial_match_length(rest, (self._old,))
        self._held = rest[len(rest) - kept :]
        return (self._new.join([*done, rest[: len(rest) - kept]]),)

    def end(self) -> Iterable[str]:
        """What did not become it."""
        return (self._held,)


def partial_match_length(text: str, wanted: Sequence[str]) -> int:
    """The length of the longest end of `text` that begins one of `wanted` and is not the whole of it."""
    longest = min(len(text), max((len(one) for one in wanted), default=1) - 1)
    return next((size for size in range(longest, 0, -1) if any(w.startswith(text[-size:]) for w in wanted)), 0)


def _byte_of() -> dict[str, int]:
    """GPT-2's alphabet: a byte that prints stands for itself, the others are counted from U+0100 on."""
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printing]
    return {chr(byte): byte for byte in printing} | {chr(256 + place): byte for place, byte in enumerate(others)}


BYTE_OF = _byte_of()
