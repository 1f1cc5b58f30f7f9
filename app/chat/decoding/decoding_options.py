"""The decoding options of a reply, and the request options they become."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal

from app.chat.decoding.chain_ops import ChainRow, chain_op, draws
from app.chat.sampling import SamplingSettings
from workflows.common.errors import RequestError
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.generation_options import CHAIN_OPTIONS, GenerationOptions, limits
from workflows.wire.requests import Options

Drafts = Literal["none", "ngram", "bundle", "off"]
Acceptance = Literal["exact", "rejection_sampling", "typical"]
Stopping = Literal["false", "true", "never"]
Form = Literal["json_schema", "regex", "grammar"]
_STOPS: dict[Stopping, bool | str] = {"false": False, "true": True, "never": "never"}


@dataclass(frozen=True, slots=True)
class ReplyForms:
    """The form of a reply, None for any, and the text written for each kind."""

    kind: Form | None = None
    json_schema: str = ""
    regex: str = ""
    grammar: str = ""

    def text(self, kind: Form) -> str:
        """The text written for a kind."""
        return {"json_schema": self.json_schema, "regex": self.regex, "grammar": self.grammar}[kind]

    def with_text(self, kind: Form, text: str) -> ReplyForms:
        """A copy with another text for a kind."""
        return replace(self, **{kind: text})  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class DecodingOptions:
    """The defaults leave everything to the model. drafts: "none" uses the bundle's own, "off" uses none at all.

    draft: a bundle's folder. chain: None for the model's.
    """

    drafts: Drafts = "none"
    draft: str = ""
    draft_tokens: int = GenerationOptions.draft_tokens
    acceptance: Acceptance = "exact"
    num_beams: int = GenerationOptions.num_beams
    length_penalty: float = GenerationOptions.length_penalty
    early_stopping: Stopping = "false"
    chain: tuple[ChainRow, ...] | None = None
    forms: ReplyForms = ReplyForms()

    def draws(self, sampling: SamplingSettings) -> bool:
        """Whether tokens are sampled instead of taking the most probable ones."""
        return sampling.temperature > 0 if self.chain is None else draws(self.chain)

    def for_new_chat(self) -> DecodingOptions:
        """The options that stay with the bundle: chain and form are reset, the written forms are kept."""
        return replace(self, chain=None, forms=replace(self.forms, kind=None))

    def shaped_as(self, other: DecodingOptions) -> DecodingOptions:
        """A copy with the chain and the form of `other`."""
        return replace(self, chain=other.chain, forms=other.forms)

    @property
    def drafting(self) -> bool:
        """Whether drafts are requested here; the bundle's own drafts yield to beams."""
        return self.drafts in ("ngram", "bundle")

    def to_options(self, sampling: SamplingSettings) -> Options:
        """The options of a generate request. Raises ValueError, one sentence, for an invalid row of the chain."""
        options: Options = sampling.to_options()
        drawn = self.draws(sampling)
        if self.chain is not None:
            options = {name: value for name, value in options.items() if name not in CHAIN_OPTIONS}
            options["chain"] = [chain_op(row) for row in self.chain]
        if self.drafts == "off":
            options |= {"drafts": False}
        elif self.drafts != "none":
            options |= {"ngram": self.drafts == "ngram", "draft_tokens": self.draft_tokens}
            if drawn and self.acceptance != "exact":
                options["acceptance"] = self.acceptance
        if self.num_beams > 1 and not drawn:
            options |= {"num_beams": self.num_beams, "length_penalty": self.length_penalty}
            options["early_stopping"] = _STOPS[self.early_stopping]
        if self.forms.kind is not None:
            options[self.forms.kind] = self.forms.text(self.forms.kind)
        return options

    @classmethod
    def from_dict(cls, data: Any) -> DecodingOptions:
        """Reads saved options; a value of another type takes its default."""
        options = cls()
        for name, value in data.items() if isinstance(data, dict) else ():
            with suppress(KeyError, PayloadMismatch, RequestError):
                options = replace(options, **{name: read(_KINDS[name], value)})
        for name in ("draft_tokens", "num_beams"):
            least, most = limits(name)
            if not least <= getattr(options, name) <= most:
                return cls()
        return options if isfinite(options.length_penalty) else cls()


_KINDS: dict[str, Any] = {
    "drafts": Drafts,
    "draft": str,
    "draft_tokens": int,
    "acceptance": Acceptance,
    "num_beams": int,
    "length_penalty": float,
    "early_stopping": Stopping,
    "chain": tuple[ChainRow, ...] | None,
    "forms": ReplyForms,
}
