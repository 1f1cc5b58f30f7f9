"""What a person may ask of a generation; checked once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workflows.errors import RequestError, printable

Acceptance = Literal["greedy", "rejection_sampling", "typical"]

Form = Annotated[str, Field(min_length=1, max_length=1 << 20)]


class GenerateOptions(BaseModel):
    """Greedy unless a temperature above 0 is given.

    top_k 0, top_p 1, min_p 0 and repetition_penalty 1 change nothing. seed None draws a fresh one.
    alternatives: how many of the most probable tokens each step reports.
    ngram: draft what followed the last tokens when they came before. draft_tokens: tokens a draft has at most, of
    whatever kind. draft_tree: tokens of a draft that branches, of which so many follow one another; None is a chain.
    acceptance: which drafted tokens are taken; None is the way that changes nothing.
    num_beams, length_penalty, early_stopping: of a beam search, with transformers' meanings; 1 beam is none.
    json_schema, regex, grammar: the form that the reply must have, at most one of them; a grammar is Lark's.
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
    ngram: bool = False
    draft_tokens: Annotated[int, Field(ge=1, le=16)] = 8
    draft_tree: Annotated[int, Field(ge=2, le=64)] | None = None
    acceptance: Acceptance | None = None
    num_beams: Annotated[int, Field(ge=1, le=64)] = 1
    length_penalty: Annotated[float, Field(allow_inf_nan=False)] = 1.0
    early_stopping: Literal["never"] | bool = False
    json_schema: Form | None = None
    regex: Form | None = None
    grammar: Form | None = None
    target_language: str | None = None
    source_language: str | None = None

    @model_validator(mode="after")
    def _one_form(self) -> GenerateOptions:
        if sum(form is not None for form in (self.json_schema, self.regex, self.grammar)) > 1:
            raise ValueError("a reply has one form: give one of json_schema, regex and grammar")
        if self.num_beams > 1 and self.temperature > 0:
            raise ValueError("beams take the most probable texts: leave the temperature at 0, or ask for one beam")
        return self


def check_options(values: Mapping[str, Any]) -> GenerateOptions:
    """The options in `values`, where None means unset. Raises RequestError that names the option that is wrong."""
    try:
        return GenerateOptions.model_validate({key: value for key, value in values.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:
            raise RequestError(f"The generation options cannot be had together: {first['ctx']['error']}.") from None
        name = ".".join(str(part) for part in first["loc"])
        shown = printable(first["input"], 40)
        message = printable(first["msg"])
        raise RequestError(f"The generation option {printable(name)} cannot be {shown}: {message}.") from None
