"""What quantizing cost, in sentences."""

from __future__ import annotations

from app.text.engine_text import translate_engine_text
from app.text.formatting import format_bytes, format_number
from app.text.translatable import tr
from workflows.wire.reports.cost import QuantizationCost


def cost_summary(cost: QuantizationCost) -> str:
    """What it cost, or why that is not known."""
    if cost.reason:
        return tr("What quantizing cost was not measured: {0}.").format(translate_engine_text(cost.reason))
    texts = tr(
        "Against the graphs before quantizing, over {0} positions of {1}: the most probable token is the same at {2}, "
        "the divergence (KL) is {3} nats, the perplexity goes from {4} to {5}."
    )
    perplexity = (_number(cost.perplexity.reference, 1), _number(cost.perplexity.candidate, 1))
    return texts.format(
        format_number(cost.positions),
        translate_engine_text(cost.text),
        cost_share(cost),
        _number(cost.kl_mean, 4),
        *perplexity,
    )


def cost_share(cost: QuantizationCost) -> str:
    """The share of positions with the same most probable token; a dash where it is not known."""
    return "–" if cost.top1_agreement is None else f"{format_number(100 * cost.top1_agreement, 1)} %"


def cost_advice(cost: QuantizationCost) -> str:
    """What keeps more; empty where enough is kept."""
    if cost.is_faithful or cost.top1_agreement is None:
        return ""
    changed = tr("The most probable token changed at {0} % of the positions.").format(
        format_number(100 * (1 - cost.top1_agreement))
    )
    if not cost.better:
        return changed
    return (
        changed
        + " "
        + tr("{0} keeps more, in {1} of weights.").format(cost.better_option[1], format_bytes(cost.better_bytes))
    )


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else format_number(value, digits)
