"""Text to ids and back: the bundle's tokenizer, and detokenizing while tokens stream."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tokenizers import Tokenizer
from tokenizers.models import BPE

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, PromptError, printable
from workflows.common.strict_json import InvalidJsonError, read_json
from workflows.generate.detokenizer import DecoderStage, ReplaceDecoder, decoding_stages, run_stages

TOKENIZER_FOLDER = "tokenizer"
# What transformers' clean_up_tokenization_spaces replaces, in its order.
CLEAN_UP = (
    *((f" {mark}", mark) for mark in ".?!,"),
    (" ' ", "'"),
    *((f" {end}", end) for end in ("n't", "'m", "'s", "'ve", "'re")),
)


class BundleTokenizer:
    """The tokenizer of a bundle; `tokenizer` is None where the checkpoint brought none and ids alone are spoken.

    special: ids that are no text. clean_up: take the spaces before punctuation out of what is decoded.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        vocabulary: int,
        special: frozenset[int] = frozenset(),
        clean_up: bool = False,
    ) -> None:
        self.tokenizer, self.vocabulary, self.special, self.clean_up = tokenizer, vocabulary, special, clean_up

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> BundleTokenizer:
        """Raises BundleError for a tokenizer.json that cannot be read."""
        vocabulary = bundle.pipeline.metadata.vocabulary or 0
        source = bundle.text(f"{TOKENIZER_FOLDER}/tokenizer.json")
        if source is None:
            return cls(None, vocabulary)
        try:
            tokenizer = Tokenizer.from_str(source)
        except Exception as error:  # noqa: BLE001 - the tokenizers library raises bare Exception alone
            raise BundleError(f"{TOKENIZER_FOLDER}/tokenizer.json cannot be read: {printable(error)}.") from None
        settings = tokenizer_settings(bundle)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = bool(settings.get("split_special_tokens"))
        special = frozenset(i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special)
        return cls(tokenizer, vocabulary, special, _cleans_up(settings, tokenizer))

    @cached_property
    def source(self) -> str | None:
        """The tokenizer as JSON, which takes a tenth of a second to write for a large vocabulary; None without one."""
        return None if self.tokenizer is None else str(self.tokenizer.to_str())

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
        if self.tokenizer is None:
            return ""
        text = str(self.tokenizer.decode(list(ids), skip_special_tokens=True))
        for old, new in CLEAN_UP if self.clean_up else ():
            text = text.replace(old, new)
        return text

    def piece(self, token: int) -> str:
        """The text of one token, special ones as they are written."""
        if self.tokenizer is None:
            return ""
        return str(self.tokenizer.decode([token], skip_special_tokens=False))

    def stream(self) -> StreamingDetokenizer:
        """A detokenizer for one generation."""
        return StreamingDetokenizer(self)


class StreamingDetokenizer:
    """Gives each token's text as soon as it is certain; all pieces together are the text of all tokens.

    Where the tokenizer's decoder can take characters back until the end, everything comes at the end.
    """

    def __init__(self, text: BundleTokenizer) -> None:
        self._text, self._ids = text, list[int]()
        tokenizer = text.tokenizer
        self._silent = {tokenizer.id_to_token(token) for token in text.special} if tokenizer else set()
        stages = decoding_stages(tokenizer) if tokenizer else []
        cleaning = [ReplaceDecoder(old, new) for old, new in CLEAN_UP] if text.clean_up else []
        self._stages: list[DecoderStage] | None = None if stages is None else [*stages, *cleaning]

    def push(self, token: int) -> str:
        """The characters that `token` makes certain: often its own, none while a character is unfinished."""
        if self._stages is None:
            self._ids.append(token)
            return ""
        known = self._text.tokenizer.id_to_token(token) if self._text.tokenizer else None
        return "" if known is None or known in self._silent else run_stages(self._stages, [known])

    def flush(self) -> str:
        """What is left at the end, unfinished characters as U+FFFD."""
        if self._stages is None:
            return self._text.decode(self._ids)
        return "".join(run_stages(self._stages[place + 1 :], stage.end()) for place, stage in enumerate(self._stages))


def tokenizer_settings(bundle: Bundle) -> dict[str, Any]:
    """tokenizer_config.json, empty where there is none. Raises BundleError where it is no JSON object."""
    source = bundle.text(f"{TOKENIZER_FOLDER}/tokenizer_config.json")
    try:
        settings = read_json(source) if source else {}
    except InvalidJsonError as error:
        raise BundleError(f"{TOKENIZER_FOLDER}/tokenizer_config.json {error}: build the bundle anew.") from None
    if not isinstance(settings, dict):
        raise BundleError(f"{TOKENIZER_FOLDER}/tokenizer_config.json is no JSON object: build the bundle anew.")
    return settings


def _cleans_up(settings: dict[str, Any], tokenizer: Tokenizer) -> bool:
    """As transformers decides: BPE knows its spaces, and is left alone unless told twice."""
    anyway = settings.get("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output")
    return bool(settings.get("clean_up_tokenization_spaces")) and (not isinstance(tokenizer.model, BPE) or bool(anyway))
