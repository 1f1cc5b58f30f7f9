"""The options of a generation, validated once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workflows.bundle.strategy import LogitsOp, chain_faults
from workflows.common.errors import RequestError, printable

Acceptance = Literal["greedy", "rejection_sampling", "typical"]

FormText = Annotated[str, Field(min_length=1, max_length=1 << 20)]

CHAIN_OPTIONS = ("repetition_penalty", "temperature", "top_k", "top_p", "min_p")
"""The options that are ops of a chain."""


class GenerateOptions(BaseModel):
    """Greedy unless a temperature above 0 is given.

    top_k 0, top_p 1, min_p 0 and repetition_penalty 1 change nothing. seed None draws a fresh one.
    alternatives: how many of the most probable tokens each step reports.
    drafts: whether any may be made, those that the bundle's file asks for among them. ngram: draft what followed the
    last tokens when they came before. draft_tokens: tokens a draft has at most, of whatever kind. draft_tree: tokens of
    a draft that branches, of which so many follow one another; None is a chain. acceptance: which drafted tokens are
    taken; None is the way that changes nothing.
    num_beams, length_penalty, early_stopping: of a beam search, with transformers' meanings; 1 beam is none.
    json_schema, regex, grammar, tool_calls: the form that the reply must have, at most one of them; the last two are
    Lark grammars, the last one as generate/calls.py makes it of a template and its tools.
    chain: what logits go through, op by op, in place of all that the bundle asks for; it draws where `sample` is its
    last op. Options that are ops of a chain are refused beside it.
    guidance: how many times as far as the prompt leads a token is to go (Sanchez et al.'s γ); 1 is none.
    negative_prompt: the ids of what it leads away from, None for the prompt's last. alpha: of contrastive decoding, how
    much of the amateur's logits is taken off.
    target_language, source_language: of a translation, where the bundle has languages to choose from; None is what
    the checkpoint does by itself.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_new_tokens: Annotated[int, Field(ge=1)] = 256
    temperature: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] = 0.0
    top_k: Annotated[int, Field(ge=0)] = 0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    min_p: Annotated[float, Field(ge=0, le=1)] = 0.0
    repetition_penalty: Annotated[float, Field(gt=0, le=100)] = 1.0
    seed: Annotated[int, Field(ge=0)] | None = None
    stop: list[Annotated[str, Field(min_length=1)]] = []
    alternatives: Annotated[int, Field(ge=0, le=20)] = 0
    drafts: bool = True
    ngram: bool = False
    draft_tokens: Annotated[int, Field(ge=1, le=16)] = 8
    draft_tree: Annotated[int, Field(ge=2, le=64)] | None = None
    acceptance: Acceptance | None = None
    num_beams: Annotated[int, Field(ge=1, le=64)] = 1
    length_penalty: Annotated[float, Field(allow_inf_nan=False)] = 1.0
    early_stopping: Literal["never"] | bool = False
    json_schema: FormText | None = None
    regex: FormText | None = None
    grammar: FormText | None = None
    chain: tuple[LogitsOp, ...] | None = None
    tool_calls: FormText | None = None
    guidance: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = None
    negative_prompt: list[Annotated[int, Field(ge=0)]] | None = None
    alpha: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = None
    target_language: str | None = None
    source_language: str | None = None

    @model_validator(mode="after")
    def _one_form(self) -> GenerateOptions:
        if sum(form is not None for form in (self.json_schema, self.regex, self.grammar, self.tool_calls)) > 1:
            raise ValueError("a reply has one form: give one of json_schema, regex, grammar and tool_calls")
        return self

    @model_validator(mode="after")
    def _beams_alone(self) -> GenerateOptions:
        if self.num_beams > 1 and self.temperature > 0:
            raise ValueError("beams take the most probable texts: leave the temperature at 0, or ask for one beam")
        if self.num_beams > 1 and self.ngram:
            raise ValueError("beams are searched without drafts: leave ngram out, or ask for one beam")
        if self.ngram and not self.drafts:
            raise ValueError("ngram drafts, and there are to be no drafts: leave one of the two out")
        for name in ("length_penalty", "early_stopping"):
            if self.num_beams == 1 and name in self.model_fields_set:
                raise ValueError(f"{name} is of a search with beams: give num_beams above 1, or leave it out")
        return self

    @model_validator(mode="after")
    def _one_chain(self) -> GenerateOptions:
        if self.chain is None:
            return self
        beside = [name for name in CHAIN_OPTIONS if name in self.model_fields_set]
        if beside:
            raise ValueError(f"a chain says itself what {beside[0]} would: make it an op of the chain, or leave it out")
        if self.num_beams > 1 and any(op.op == "sample" for op in self.chain):
            raise ValueError("beams take the most probable texts: leave sample out of the chain, or ask for one beam")
        for fault in chain_faults(self.chain, None):
            raise ValueError(f"the chain cannot be run: {fault.message}")
        return self

    @model_validator(mode="after")
    def _negative_of_guidance(self) -> GenerateOptions:
        if self.negative_prompt is not None and self.guidance is None:
            raise ValueError("negative_prompt is what guidance turns away from: give guidance with it")
        return self

    def listed(self, own: Sequence[LogitsOp] | None) -> Sequence[LogitsOp] | None:
        """The chain in use: the person's, else the bundle's `own`; None where neither has one."""
        return own if self.chain is None else self.chain

    def check_tokens(self, vocabulary: int) -> None:
        """Raises RequestError where the chain names a token beyond a vocabulary of `vocabulary` tokens."""
        for fault in chain_faults(self.chain or (), vocabulary):
            raise RequestError(f"The chain cannot be run: {fault.message}.")

    @property
    def of_drafts(self) -> list[str]:
        """The given options that have no effect without drafts."""
        given = {name for name in self.model_fields_set if getattr(self, name) is not None}
        return [name for name in ("draft_tokens", "draft_tree", "acceptance") if name in given]


def check_options(values: Mapping[str, Any]) -> GenerateOptions:
    """The options in `values`, where None means unset. Raises RequestError that names the invalid option."""
    try:
        return GenerateOptions.model_validate({key: value for key, value in values.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:
            raise RequestError(f"The generation options cannot be had together: {first['ctx']['error']}.") from None
        name = ".".join(str(part) for part in first["loc"])
        shown = printable(first["input"], 40)
        message = printable(first["msg"], 400).removeprefix("Value error, ")
        raise RequestError(f"The generation option {printable(name)} cannot be {shown}: {message}.") from None
