"""How far one bundle is from another, as `joinery eval --json` prints it; the window is given the tokens besides."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.codec import ABSENT
from workflows.wire.reports.base import Report


@dataclass
class PairedFigure:
    """One figure of each; None where there is none."""

    reference: float | None
    candidate: float | None


@dataclass
class GreedyAnswer:
    """What both generate by themselves after a prompt, as (id, text); the first `tokens_equal` tokens are the same."""

    prompt: str
    tokens_equal: int
    tokens: int
    reference: list[tuple[int, str]]
    candidate: list[tuple[int, str]]

    @property
    def same(self) -> bool:
        """Whether all tokens are."""
        return self.tokens_equal == len(self.reference) == len(self.candidate)


@dataclass
class LayerCosines:
    """Cosines of one layer of a part (encoder, decoder); None where there is nothing to compare."""

    layer: int
    part: str
    hidden_cosine: float | None
    key_cosine: float | None
    value_cosine: float | None


@dataclass
class TaskReport:
    """The share of a task's questions that the candidate and the reference answer right. metric: what was asked."""

    metric: str
    rows: int
    score: float
    reference_score: float


@dataclass
class TokenDivergence:
    """How far the candidate is with some products restored."""

    kl_mean: float | None
    top1_agreement: float | None


@dataclass
class SuggestedExclusion:
    """A node, and the divergence that is left where it alone is not quantized."""

    node: str
    part: str
    kl_mean: float


@dataclass
class Suggestions:
    """The nodes to exclude, the most helpful first, of so many quantized products; and what excluding all gains."""

    positions: int
    products: int
    before: TokenDivergence
    exclude: list[SuggestedExclusion]
    after: TokenDivergence


@dataclass
class EvalReport(Report):
    """The comparison; its fields are CLI.md's, divergences in nats."""

    positions: int
    top1_agreement: float | None
    top5_overlap: float | None
    kl_mean: float | None
    kl_max: float | None
    logit_max_abs_diff: float | None
    hidden_cosine: float | None
    kv_cosine: float | None
    perplexity: PairedFigure
    answer_perplexity: PairedFigure
    greedy: list[GreedyAnswer]
    layers: list[LayerCosines]
    task: TaskReport | None
    notes: list[str]
    suggestions: Suggestions | None = field(default=None, metadata=ABSENT)

    @property
    def same(self) -> int:
        """How many prompts are answered with the same tokens."""
        return sum(answer.same for answer in self.greedy)

    @property
    def excluded(self) -> list[str]:
        """The nodes that are suggested for exclusion, the most helpful first."""
        return [row.node for row in self.suggestions.exclude] if self.suggestions else []
