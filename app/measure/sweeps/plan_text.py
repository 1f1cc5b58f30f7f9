"""A plan of a sweep as TOML, made of what a person chose, and what it would take.

SweepChoices ──plan_text──▶ TOML, as `joinery sweep` reads it      SweepChoices, PlanReport ──sweep_estimate──▶ s, bytes
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from workflows.wire.reports.plan import PlanReport


@dataclass(frozen=True, slots=True)
class SweepChoices:
    """The axes of a sweep. layouts: none for the one that the build chooses. evaluates, measures: further steps."""

    source: str
    precisions: tuple[str, ...]
    layouts: tuple[str, ...] = ()
    providers: tuple[str, ...] = ("cpu",)
    evaluates: bool = True
    measures: bool = True

    @property
    def builds(self) -> int:
        """The number of bundles."""
        return len(self.precisions) * max(1, len(self.layouts))


def plan_text(choices: SweepChoices) -> str:
    """The plan; strings are quoted as in JSON, which TOML reads as well."""
    steps = ["build", *["eval"] * choices.evaluates, *["bench"] * choices.measures]
    lines = [f"sources = {_quoted([choices.source])}"]
    if choices.layouts:
        lines.append(f"layouts = {_quoted(choices.layouts)}")
    if choices.measures:
        lines.append(f"providers = {_quoted(choices.providers)}")
    lines.append(f"steps = {_quoted(steps)}")
    for precision in choices.precisions:
        lines += ["", "[[recipe]]", f"name = {_quoted(precision)}", f"precision = {_quoted(precision)}"]
    return "\n".join(lines) + "\n"


def _quoted(value: str | Sequence[str]) -> str:
    return json.dumps(value, ensure_ascii=False)


def sweep_estimate(choices: SweepChoices, plan: PlanReport) -> tuple[float, int]:
    """Seconds of the builds, and bytes of the bundles, by the plan of one of them.

    A build's export is made once and shared by all precisions of a layout; the rest of a build is made for each.
    """
    price = plan.estimate
    shared = sum(price.stages.get(stage, 0.0) for stage in ("checkpoint", "export", "optimize"))
    layouts = max(1, len(choices.layouts))
    seconds = layouts * (shared + len(choices.precisions) * (price.seconds - shared))
    sizes = {one.name: one.bytes for one in plan.precisions}
    own = sizes.get(plan.chosen.precision, 0)
    beside = max(0, price.disk_bytes - own)  # tokenizer, graphs and their snapshots
    return seconds, layouts * sum(sizes.get(name, own) + beside for name in choices.precisions)
