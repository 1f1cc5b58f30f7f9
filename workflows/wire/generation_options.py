"""The options of one generation: names, types, defaults, limits and help texts, each written once.

    GenerationOptions ──▶ flags of `joinery generate` and `joinery chat`     (workflows/cli/run_flags.py)
                      ──▶ defaults and limits of the window's fields         (app/chat)
                      ──▶ the keys of a generate request's `options`         (workflows/wire/requests.py)
                      ──▶ GenerateOptions, whose values pydantic has checked (workflows/generate/options.py)

The module imports the standard library alone: the window and `joinery generate --help` read it when they start.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal, TypeVar

CHAIN_OPTIONS = ("repetition_penalty", "temperature", "top_k", "top_p", "min_p")
"""The options that are ops of a chain, in the order in which logits go through them."""

T = TypeVar("T")
Acceptance = Literal["greedy", "rejection_sampling", "typical"]


def _option(default: T, description: str = "", **limits: float) -> T:
    """A field. description: its flag's help; limits: as pydantic's Field takes them, which reads this metadata."""
    return field(default=default, metadata={"description": description, **limits})


@dataclass(frozen=True)
class GenerationOptions:
    """Greedy unless a temperature above 0 is set.

    top_k 0, top_p 1, min_p 0 and repetition_penalty 1 change nothing. seed None draws a fresh one.
    alternatives: how many of the most probable tokens each step reports.
    drafts: whether tokens may be drafted, also where the bundle's file asks for drafts. ngram: draft the tokens that
    followed the last tokens when these came before. draft_tokens: maximum length of a draft of any kind. draft_tree:
    maximum number of tokens of a draft that branches, draft_tokens deep at most; None is a chain. acceptance: the rule
    that accepts drafted tokens; None is the rule that leaves the output unchanged.
    num_beams, length_penalty, early_stopping: beam search, with transformers' meanings; 1 beam is none.
    json_schema, regex, grammar, tool_calls: the constraint on the reply, at most one of them; the last two are Lark
    grammars, tool_calls as generate/tool_calls.py derives it from a template and its tools.
    chain: the logits ops in place of all that the bundle asks for, in order; the generation samples where `sample` is
    the last one. Options that are ops of a chain are refused beside it.
    guidance: the scale of classifier-free guidance (γ of Sanchez et al., 2023); 1 is none. negative_prompt: ids of the
    prompt that guidance leads away from; None is the prompt's last token. alpha: of contrastive decoding, the share of
    the amateur's logits that is subtracted.
    adapter: the name of an adapter of the bundle; None is the base alone.
    target_language, source_language: of a translation, where the bundle has languages; None is the checkpoint's own.
    """

    max_new_tokens: int = _option(256, "Maximum tokens to generate.", ge=1)
    temperature: float = _option(0.0, "Sample with this temperature; 0 is greedy.", ge=0, le=100, allow_inf_nan=False)
    top_k: int = _option(0, "Sample from the K most probable tokens.", ge=0)
    top_p: float = _option(1.0, "Sample from the fewest tokens with this probability mass.", gt=0, le=1)
    min_p: float = _option(0.0, "Drop tokens below this share of the highest probability.", ge=0, le=1)
    repetition_penalty: float = _option(1.0, "Above 1: repeat less.", ge=0.01, le=100)
    seed: int | None = _option(None, "Draw the same tokens each time.", ge=0)
    stop: list[str] = field(default_factory=list, metadata={"description": "End where this text appears."})
    alternatives: int = _option(0, ge=0, le=20)
    drafts: bool = _option(True, "No drafts, even if the bundle asks for them.")
    ngram: bool = _option(False, "Draft the tokens that followed the latest tokens before.")
    draft_tokens: int = _option(8, "Maximum tokens of a draft.", ge=1, le=16)
    draft_tree: int | None = _option(
        None, "Drafts that branch, of at most N tokens; one run checks all paths.", ge=2, le=64
    )
    acceptance: Acceptance | None = _option(
        None, "Rule to accept drafts: greedy, rejection_sampling or typical; the default is exact."
    )
    num_beams: int = _option(1, "Beam search with N beams.", ge=1, le=64)
    length_penalty: float = _option(1.0, "Of beam search: above 0 favours long texts.", allow_inf_nan=False)
    early_stopping: Literal["never"] | bool = _option(
        False, "Of beam search: true, false or never, as in transformers."
    )
    json_schema: str | None = _option(None, "A JSON schema that the reply must fit.", min_length=1, max_length=1 << 20)
    regex: str | None = _option(
        None, "A regular expression that the whole reply must match.", min_length=1, max_length=1 << 20
    )
    grammar: str | None = _option(None, "A Lark grammar that the reply must follow.", min_length=1, max_length=1 << 20)
    chain: tuple[object, ...] | None = _option(None, "A JSON list of logits ops that replace the bundle's.")
    tool_calls: str | None = _option(None, "", min_length=1, max_length=1 << 20)
    guidance: float | None = _option(
        None, "Scale of classifier-free guidance; above 1.", ge=0, le=100, allow_inf_nan=False
    )
    negative_prompt: list[int] | None = _option(None, "The prompt that guidance leads away from.")
    alpha: float | None = _option(
        None, "Weight of the amateur's logits that are subtracted.", ge=0, le=100, allow_inf_nan=False
    )
    target_language: str | None = _option(None, "Language to translate into: de_DE, fra_Latn …")
    source_language: str | None = _option(None, "Language to translate from.")
    adapter: str | None = _option(None, "Run with this adapter of the bundle; see inspect.", min_length=1)


def description(name: str) -> str:
    """The help text of an option; empty for one without a flag of its own."""
    return str(_FIELDS[name].metadata["description"])


def limits(name: str) -> tuple[int, int]:
    """The least and the greatest value of a whole-number option that has both."""
    metadata = _FIELDS[name].metadata
    return metadata["ge"], metadata["le"]


_FIELDS = {one.name: one for one in fields(GenerationOptions)}
