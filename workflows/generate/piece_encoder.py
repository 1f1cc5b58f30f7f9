"""Encodes text by a SentencePiece model whose pieces have other ids than the tokenizer.json: Marian's and M2M100's.

    text ──added tokens, >>xx<<──▶ segments ──character map──▶ normalized text ──scores──▶ pieces ──vocabulary──▶ ids

Ids are those of transformers' own SentencePiece tokenizers, which look each piece up by its string: a run of characters
that the source's pieces do not have may be a piece of the target's.
"""

from __future__ import annotations

import base64
import re
from array import array
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator, Mapping, Sequence
from struct import Struct
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from tokenizers import Tokenizer
from tokenizers.models import BPE

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, printable

PIECES = "pieces.json"
SPACE = "▁"
_FLOAT32 = Struct("f")
_UNKNOWN_PENALTY = 10.0  # an unknown character is so much less probable than the rarest piece
_LANGUAGE = re.compile(r">>.*?<<", re.DOTALL)


Piece = Annotated[str, Field(min_length=1, max_length=256)]
Score = Annotated[float, Field(ge=-1e30, le=1e30)]  # no sum of them is beyond float32


class PieceSettings(BaseModel):
    """pieces.json of a bundle, written by builder/piece_files.py.

    scores: piece → log probability (float32), of a unigram model; merges: of a model that merges pairs, the first ones
    first. unknown: the piece for all that has none.
    added: tokens that divide a text. character_map: SentencePiece's precompiled one, base64. trims: superfluous spaces
    are removed. begins: a segment begins with a space. languages: it may begin with `>>xx<<`, a piece of its own.
    before, after: ids around a text.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    scores: dict[Piece, Score]
    merges: tuple[tuple[str, str], ...] | None = None
    unknown: str
    added: tuple[str, ...] = ()
    character_map: str = ""
    trims: bool = True
    begins: bool = True
    languages: bool = False
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


class PieceEncoder:
    """Texts to ids. vocabulary: piece → id."""

    def __init__(self, settings: PieceSettings, vocabulary: Mapping[str, int]) -> None:
        self._settings, self._vocabulary = settings, vocabulary
        self._unknown = vocabulary[settings.unknown]
        self._divide = _divider(settings)
        self._characters = CharacterMap(base64.b64decode(settings.character_map, validate=True))
        self._added = frozenset(settings.added)
        longest_first = sorted(self._added, key=len, reverse=True)
        self._split = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if longest_first else None

    @classmethod
    def of_bundle(cls, bundle: Bundle, tokenizer: Tokenizer, folder: str) -> PieceEncoder | None:
        """None where the bundle's tokenizer.json encodes by itself. Raises BundleError for an invalid pieces.json."""
        name = f"{folder}/{PIECES}"
        if (values := bundle.json_object(name)) is None:
            return None
        try:
            settings = PieceSettings.model_validate(values)
            return cls(settings, tokenizer.get_vocab(with_added_tokens=True))
        except ValidationError as error:
            why = error.errors()[0]["msg"]
        except (KeyError, Base64Error):
            why = "its unknown piece or its character map is invalid"
        except Exception as error:  # noqa: BLE001 - the tokenizers library raises bare Exception alone
            why = str(error)
        raise BundleError(f"{name} of {bundle.folder} cannot be read: {printable(why)}; build the bundle again.")

    def encode(self, text: str, *, special: bool, whole: bool = False) -> list[int]:
        """The ids of `text`. special: with those around a text. whole: added tokens in it are text like any other.

        Raises TypeError for an unpaired surrogate, as tokenizers does.
        """
        segments = [text] if whole or self._split is None else self._split.split(text)
        ids = [
            self._vocabulary.get(piece, self._unknown)
            for segment in segments
            for piece in (self._pieces(segment) if whole or segment not in self._added else [segment])
        ]
        return [*self._settings.before, *ids, *self._settings.after] if special else ids

    def _pieces(self, segment: str) -> Iterator[str]:
        if self._settings.languages and (code := _LANGUAGE.match(segment)):
            yield code[0]
            segment = segment[code.end() :]
        yield from self._divide(self._normalized(segment))

    def _normalized(self, text: str) -> str:
        """As SentencePiece's normalizer has it."""
        if not text:
            return ""
        text = self._characters.replace(text)
        if self._settings.trims:
            text = re.sub(" +", " ", text).lstrip(" ")
        if self._settings.begins:
            text = f" {text}"
        text = text.replace(" ", SPACE)
        return text.rstrip(SPACE) if self._settings.trims else text


def _divider(settings: PieceSettings) -> Callable[[str], list[str]]:
    """Divides normalized text into pieces; what is none may be longer than a character."""
    if settings.merges is None:
        return UnigramPieces(settings.scores).divide
    pieces = {piece: i for i, piece in enumerate((settings.unknown, *settings.scores))}
    pairs = Tokenizer(BPE(pieces, list(settings.merges), unk_token=settings.unknown, fuse_unk=True))
    return lambda text: list(pairs.encode(text).tokens)


class UnigramPieces:
    """The most probable pieces of a text, in SentencePiece's own arithmetic.

    Divisions are often equally probable ("..." is ".." and "." in either order), so that the rounding of each sum to
    float32 decides. scores: piece → log probability.
    """

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._scores = scores
        self._unknown = _float32(min(scores.values(), default=0.0) - _UNKNOWN_PENALTY)
        self._longest = max(map(len, scores), default=1)
        self._beginnings = {piece[:end] for piece in scores for end in range(1, len(piece))}

    def divide(self, text: str) -> list[str]:
        """The pieces of `text`; a run of characters in no piece is one."""
        best: list[float | None] = [0.0, *[None] * len(text)]
        begins = [0] * (len(text) + 1)
        known = [True] * (len(text) + 1)

        def offer(start: int, end: int, sum_: float, is_piece: bool) -> None:
            before, sum_ = best[end], _float32(sum_)
            if before is None or sum_ > before:
                best[end], begins[end], known[end] = sum_, start, is_piece

        for start in range(len(text)):
            sum_ = best[start] or 0.0
            for end in range(start + 1, min(len(text), start + self._longest) + 1):
                score = self._scores.get(piece := text[start:end])
                if score is not None:
                    offer(start, end, sum_ + score, True)
                elif end == start + 1:
                    offer(start, end, sum_ + self._unknown, False)
                if piece not in self._beginnings:
                    break
        return _backwards(text, begins, known)


def _backwards(text: str, begins: Sequence[int], known: Sequence[bool]) -> list[str]:
    """The pieces of the best path; neighbours that are not known are one."""
    pieces: list[str] = []
    end, joins = len(text), False
    while end:
        start = begins[end]
        if joins and not known[end]:
            pieces[-1] = text[start:end] + pieces[-1]
        else:
            pieces.append(text[start:end])
        end, joins = start, not known[end]
    return pieces[::-1]


def _float32(value: float) -> float:
    return float(_FLOAT32.unpack(_FLOAT32.pack(value))[0])


class CharacterMap:
    """SentencePiece's precompiled map of character sequences, of which the longest at each place is replaced.

    blob: the size of a double-array trie (uint32), the trie (uint32 units), the replacements, each ended by NUL; empty
    for no replacement. Raises ValueError for another form; a trie that leads beyond its end has no more sequences.
    """

    def __init__(self, blob: bytes) -> None:
        size = int.from_bytes(blob[:4], "little") if blob else 0
        if size % 4 or (blob and 4 + size > len(blob)):
            raise ValueError("the character map is cut short")
        self._units = array("I", blob[4 : 4 + size])
        self._replacements = blob[4 + size :]

    def replace(self, text: str) -> str:
        """The text with its sequences replaced. Raises TypeError for an unpaired surrogate."""
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise TypeError("an unpaired surrogate") from None
        if not self._units:
            return text
        done, place = bytearray(), 0
        while place < len(data):
            length, replacement = self._longest(data, place)
            if not length:
                length = _character_length(data[place])
                replacement = data[place : place + length]
            done += replacement
            place += length
        return done.decode("utf-8", "replace")

    def _longest(self, data: bytes, place: int) -> tuple[int, bytes]:
        """The bytes of the longest sequence at `place`, and its replacement; 0 for none."""
        units, node, start = self._units, 0, place
        length, value = 0, 0
        try:
            node ^= _offset(units[node])
            while place < len(data):
                byte = data[place]
                node ^= byte
                unit = units[node]
                if unit & 0x800000FF != byte:
                    break
                node ^= _offset(unit)
                place += 1
                if unit >> 8 & 1:
                    length, value = place - start, units[node] & 0x7FFFFFFF
        except IndexError:
            pass  # a damaged trie
        return length, self._replacements[value : self._replacements.find(b"\0", value)] if length else b""


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _character_length(first: int) -> int:
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
