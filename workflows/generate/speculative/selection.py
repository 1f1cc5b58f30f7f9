"""Selects a generation's speculative strategy: the person's, else the bundle file's, else none.

    no drafts │ --ngram │ --draft ──over──▶ pipeline.strategy ──▶ SpeculativeStrategy │ why there are no drafts │ None

The kinds of producers in a file are dispatched only here.
"""

from __future__ import annotations

from dataclasses import replace

from workflows.bundle import strategy as file
from workflows.common.errors import RequestError, printable
from workflows.generate.options import GenerateOptions
from workflows.generate.speculative.decoding import SpeculativeStrategy
from workflows.generate.speculative.draft import Proposer
from workflows.generate.speculative.draft_model import DraftModel
from workflows.generate.speculative.draft_tree import requested_tree
from workflows.generate.speculative.extra_heads import ExtraHeads, tree_from_settings
from workflows.generate.speculative.ngram import NGramProposer
from workflows.runtime import Machine

MODEL_PRODUCERS = ("draft_model", "self_speculative", "extra_heads")
_SHARED_GRID = "int8-dynamic"  # logits of several tokens in one run differ by up to 9e-2 from those of single runs


def select_strategy(
    machine: Machine, options: GenerateOptions, draft: DraftModel | ExtraHeads | None
) -> SpeculativeStrategy | str | None:
    """The strategy; None for one token per run; a sentence where drafts were requested and are impossible.

    draft: the person's, or the bundle's own. Raises RequestError for draft options without drafts, and for beams
    together with a draft that the person gave.
    """
    if options.num_beams > 1:
        return _beside_beams(machine, draft)
    proposer = _proposer(machine, options, draft)
    if proposer is None or isinstance(proposer, str):
        for name in options.of_drafts:
            raise RequestError(f"{name} needs drafts, and there are none: add ngram or a draft, or leave it out.")
        return proposer
    if machine.cache.carried:
        return "Drafts are off: this model has a state that cannot be rewound after a rejected draft."
    if any(machine.pipeline.metadata.precision_of(name) == _SHARED_GRID for name in machine.sessions):
        return f"Drafts are off: {_SHARED_GRID} quantizes all tokens of a run together, so several differ from one."
    if machine.verify_phase is None:
        return "Drafts are off: this bundle's graphs give the logits of one token per run."
    settings, tree = _applicable_settings(machine, options, draft), requested_tree(options)
    if settings is None:
        return SpeculativeStrategy(proposer, options.draft_tokens, options.acceptance, tree=tree)
    most = _draft_limit(options, settings)
    tree = tree or tree_from_settings(settings.tree, most)
    strategy = SpeculativeStrategy(proposer, most, options.acceptance or settings.acceptance, tree=tree)
    return strategy if settings.typical_threshold is None else replace(strategy, threshold=settings.typical_threshold)


def _beside_beams(machine: Machine, draft: DraftModel | ExtraHeads | None) -> str | None:
    if draft is not None and not draft.own:
        raise RequestError("Beams are searched without drafts: leave --draft out, or ask for one beam.")
    if machine.pipeline.pipeline.strategy is None:
        return None
    return "Beams are searched without the drafts that the bundle's file asks for."


def _proposer(
    machine: Machine, options: GenerateOptions, draft: DraftModel | ExtraHeads | None
) -> Proposer | str | None:
    """The proposer; None where none was requested, a sentence where the requested one is not available."""
    settings, named = machine.pipeline.pipeline.strategy, machine.pipeline.metadata.draft
    if not options.drafts:
        return None
    if options.ngram:
        return NGramProposer(max_draft=options.draft_tokens)
    if draft is not None:
        return draft
    if settings is not None and settings.draft.producer == "ngram":
        rule = settings.draft.ngram or file.NGramSettings()
        return NGramProposer(rule.min_match, _draft_limit(options, settings), rule.window)
    if settings is not None and named is not None:
        name = printable(named.name)
        return f"Drafts are off: the bundle's file names the draft {name}, which is another bundle: give it as --draft."
    return None


def _applicable_settings(
    machine: Machine, options: GenerateOptions, draft: DraftModel | ExtraHeads | None
) -> file.StrategySettings | None:
    """The file's strategy, where the proposer is of the kind that it names."""
    settings = machine.pipeline.pipeline.strategy
    if settings is None or options.ngram:
        return None
    return settings if (draft is not None) == (settings.draft.producer in MODEL_PRODUCERS) else None


def _draft_limit(options: GenerateOptions, settings: file.StrategySettings) -> int:
    """The most tokens of a draft; for n-gram drafts the file may give two numbers, and the smaller one counts."""
    if "draft_tokens" in options.set_fields:
        return options.draft_tokens
    rule = settings.draft.ngram if settings.draft.producer == "ngram" else None
    return min(settings.num_speculative_tokens, rule.max_draft) if rule else settings.num_speculative_tokens


def draft_mismatch(machine: Machine, draft: DraftModel | ExtraHeads | None) -> str:
    """A sentence where the draft is not the one that the bundle's file names; else empty."""
    named = machine.pipeline.metadata.draft
    if draft is None or named is None or named.digest in ("", draft.digest):
        return ""
    return f"The draft is not {printable(named.name)}, which the bundle's file names: it may draft worse."
