"""The options of a generation, validated once."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, ModelWrapValidatorHandler, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import ArgsKwargs

from workflows.bundle.strategy import LogitsOp, chain_faults
from workflows.common.errors import RequestError, printable
from workflows.wire.generation_options import CHAIN_OPTIONS, GenerationOptions


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class GenerateOptions(GenerationOptions):
    """GenerationOptions whose values have been checked, each alone and all together.

    set_fields: the names of the options that were set; the others have their defaults.
    """

    stop: list[Annotated[str, Field(min_length=1)]] = field(default_factory=list)
    chain: tuple[LogitsOp, ...] | None = None
    negative_prompt: list[Annotated[int, Field(ge=0)]] | None = None
    set_fields: frozenset[str] = field(init=False, default=frozenset(), repr=False, compare=False)

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, values: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        options = handler(values)
        names = values.kwargs if isinstance(values, ArgsKwargs) else values
        object.__setattr__(options, "set_fields", frozenset(names if isinstance(names, dict) else ()))
        options._check_constraint()
        options._check_beams()
        options._check_chain()
        if options.negative_prompt is not None and options.guidance is None:
            raise ValueError("negative_prompt has no effect without guidance: set guidance as well")
        return options

    def _check_constraint(self) -> None:
        if sum(text is not None for text in (self.json_schema, self.regex, self.grammar, self.tool_calls)) > 1:
            raise ValueError("a reply has one constraint: give one of json_schema, regex, grammar and tool_calls")

    def _check_beams(self) -> None:
        if self.num_beams > 1 and self.temperature > 0:
            raise ValueError("beam search does not sample: leave the temperature at 0, or set num_beams to 1")
        if self.num_beams > 1 and self.ngram:
            raise ValueError("beam search uses no drafts: leave ngram out, or set num_beams to 1")
        if self.ngram and not self.drafts:
            raise ValueError("ngram drafts, and drafts are off: leave one of the two out")
        for name in ("length_penalty", "early_stopping"):
            if self.num_beams == 1 and name in self.set_fields:
                raise ValueError(f"{name} applies to beam search: set num_beams above 1, or leave it out")

    def _check_chain(self) -> None:
        if self.chain is None:
            return
        for name in CHAIN_OPTIONS:
            if name in self.set_fields:
                raise ValueError(f"a chain replaces {name}: add it to the chain as an op, or leave it out")
        if self.num_beams > 1 and any(op.op == "sample" for op in self.chain):
            raise ValueError("beam search does not sample: leave sample out of the chain, or set num_beams to 1")
        for fault in chain_faults(self.chain, None):
            raise ValueError(f"the chain is invalid: {fault.message}")

    def replaced(self, **values: object) -> Self:
        """The same options with other values, which are not checked again."""
        options = copy.copy(self)
        for name, value in values.items():
            object.__setattr__(options, name, value)
        object.__setattr__(options, "set_fields", self.set_fields | values.keys())
        return options

    def listed(self, own: Sequence[LogitsOp] | None) -> Sequence[LogitsOp] | None:
        """The chain in use: the person's, else the bundle's `own`; None where neither has one."""
        return own if self.chain is None else self.chain

    def check_tokens(self, vocabulary: int) -> None:
        """Raises RequestError where the chain names a token beyond a vocabulary of `vocabulary` tokens."""
        for fault in chain_faults(self.chain or (), vocabulary):
            raise RequestError(f"The chain is invalid: {fault.message}.")

    @property
    def of_drafts(self) -> list[str]:
        """The given options that have no effect without drafts."""
        given = {name for name in self.set_fields if getattr(self, name) is not None}
        return [name for name in ("draft_tokens", "draft_tree", "acceptance") if name in given]


_CHECKED = TypeAdapter(GenerateOptions)
_MESSAGES = {"unexpected_keyword_argument": "Extra inputs are not permitted"}  # as pydantic says it of models


def check_options(values: Mapping[str, Any]) -> GenerateOptions:
    """The options in `values`, where None means unset. Raises RequestError that names the invalid option."""
    try:
        return _CHECKED.validate_python({key: value for key, value in values.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:
            raise RequestError(f"The generation options do not go together: {first['ctx']['error']}.") from None
        name = ".".join(str(part) for part in first["loc"])
        shown = printable(first["input"], 40)
        message = printable(_MESSAGES.get(first["type"], first["msg"]), 400).removeprefix("Value error, ")
        raise RequestError(f"The generation option {printable(name)} cannot be {shown}: {message}.") from None
