"""The comparison of two bundles of `joinery eval`, with the tokens for the window."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.codec import ABSENT
from workflows.wire.reports.base import Report


@dataclass
class PairedFigure:
    """A figure of both bundles; None if there is none."""

    reference: float | None
    candidate: float | None


@dataclass
class GreedyAnswer:
    """The greedy tokens of both after a prompt, as (id, text); the first `tokens_equal` are equal."""

    prompt: str
    tokens_equal: int
    tokens: int
    reference: list[tuple[int, str]]
    candidate: list[tuple[int, str]]

    @property
    def same(self) -> bool:
        """Whether all tokens are equal."""
        return self.tokens_equal == len(self.reference) == len(self.candidate)


@dataclass
class LayerCosines:
    """Cosine similarities of one layer of a part (encoder, decoder); None if there is nothing to compare."""

    layer: int
    part: str
    hidden_cosine: float | None
    key_cosine: float | None
    value_cosine: float | None


@dataclass
class TaskReport:
    """The share of a task's questions that candidate and reference answer correctly. metric: the task."""

    metric: str
    rows: int
    score: float
    reference_score: float


@dataclass
class TokenDivergence:
    """The candidate's divergence with some products not quantized."""

    kl_mean: float | None
    top1_agreement: float | None


@dataclass
class SuggestedExclusion:
    """A node, and the remaining divergence if only it is not quantized."""

    node: str
    part: str
    kl_mean: float


@dataclass
class Suggestions:
    """The nodes to exclude from quantization, the best first, and the effect of excluding all of them."""

    positions: int
    products: int
    before: TokenDivergence
    exclude: list[SuggestedExclusion]
    after: TokenDivergence


@dataclass
class EvalReport(Report):
    """The comparison; divergences in nats."""

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
        """Number of prompts with equal tokens."""
        return sum(answer.same for answer in self.greedy)

    @property
    def excluded(self) -> list[str]:
        """The nodes suggested for exclusion, the best first."""
        return [row.node for row in self.suggestions.exclude] if self.suggestions else []
