"""How the next tokens are found: drafted cheaply, then looked at by the model in one run of all of them.

    ids ──propose──▶ Draft ──one run──▶ a row of logits a token ──accept──▶ the tokens that the model itself would give

A strategy changes how fast tokens come, and never which: the greedy ones are those of the model alone.
"""

from workflows.generate.strategy.asked import another_draft, strategy_of
from workflows.generate.strategy.base import Draft, Proposer, Speculation
from workflows.generate.strategy.drafting import DraftModel
from workflows.generate.strategy.heads import Heads
from workflows.generate.strategy.ngram import NGram
from workflows.generate.strategy.steps import Chosen, Learned, Steps, Strategy, steps_of

__all__ = [
    "Chosen",
    "Draft",
    "DraftModel",
    "Heads",
    "Learned",
    "NGram",
    "Proposer",
    "Speculation",
    "Steps",
    "Strategy",
    "another_draft",
    "steps_of",
    "strategy_of",
]
