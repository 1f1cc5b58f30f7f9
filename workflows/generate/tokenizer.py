"""The bundle's tokenizer: text to ids and back, and detokenizing while tokens stream."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tokenizers import Tokenizer
from tokenizers.models import BPE

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, PromptError, printable
from workflows.generate.detokenizer import DecoderStage, ReplaceDecoder, TrimDecoder, decoding_stages, run_stages
from workflows.generate.piece_encoder import PieceEncoder

TOKENIZER_FOLDER = "tokenizer"
# The replacements of transformers' clean_up_tokenization_spaces, in its order.
CLEAN_UP = (
    *((f" {mark}", mark) for mark in ".?!,"),
    (" ' ", "'"),
    *((f" {end}", end) for end in ("n't", "'m", "'s", "'ve", "'re")),
)

_IDS = 1 << 32  # of the tokenizers package: unsigned, of 32 bits


class BundleTokenizer:
    """The tokenizer of a bundle. tokenizer: None where the checkpoint had none, so that only ids are used.

    vocabulary: the number of the model's tokens, which may be fewer than the tokenizer's. special: ids of special
    tokens. clean_up: remove spaces before punctuation from decoded text. pieces: encodes in place of the tokenizer,
    whose decoded text is then trimmed. placeholders: ids that rows of pictures or recordings replace, which the model
    needs no row for.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | None,
        vocabulary: int,
        special: frozenset[int] = frozenset(),
        clean_up: bool = False,
        pieces: PieceEncoder | None = None,
        placeholders: frozenset[int] = frozenset(),
    ) -> None:
        self.tokenizer, self.vocabulary, self.special, self.clean_up = tokenizer, vocabulary, special, clean_up
        self.pieces, self._placeholders = pieces, placeholders

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> BundleTokenizer:
        """The tokenizer in a bundle's files. Raises BundleError for a tokenizer.json that cannot be read."""
        vocabulary, tokens = bundle.pipeline.metadata.vocabulary or 0, bundle.pipeline.tokens
        named = (tokens.image_token, tokens.audio_token, tokens.video_token)
        placeholders = frozenset(token for token in named if token is not None)
        source = bundle.text(f"{TOKENIZER_FOLDER}/tokenizer.json")
        if source is None:
            return cls(None, vocabulary, placeholders=placeholders)
        try:
            tokenizer = Tokenizer.from_str(source)
        except Exception as error:  # noqa: BLE001 - the tokenizers library raises bare Exception alone
            raise BundleError(f"{TOKENIZER_FOLDER}/tokenizer.json cannot be read: {printable(error)}.") from None
        settings = tokenizer_settings(bundle)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = bool(settings.get("split_special_tokens"))
        special = frozenset(i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special)
        pieces = PieceEncoder.of_bundle(bundle, tokenizer, TOKENIZER_FOLDER)
        return cls(tokenizer, vocabulary, special, _cleans_up(settings, tokenizer), pieces, placeholders)

    @cached_property
    def source(self) -> str | None:
        """The tokenizer as JSON; None without one. Writing it takes 0.1 s for a large vocabulary."""
        return None if self.tokenizer is None else str(self.tokenizer.to_str())

    def encode(self, text: str, *, special: bool) -> list[int]:
        """The ids of `text`.

        special: add the tokenizer's special tokens, such as beginning-of-sequence; a rendered chat template has its
        own. Raises PromptError where there is no tokenizer or no token.
        """
        if self.tokenizer is None:
            raise PromptError("This bundle has no tokenizer: give the prompt as ids with --prompt-ids.")
        try:
            ids = self._ids(self.tokenizer, text, special)
        except TypeError:  # an unpaired surrogate
            raise PromptError("The prompt is not valid Unicode text: give it as UTF-8.") from None
        if not ids:
            raise PromptError("The prompt is empty: give at least one token.")
        return self.check_ids(ids)

    def _ids(self, tokenizer: Tokenizer, text: str, special: bool) -> list[int]:
        if self.pieces is not None:
            return self.pieces.encode(text, special=special, whole=tokenizer.encode_special_tokens)
        return list(tokenizer.encode(text, add_special_tokens=special).ids)

    def unknown_share(self, text: str) -> float:
        """The share of a text's tokens that the tokenizer does not know; 0 where it has no token for that."""
        name = getattr(self.tokenizer.model, "unk_token", None) if self.tokenizer else None
        unknown = self.tokenizer.token_to_id(name) if self.tokenizer and name else None
        if self.tokenizer is None or unknown is None:
            return 0.0
        ids = self._ids(self.tokenizer, text, special=False)
        return ids.count(unknown) / max(len(ids), 1)

    def check_ids(self, ids: Sequence[int]) -> list[int]:
        """Returns `ids` as a list. Raises PromptError that names the first id beyond the vocabulary, or for no ids."""
        if not ids:
            raise PromptError("The prompt is empty: give at least one token.")
        for token in ids:
            if not 0 <= token < self.vocabulary and token not in self._placeholders:
                raise unknown_id_error("The prompt", token, self.vocabulary, self.tokenizer)
        return list(ids)

    def tokens_without_row(self) -> dict[int, str]:
        """The tokens beyond the model's, in the order of their ids; without placeholders, which need no row."""
        vocabulary = self.tokenizer.get_vocab(with_added_tokens=True) if self.tokenizer is not None else {}
        beyond = {i: token for token, i in vocabulary.items() if i >= self.vocabulary and i not in self._placeholders}
        return dict(sorted(beyond.items()))

    def decode(self, ids: Sequence[int]) -> str:
        """The text of `ids` without special tokens; empty without a tokenizer."""
        if self.tokenizer is None:
            return ""
        text = str(self.tokenizer.decode(list(ids), skip_special_tokens=True))
        text = text if self.pieces is None else text.strip()
        for old, new in CLEAN_UP if self.clean_up else ():
            text = text.replace(old, new)
        return text

    def piece(self, token: int) -> str:
        """The text of one token, special tokens included."""
        if self.tokenizer is None:
            return ""
        return str(self.tokenizer.decode([token], skip_special_tokens=False))

    def stream(self) -> StreamingDetokenizer:
        """A detokenizer for one generation."""
        return StreamingDetokenizer(self)


def unknown_id_error(name: str, token: int, vocabulary: int, tokenizer: Tokenizer | None) -> PromptError:
    """The error for an id without a row in the embedding. name: what contains it, at the beginning of a sentence."""
    text = tokenizer.id_to_token(token) if tokenizer is not None and 0 <= token < _IDS else None
    which = f"id {token}" if text is None else f"id {token} ({printable(text, 40)})"
    return PromptError(f"{name} {which} is not in the vocabulary, whose ids go from 0 to {vocabulary - 1:,}.")


class StreamingDetokenizer:
    """Returns each token's text once no later token can change it; all pieces joined are the text of all tokens.

    Where the tokenizer's decoder can change characters until the end, all text comes at the end.
    """

    def __init__(self, text: BundleTokenizer) -> None:
        self._text, self._ids = text, list[int]()
        tokenizer = text.tokenizer
        self._silent = {tokenizer.id_to_token(token) for token in text.special} if tokenizer else set()
        stages = decoding_stages(tokenizer) if tokenizer else []
        cleaning = [ReplaceDecoder(old, new) for old, new in CLEAN_UP] if text.clean_up else []
        trimming = [] if text.pieces is None else [TrimDecoder()]
        self._stages: list[DecoderStage] | None = None if stages is None else [*stages, *trimming, *cleaning]

    def push(self, token: int) -> str:
        """The characters that are final after `token`: often its own, none while a character is incomplete."""
        if self._stages is None:
            self._ids.append(token)
            return ""
        known = self._text.tokenizer.id_to_token(token) if self._text.tokenizer else None
        return "" if known is None or known in self._silent else run_stages(self._stages, [known])

    def flush(self) -> str:
        """The rest at the end, incomplete characters as U+FFFD."""
        if self._stages is None:
            return self._text.decode(self._ids)
        return "".join(run_stages(self._stages[place + 1 :], stage.end()) for place, stage in enumerate(self._stages))


def tokenizer_settings(bundle: Bundle) -> dict[str, Any]:
    """The settings of tokenizer_config.json, empty without one. Raises BundleError where it is not a JSON object."""
    return bundle.json_object(f"{TOKENIZER_FOLDER}/tokenizer_config.json") or {}


def _cleans_up(settings: dict[str, Any], tokenizer: Tokenizer) -> bool:
    """As transformers decides: BPE models are not cleaned up unless a second setting demands it."""
    anyway = settings.get("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output")
    return bool(settings.get("clean_up_tokenization_spaces")) and (not isinstance(tokenizer.model, BPE) or bool(anyway))
