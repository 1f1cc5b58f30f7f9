"""A recipe in words: one sentence, and the settings that a person changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from app.builder.cache_text import planned_cache
from app.state.unsaved_recipe import UnsavedRecipe, recommended_precision
from app.text.formatting import compact_number, pluralize
from app.text.translatable import tr


def recipe_sentence(draft: UnsavedRecipe) -> str:
    """What is built of what: `Llama 256 K → int4, 2 graphs, static 2,048, for DirectML`; empty without a valid plan."""
    plan, source = draft.plan, draft.probe_report
    if plan is None or source is None or draft.plan_error is not None:
        return ""
    chosen, count = plan.chosen, len(plan.components)
    name = (source.architectures or [source.model_type])[0].partition("For")[0]
    target = next((one.title for one in plan.targets if one.name == chosen.target), chosen.target)
    parts = [
        tr("precisions to a goal") if draft.goal is not None else _precision(chosen.precision),
        pluralize(count, tr("one graph"), tr("{0} graphs")),
        planned_cache(plan) if source.decoder is not None else "",
        tr("for {0}").format(target),
    ]
    return f"{name} {compact_number(source.parameters)} → {', '.join(filter(None, parts))}"


def _precision(name: str) -> str:
    return tr("weights as stored") if name == "stored" else name


def recipe_changes(draft: UnsavedRecipe) -> list[tuple[str, str]]:
    """The settings that differ from the defaults, as (name, value)."""
    defaults = _defaults(draft)
    changes = dict(_flatten(draft.options))
    return [(name, _text(value)) for name, value in changes.items() if defaults.get(name, ...) != value]


def _defaults(draft: UnsavedRecipe) -> dict[str, object]:
    """The defaults of the source and its plan."""
    passes = draft.plan.passes if draft.plan else []
    precision = recommended_precision(draft) or "fp32"
    return {"precision": precision, "target": "cpu"} | {f"passes.{one.name}": one.default for one in passes}


def _flatten(options: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        elif value is not None:
            yield f"{prefix}{name}", value


def _text(value: object) -> str:
    if isinstance(value, bool):
        return tr("on") if value else tr("off")
    return value if isinstance(value, str) else json.dumps(value)
