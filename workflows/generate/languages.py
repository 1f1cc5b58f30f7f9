"""The languages of a translation model, and how source and target are selected.

en_XX, eng_Latn, __en__   tokens of the tokenizer: the target is the first token that the decoder is forced to
                          give, or its start token where that is a language; the source's is in the source
>>eng<<                   Marian's: the target is the first token of the source
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workflows.bundle import Bundle
from workflows.common.errors import PromptError, printable
from workflows.generate.generation_config import GenerationConfig
from workflows.generate.options import GenerateOptions
from workflows.generate.tokenizer import BundleTokenizer, tokenizer_settings

_CODE = re.compile(r"[a-z]{2,3}_(?:[A-Z]{2}|[A-Z][a-z]{3})|__[a-z]+(?:_[A-Z]{2})?__")
_PREFIX = re.compile(r">>[A-Za-z_]+<<")
_AROUND = "_<>"  # characters of a token around the language code


@dataclass(frozen=True)
class TranslationLanguages:
    """codes: language → token, empty for other models. in_source: whether the target's token goes to the encoder."""

    codes: Mapping[str, int] = field(default_factory=dict)
    in_source: bool = False

    @classmethod
    def of_bundle(cls, bundle: Bundle, text: BundleTokenizer) -> TranslationLanguages:
        """The languages in the tokenizer's files. Raises BundleError for a malformed tokenizer_config.json."""
        if bundle.pipeline.pipeline.state.cross_cache is None:
            return cls()
        vocabulary = text.tokenizer.get_vocab() if text.tokenizer else {}
        prefixes = _codes({token: i for token, i in vocabulary.items() if _PREFIX.fullmatch(token)}, text)
        if prefixes:
            return cls(prefixes, in_source=True)
        added = _added(bundle) | {token: vocabulary[token] for token in vocabulary if vocabulary[token] in text.special}
        return cls(_codes({token: i for token, i in added.items() if _CODE.fullmatch(token)}, text))

    @property
    def names(self) -> list[str]:
        """The codes, sorted."""
        return sorted(self.codes)

    def token(self, language: str) -> int:
        """The token of a language. Raises PromptError that lists the languages for an unknown one."""
        token = self.codes.get(language.strip(_AROUND))
        if token is None:
            choice = f"choose one of {', '.join(self.names)}" if self.codes else "it knows none, so leave it out"
            raise PromptError(f"The bundle does not know the language {printable(language, 40)!r}: {choice}.")
        return token

    def begin(
        self, options: GenerateOptions, source: Sequence[int], start: int, defaults: GenerationConfig
    ) -> tuple[list[int], int, GenerationConfig]:
        """Source ids, the decoder's start token and the forced tokens, for the languages in `options`.

        Raises PromptError like `token`, and where the source contains no language token.
        """
        ids = list(source)
        if options.source_language is not None:
            ids = self._from(options.source_language, ids)
        if options.target_language is None:
            return ids, start, defaults
        target = self.token(options.target_language)
        if self.in_source:
            return [target, *(ids[1:] if ids[0] in self.codes.values() else ids)], start, defaults
        if start in self.codes.values():
            return ids, target, defaults
        return ids, start, defaults.model_copy(update={"forced_bos_token_id": (target,)})

    def _from(self, language: str, ids: list[int]) -> list[int]:
        """The source with its language token, which the tokenizer put first or last, replaced."""
        token = self.token(language)
        place = next((i for i in (0, len(ids) - 1) if ids[i] in self.codes.values()), None)
        if place is None or self.in_source:
            raise PromptError("The bundle's tokenizer does not mark the language of a source: leave it out.")
        return [*ids[:place], token, *ids[place + 1 :]]


def _codes(tokens: Mapping[str, int], text: BundleTokenizer) -> dict[str, int]:
    return {token.strip(_AROUND): i for token, i in tokens.items() if 0 <= i < text.vocabulary}


def _added(bundle: Bundle) -> dict[str, int]:
    """The added tokens that tokenizer_config.json lists, for a tokenizer without a tokenizer.json."""
    listed = tokenizer_settings(bundle).get("added_tokens_decoder")
    entries = listed.items() if isinstance(listed, dict) else ()
    return {
        str(entry["content"]): int(i)
        for i, entry in entries
        if i.isdecimal() and isinstance(entry, dict) and "content" in entry
    }
