"""Speculative decoding: tokens are drafted cheaply, then verified by the model in one run of all of them.

    ids ──propose──▶ Draft ──one run──▶ one row of logits per token ──accept──▶ the tokens of the model itself

A strategy changes the speed, never the tokens: greedy ones are those of the model alone.
"""

from workflows.generate.speculative.decoding import (
    ChosenToken,
    Decoding,
    DraftStatistics,
    SpeculativeStrategy,
    make_decoding,
)
from workflows.generate.speculative.draft import Draft
from workflows.generate.speculative.draft_model import DraftModel
from workflows.generate.speculative.extra_heads import ExtraHeads
from workflows.generate.speculative.ngram import NGramProposer
from workflows.generate.speculative.selection import draft_mismatch, select_strategy

__all__ = [
    "ChosenToken",
    "Decoding",
    "Draft",
    "DraftModel",
    "DraftStatistics",
    "ExtraHeads",
    "NGramProposer",
    "SpeculativeStrategy",
    "draft_mismatch",
    "make_decoding",
    "select_strategy",
]
