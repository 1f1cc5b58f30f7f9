"""What a model will keep between steps, in a few words."""

from __future__ import annotations

from app.text.formatting import cache_label, format_number, pluralize
from app.text.translatable import tr
from workflows.wire.reports.plan import DecoderFacts, PlanReport


def planned_cache(plan: PlanReport) -> str:
    """The layout and the slots, `static 4,096`; a model that has no keys and values keeps state of fixed size."""
    return cache_label(plan.chosen.cache, plan.chosen.capacity) if plan.estimate.kv_bytes else tr("state of fixed size")


def state_layers_text(decoder: DecoderFacts) -> str:
    """How many layers keep state of fixed size: `in 3 of 4 layers`, `in all 4 layers`."""
    if decoder.state_layers == decoder.layers:
        return pluralize(decoder.layers, tr("in its only layer"), tr("in all {0} layers"))
    return tr("in {0} of {1} layers").format(format_number(decoder.state_layers), format_number(decoder.layers))
