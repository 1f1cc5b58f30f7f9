"""The strategy of a generation: what the person asks for, else what the bundle's file does, else none.

    no drafts │ --ngram │ --draft ──over──▶ pipeline.strategy ──▶ Strategy │ a sentence why there are no drafts │ None

Kinds of producers that a file may ask for are dispatched here, and nowhere else.
"""

from __future__ import annotations

from dataclasses import replace

from workflows.bundle import strategy as file
from workflows.errors import RequestError, printable
from workflows.generate.options import GenerateOptions
from workflows.generate.strategy.base import Proposer
from workflows.generate.strategy.drafting import DraftModel
from workflows.generate.strategy.heads import Heads, tree_of
from workflows.generate.strategy.ngram import NGram
from workflows.generate.strategy.steps import Strategy
from workflows.generate.strategy.tree import asked_tree
from workflows.runtime import Machine

OF_A_MODEL = ("draft_model", "self_speculative", "extra_heads")
_TOGETHER = "int8-dynamic"  # logits of several tokens are up to 9e-2 off those of one at a time


def strategy_of(machine: Machine, options: GenerateOptions, draft: DraftModel | Heads | None) -> Strategy | str | None:
    """How tokens are found: None is one token a run, a text why there are no drafts though some are asked for.

    draft: the person's, or that of the bundle. Raises RequestError for options of drafts without any, and for beams
    beside a draft that the person gave.
    """
    if options.num_beams > 1:
        return _beside_beams(machine, draft)
    proposer = _proposer(machine, options, draft)
    if proposer is None or isinstance(proposer, str):
        for name in options.of_drafts:
            raise RequestError(f"{name} is of drafts, and there are none: ask for ngram or a draft, or leave it out.")
        return proposer
    if machine.cache.carried:
        return "Drafts are off: this model carries a state on that knows no way back from a wrong one."
    if any(machine.pipeline.precision_of(name) == _TOGETHER for name in machine.sessions):
        return f"Drafts are off: {_TOGETHER} puts all tokens of a run on one grid, so that several differ from one."
    if machine.verifier is None:
        return "Drafts are off: this bundle's graphs give the logits of one token a run."
    asked, tree = _followed(machine, options, draft), asked_tree(options)
    if asked is None:
        return Strategy(proposer, options.draft_tokens, options.acceptance, tree=tree)
    most = _most(options, asked)
    tree = tree or tree_of(asked.tree, most)
    found = Strategy(proposer, most, options.acceptance or asked.acceptance, tree=tree)
    return found if asked.typical_threshold is None else replace(found, threshold=asked.typical_threshold)


def _beside_beams(machine: Machine, draft: DraftModel | Heads | None) -> str | None:
    if draft is not None and not draft.own:
        raise RequestError("Beams are searched without drafts: leave --draft out, or ask for one beam.")
    if machine.pipeline.pipeline.strategy is None:
        return None
    return "Beams are searched without the drafts that the bundle's file asks for."


def _proposer(machine: Machine, options: GenerateOptions, draft: DraftModel | Heads | None) -> Proposer | str | None:
    """Who drafts: None where nobody is asked to, a text where somebody is and cannot be had."""
    asked, named = machine.pipeline.pipeline.strategy, machine.pipeline.metadata.draft
    if not options.drafts:
        return None
    if options.ngram:
        return NGram(max_draft=options.draft_tokens)
    if draft is not None:
        return draft
    if asked is not None and asked.draft.producer == "ngram":
        rule = asked.draft.ngram or file.NGramSettings()
        return NGram(rule.min_match, _most(options, asked), rule.window)
    if asked is not None and named is not None:
        name = printable(named.name)
        return f"Drafts are off: the bundle's file asks for those of {name}, which lies elsewhere: give it as --draft."
    return None


def _followed(
    machine: Machine, options: GenerateOptions, draft: DraftModel | Heads | None
) -> file.StrategySettings | None:
    """The file's strategy, where who drafts is whom it asks to."""
    asked = machine.pipeline.pipeline.strategy
    if asked is None or options.ngram:
        return None
    return asked if (draft is not None) == (asked.draft.producer in OF_A_MODEL) else None


def _most(options: GenerateOptions, asked: file.StrategySettings) -> int:
    """How many tokens a draft has at most; of look-ups the file may say two numbers, and the lesser counts."""
    if "draft_tokens" in options.model_fields_set:
        return options.draft_tokens
    rule = asked.draft.ngram if asked.draft.producer == "ngram" else None
    return min(asked.num_speculative_tokens, rule.max_draft) if rule else asked.num_speculative_tokens


def another_draft(machine: Machine, draft: DraftModel | Heads | None) -> str:
    """What to say of a draft that is not the one which the bundle's file names; empty where there is nothing to."""
    named = machine.pipeline.metadata.draft
    if draft is None or named is None or named.digest in ("", draft.digest):
        return ""
    return f"The draft is another than {printable(named.name)}, which the bundle's file asks for: it may draft worse."
