"""What quantizing cost: `cost.json` of a bundle, and the sentences about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.reports.accuracy import PairedFigure
from workflows.wire.reports.base import Report

COST_FILE = "cost.json"
FAITHFUL = 0.8
"""The top-1 agreement below which a person is advised to build with more bits."""


@dataclass
class QuantizationCost(Report):
    """The quantized graphs against those before, fed the same text; divergence in nats.

    text: which. reason: why nothing was measured; positions is 0 then. better: the option to build with instead if the
    most probable token changes too often, as "preset=accurate"; better_bytes: of its weights; empty and 0 for none.
    """

    positions: int = 0
    top1_agreement: float | None = None
    kl_mean: float | None = None
    perplexity: PairedFigure = field(default_factory=lambda: PairedFigure(None, None))
    text: str = ""
    reason: str = ""
    better: str = ""
    better_bytes: int = 0

    @property
    def is_faithful(self) -> bool:
        """Whether at least FAITHFUL of the most probable tokens are the same, or nothing is known."""
        return self.top1_agreement is None or self.top1_agreement >= FAITHFUL

    @property
    def better_option(self) -> tuple[str, str]:
        """The name and the value of the option that keeps more, both empty for none."""
        name, _, value = self.better.partition("=")
        return name, value

    def summary(self) -> str:
        """What it cost, or why that is not known, without a full stop."""
        if self.reason:
            return f"what quantizing cost was not measured: {self.reason}"
        before, after = (
            "–" if one is None else f"{one:,.4g}" for one in (self.perplexity.reference, self.perplexity.candidate)
        )
        top, kl = "–" if self.top1_agreement is None else f"{self.top1_agreement:.1%}", _number(self.kl_mean)
        return (
            f"against the graphs before quantizing: top-1 {top}, KL {kl} nats, perplexity {before} → {after} "
            f"({self.positions:,} positions of {self.text})"
        )

    def advice(self) -> str:
        """A sentence about what keeps more; empty where enough is kept."""
        if self.is_faithful or self.top1_agreement is None:
            return ""
        changed = f"The most probable token changed at {1 - self.top1_agreement:.0%} of the positions"
        if not self.better:
            return f"{changed}: build again with more bits or fewer quantized nodes."
        name, value = self.better_option
        return f"{changed}: --{name} {value} keeps more, in {self.better_bytes / 2**20:,.0f} MiB of weights."


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
