"""Text to ids and back: the bundle's tokenizer, and detokenizing while tokens stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream

from workflows.bundle import Bundle
from workflows.errors import BundleError, PromptError, printable

FOLDER = "tokenizer"


class Text:
    """The tokenizer of a bundle; `tokenizer` is None where the checkpoint brought none and ids alone are spoken."""

    def __init__(self, tokenizer: Tokenizer | None, vocabulary: int, special: frozenset[int] = frozenset()) -> None:
        self.tokenizer, self.vocabulary, self.special = tokenizer, vocabulary, special

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> Text:
        """Raises BundleError for a tokenizer.json that cannot be read."""
        vocabulary = bundle.pipeline.metadata.vocabulary or 0
        source = bundle.text(f"{FOLDER}/tokenizer.json")
        if source is None:
            return cls(None, vocabulary)
        try:
            tokenizer = Tokenizer.from_str(source)
        except Exception as error:  # noqa: BLE001 - the tokenizers library raises bare Exception alone
            raise BundleError(f"{FOLDER}/tokenizer.json cannot be read: {printable(error)}.") from None
        special = frozenset(i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special)
        return cls(tokenizer, vocabulary, special)

    def encode(self, text: str, *, special: bool) -> list[int]:
        """The ids of `text`. special: add the tokens (a beginning-of-sequence, say) that the tokenizer puts around a
        text; a rendered chat template has its own. Raises PromptError where there is no tokenizer or no token.
        """
        if self.tokenizer is None:
            raise PromptError("This bundle has no tokenizer: give the prompt as ids with --prompt-ids.")
        try:
            ids = list(self.tokenizer.encode(text, add_special_tokens=special).ids)
        except TypeError:  # half a surrogate pair, which is no text
            raise PromptError("The prompt is not valid Unicode text: give it as UTF-8.") from None
        if not ids:
            raise PromptError("The prompt is empty: give at least one token.")
        return self.check(ids)

    def check(self, ids: Sequence[int]) -> list[int]:
        """`ids` where they are all in the vocabulary. Raises PromptError that names the first that is not."""
        if not ids:
            raise PromptError("The prompt is empty: give at least one token.")
        for token in ids:
            if not 0 <= token < self.vocabulary:
                raise PromptError(
                    f"The prompt id {token} is not in the vocabulary, whose ids go from 0 to {self.vocabulary - 1:,}."
                )
        return list(ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of `ids` without special tokens; empty where there is no tokenizer."""
        return self.tokenizer.decode(list(ids), skip_special_tokens=True) if self.tokenizer else ""

    def piece(self, token: int) -> str:
        """The text of one token, special ones as they are written."""
        if self.tokenizer is None:
            return ""
        return str(self.tokenizer.decode([token], skip_special_tokens=False))

    def stream(self) -> Stream:
        """A detokenizer for one generation."""
        return Stream(self)


class Stream:
    """Gives each token's text as soon as its characters are whole; all pieces together are the text of all tokens."""

    def __init__(self, text: Text) -> None:
        self._text, self._decoder = text, DecodeStream(skip_special_tokens=True)
        self._ids: list[int] = []
        self._given = 0  # characters

    def push(self, token: int) -> str:
        """The characters that `token` completes, often its own, empty while a character is unfinished."""
        if self._text.tokenizer is None or token in self._text.special:  # a run of these would pile up in the decoder
            return ""
        self._ids.append(token)
        piece = self._decoder.step(self._text.tokenizer, token) or ""
        self._given += len(piece)
        return piece

    def flush(self) -> str:
        """What is left at the end, unfinished characters as U+FFFD."""
        return self._text.decode(self._ids)[self._given :]


def tokenizer_settings(bundle: Bundle) -> dict[str, Any]:
    """tokenizer_config.json, empty where there is none. Raises BundleError where it is no JSON object."""
    source = bundle.text(f"{FOLDER}/tokenizer_config.json")
    try:
        settings = json.loads(source) if source else {}
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise BundleError(f"{FOLDER}/tokenizer_config.json is no JSON object: build the bundle anew.")
    return settings
