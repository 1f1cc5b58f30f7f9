"""Groups the tokens of a transcript into words, as transformers does it (tokenization_whisper.py).

tokens ──whole characters──▶ pieces ──spaces and punctuation──▶ words ──quotes and commas joined──▶ words
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

_BEFORE, _BEHIND = "\"'“¡¿([{-", "\"'.。,，!！?？:：”)]}、"  # punctuation that belongs to the next and the last word
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
UNSPACED = ("zh", "ja", "th", "lo", "my", "yue")  # languages without spaces between words
_INCOMPLETE = "\ufffd"


@dataclass
class Word:
    """Its text, with the space before it, and the indices of its tokens."""

    text: str
    tokens: list[int]


def group_by_word(tokens: Sequence[int], decode: Callable[[Sequence[int]], str], language: str = "") -> list[Word]:
    """The words of text tokens. language: a code such as `en`."""
    words = _pieces(tokens, decode)
    return _joined(words if language in UNSPACED else _spaced(words))


def _pieces(tokens: Sequence[int], decode: Callable[[Sequence[int]], str]) -> list[Word]:
    """Tokens until the characters that they begin are whole."""
    whole, offset, pieces, current = decode(tokens), 0, list[Word](), list[int]()
    for number in range(len(tokens)):
        current.append(number)
        text = decode([tokens[one] for one in current])
        at = offset + text.find(_INCOMPLETE)
        if _INCOMPLETE not in text or at >= len(whole) or whole[at] == _INCOMPLETE:
            pieces.append(Word(text, current))
            offset, current = offset + len(text), []
    return pieces


def _spaced(pieces: Sequence[Word]) -> list[Word]:
    words = list[Word]()
    for piece in pieces:
        if not words or piece.text.startswith(" ") or piece.text.strip() in _PUNCTUATION:
            words.append(piece)
        else:
            words[-1] = Word(words[-1].text + piece.text, words[-1].tokens + piece.tokens)
    return words


def _joined(words: list[Word]) -> list[Word]:
    """Quotes with the word behind them, commas with the word before them."""
    joined = list[Word]()
    for word in reversed(words):
        if joined and word.text.startswith(" ") and word.text.strip() in _BEFORE:
            joined[-1] = Word(word.text + joined[-1].text, word.tokens + joined[-1].tokens)
        else:
            joined.append(word)
    words, joined = joined[::-1], []
    for word in words:
        if joined and not joined[-1].text.endswith(" ") and word.text in _BEHIND:
            joined[-1] = Word(joined[-1].text + word.text, joined[-1].tokens + word.tokens)
        else:
            joined.append(word)
    return [word for word in joined if word.text]
