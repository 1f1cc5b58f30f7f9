"""Texts to ids for a graph without a cache, cut to what the model reads.

text, or a pair of texts ──checks──▶ tokenizer.json ──limit──▶ EncodedText: ids, types, offsets, and what was cut
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from tokenizers import Encoding, Tokenizer, normalizers

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, PromptError, printable
from workflows.generate.tokenizer import TOKENIZER_FOLDER, BundleTokenizer, tokenizer_settings, unknown_id_error
from workflows.predict.turns import PairTurns


@dataclass(frozen=True)
class EncodedText:
    """The tokens of one text, or of a pair. types: 0 or 1 for the parts of a pair. special: whether the tokenizer added
    a token. offsets: (start, end) of each token in its text, in characters. total: tokens before the text was cut.
    prompt: tokens at the beginning that are the prompt's.
    """

    ids: Sequence[int]
    types: Sequence[int]
    special: Sequence[bool]
    offsets: Sequence[tuple[int, int]]
    total: int
    prompt: int = 0

    @property
    def truncated(self) -> bool:
        return self.total > len(self.ids)


class TextEncoder:
    """The tokenizer of a bundle with its limit. limit: the most tokens that the graph reads, None for any number.

    vocabulary: the number of the model's tokens, None where the bundle does not state it.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        limit: int | None,
        settings: dict[str, Any],
        special: frozenset[int],
        vocabulary: int | None = None,
    ) -> None:
        self._tokenizer, self.limit, self._vocabulary = tokenizer, limit, vocabulary
        self._direction = "left" if settings.get("truncation_side") == "left" else "right"
        unknown = {tokenizer.token_to_id(str(settings.get("unk_token")))}
        self._special, self._empty = special, special - unknown
        names = settings.get("model_input_names")
        self._typed = not isinstance(names, list) or "token_type_ids" in names

    @classmethod
    def of_bundle(cls, bundle: Bundle, columns: int | None) -> TextEncoder:
        """The encoder of a bundle. columns: the tokens that its graph fixes, None for any number.

        Raises BundleError for a bundle without a tokenizer, and for a limit with no room for a text.
        """
        text = BundleTokenizer.of_bundle(bundle)
        if text.tokenizer is None:
            raise BundleError(f"{bundle.folder} has no {TOKENIZER_FOLDER}/tokenizer.json, so it reads no text.")
        limits = bundle.pipeline.metadata.texts
        tokenizer = text.tokenizer
        if limits is not None and limits.lowercase:
            own = [tokenizer.normalizer] if tokenizer.normalizer is not None else []
            tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), *own])
        stated = [one for one in (limits.tokens if limits else None, columns) if one is not None]
        limit = min(stated, default=None)
        added = tokenizer.num_special_tokens_to_add(False)
        if limit is not None and limit <= added:
            raise BundleError(
                f"{bundle.folder} reads {limit} tokens, and its tokenizer puts {added} special ones around a text: no "
                "token of the text is left."
            )
        return cls(tokenizer, limit, tokenizer_settings(bundle), text.special, bundle.pipeline.metadata.vocabulary)

    def encode(self, text: str, name: str, pair: str | None = None, prompt: str = "") -> EncodedText:
        """The tokens of `prompt` and `text`, or of the pair of `text` and `pair`; name: theirs in messages.

        Raises PromptError for a text that is empty, has a NUL character or half a character, has no token beside
        special ones, or has a token that the model does not know.
        """
        for part in (text, *([] if pair is None else [pair]), prompt):
            _check_characters(part, name)
        for part in (text, *([] if pair is None else [pair])):
            if not part.strip():
                raise PromptError(f"{name} is empty: give a text.")
        whole = prompt + text
        found = self._encoded(whole, pair)
        if all(
            token in self._empty for token, added in zip(found.ids, found.special_tokens_mask, strict=True) if not added
        ):
            raise PromptError(f"{name} has no token beside special ones ({printable(text, 40)}): give a text.")
        total = len(found.ids)
        if self.limit is not None and total > self.limit:
            found = self._truncated(whole, pair, name)
        self._check_known(found.ids, name)
        return EncodedText(
            ids=found.ids,
            types=found.type_ids if self._typed else [0] * len(found.ids),
            special=[bool(one) for one in found.special_tokens_mask],
            offsets=found.offsets,
            total=total,
            prompt=self._prompt_length(prompt) if prompt else 0,
        )

    def encode_turns(self, turns: PairTurns, prompt: str, query: str, document: str, name: str) -> EncodedText:
        """The tokens of a pair as turns; where they are cut, the template's last ones take the place of the last.

        Raises PromptError as encode does.
        """
        for part in (query, document, prompt):
            _check_characters(part, name)
        for part in (query, document):
            if not part.strip():
                raise PromptError(f"{name} is empty: give a text.")
        found = self._tokenizer.encode(turns.render(prompt, query, document), add_special_tokens=False)
        total, tail = len(found.ids), list[int]()
        if self.limit is not None and total > self.limit:
            found.truncate(self.limit, direction=self._direction)
            tail = self._common_end([self._tokenizer.encode(text, add_special_tokens=False).ids
                                     for text in turns.probes(prompt)])[-self.limit :]  # fmt: skip
        ids = [*found.ids[: len(found.ids) - len(tail)], *tail]
        self._check_known(ids, name)
        return EncodedText(ids, [0] * len(ids), [False] * len(ids), found.offsets, total)

    def _check_known(self, ids: Sequence[int], name: str) -> None:
        if self._vocabulary is not None and (highest := max(ids)) >= self._vocabulary:
            raise unknown_id_error(f"{name}: the", highest, self._vocabulary, self._tokenizer)

    @staticmethod
    def _common_end(rows: Sequence[Sequence[int]]) -> list[int]:
        """The ids that all rows end with."""
        pairs = zip(*(reversed(row) for row in rows), strict=False)
        return [same[0] for same in takewhile(lambda ids: len({*ids}) == 1, pairs)][::-1]

    def _encoded(self, text: str, pair: str | None) -> Encoding:
        return self._tokenizer.encode(text, pair)

    def _truncated(self, text: str, pair: str | None, name: str) -> Encoding:
        """The tokens cut to the limit; of a pair the longer text loses tokens first."""
        assert self.limit is not None
        if self.limit <= self._tokenizer.num_special_tokens_to_add(pair is not None) + (pair is not None):
            raise PromptError(f"{name} has no room: the model reads {self.limit} tokens, special ones included.")
        self._tokenizer.enable_truncation(self.limit, direction=self._direction)
        try:
            return self._encoded(text, pair)
        finally:
            self._tokenizer.no_truncation()

    def _prompt_length(self, prompt: str) -> int:
        """The tokens of the prompt, with the special ones before it and without the one after it."""
        ids = self._encoded(prompt, None).ids
        return len(ids) - (bool(ids) and ids[-1] in self._special)


def _check_characters(text: str, name: str) -> None:
    if "\0" in text:
        raise PromptError(f"{name} has a NUL character, which no text has: take it out.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PromptError(f"{name} is not valid Unicode text: give it as UTF-8.") from None
