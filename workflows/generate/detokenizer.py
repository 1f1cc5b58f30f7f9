"""Detokenizes streamed tokens: the tokenizer's decoder as stages, each of which emits what no later token can change.

    token ──stage──▶ tokens ──stage──▶ … ──▶ characters          end() emits what the stages still hold

A stage holds incomplete UTF-8 bytes, a run of byte-fallback tokens (one invalid byte turns all of it into U+FFFD), or
the beginning of a text that it replaces. All other text comes with its token, at constant cost.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from tokenizers import Tokenizer, decoders

REPLACEMENT = "�"
# Decoders whose text for a token depends at most on the token before: Metaspace on whether there is one.
PAIRWISE = ("Metaspace", "WordPiece", "Replace", "Strip")
SINGLE_STAGE = ("BPEDecoder", "CTC")  # supported only as the single stage


class DecoderStage(Protocol):
    """One stage of the decoder."""

    def push(self, token: str) -> Iterable[str]:
        """The text that is final after `token`."""
        ...

    def end(self) -> Iterable[str]:
        """The rest when no token follows."""
        ...


def decoding_stages(tokenizer: Tokenizer) -> list[DecoderStage] | None:
    """The stages of the tokenizer's decoder; None where that can change any character until the end."""
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
    joined = False  # whether the stages so far emit pieces of one text instead of tokens
    for part in parts:
        stage = _text_stage(part) if joined else _token_stage(part)
        if stage is None and part["type"] != "Fuse":
            return None
        stages += [stage] if stage else []
        joined = joined or part["type"] in ("Fuse", "ByteLevel")
    return stages


def run_stages(stages: Sequence[DecoderStage], tokens: Iterable[str]) -> str:
    """The text that `stages` emit for `tokens`."""
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
    decoder.__setstate__(json.dumps(part).encode())  # the only way to make a decoder from its description
    return lambda tokens: str(decoder.decode(list(tokens)))


class PairwiseDecoder:
    """A decoder that depends on one token before: a token's text is that of both without that of the first."""

    def __init__(self, decode: Callable[[Sequence[str]], str]) -> None:
        self._decode = decode
        self._before: list[str] = []

    def push(self, token: str) -> Iterable[str]:
        """The token's text, with or without a space before it."""
        shown = len(self._decode(self._before)) if self._before else 0
        text = self._decode([*self._before, token])[shown:]
        self._before = [token]
        return (text,)

    def end(self) -> Iterable[str]:
        """Nothing is held."""
        return ()


class SuffixDecoder:
    """BPE that marks ends of words by `suffix`, which becomes a space except at the end of the text."""

    def __init__(self, suffix: str) -> None:
        self._suffix, self._held = suffix, ""

    def push(self, token: str) -> Iterable[str]:
        """The held text, and the token up to its suffix."""
        before, at = self._held.replace(self._suffix, " "), token.find(self._suffix)
        self._held = "" if at < 0 else token[at:]
        return (before, token if at < 0 else token[:at])

    def end(self) -> Iterable[str]:
        """The held text without the last suffix."""
        return (self._held.replace(self._suffix, ""),)


class ByteLevelDecoder:
    """Tokens of GPT-2's byte alphabet; a token with any other character stands for itself."""

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, token: str) -> Iterable[str]:
        """The characters that `token` completes."""
        try:
            found = bytes([BYTE_OF[character] for character in token])
        except KeyError:
            found = token.encode()
        return (self._text.decode(found),)

    def end(self) -> Iterable[str]:
        """U+FFFD for an incomplete character."""
        return (self._text.decode(b"", final=True),)


class ByteFallbackDecoder:
    """Tokens like <0xE6> are bytes; a run of them that is not UTF-8 becomes one U+FFFD per byte."""

    def __init__(self) -> None:
        self._decode = _decode({"type": "ByteFallback"})
        self._begin()

    def _begin(self) -> None:
        self._run = bytearray()
        self._broken = False
        self._checked = codecs.getincrementaldecoder("utf-8")("strict")

    def push(self, token: str) -> Iterable[str]:
        """The finished run and `token`; empty while a run can still become text."""
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
        """U+FFFD for the bytes not yet emitted."""
        told = len(self._run) - 1 if self._broken else 0
        self._broken = True
        return (REPLACEMENT,) * (len(self._run) - told)


class StripDecoder:
    """Removes up to `most` characters `content` from the start of the text."""

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


class TrimDecoder:
    """Removes whitespace at both ends of the text."""

    def __init__(self) -> None:
        self._begun, self._held = False, ""

    def push(self, token: str) -> Iterable[str]:
        """The text up to its last character that is no whitespace."""
        text = self._held + token if self._begun else token.lstrip()
        done = text.rstrip()
        self._begun, self._held = self._begun or bool(done), text[len(done) :]
        return (done,)

    def end(self) -> Iterable[str]:
        """Whitespace at the end is dropped."""
        return ()


class ReplaceDecoder:
    """Replaces every `old` by `new`, from left to right."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new, self._held = old, new, ""

    def push(self, token: str) -> Iterable[str]:
        """The text up to a possible beginning of `old`."""
        *done, rest = (self._held + token).split(self._old)
        kept = partial_match_length(rest, (self._old,))
        self._held = rest[len(rest) - kept :]
        return (self._new.join([*done, rest[: len(rest) - kept]]),)

    def end(self) -> Iterable[str]:
        """The held text."""
        return (self._held,)


def partial_match_length(text: str, wanted: Sequence[str]) -> int:
    """The length of the longest suffix of `text` that is a proper prefix of one of `wanted`."""
    longest = min(len(text), max((len(one) for one in wanted), default=1) - 1)
    return next((size for size in range(longest, 0, -1) if any(w.startswith(text[-size:]) for w in wanted)), 0)


def _byte_of() -> dict[str, int]:
    """GPT-2's byte alphabet: printable bytes stand for themselves, the others are numbered from U+0100 on."""
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printing]
    return {chr(byte): byte for byte in printing} | {chr(256 + place): byte for place, byte in enumerate(others)}


BYTE_OF = _byte_of()
