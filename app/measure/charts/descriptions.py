"""Texts about latencies, steps and the runs that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from app.measure.charts.chart_description import range_text
from app.state.measured_runs import MeasuredRun, RunConfiguration
from app.state.measurement_snapshot import CHUNK, DECODE, FIRST, MeasurementFigures, MeasurementSnapshot
from app.text.formatting import cache_label, format_latency, format_local_time, format_number, pluralize
from app.text.translatable import tr
from workflows.wire.events import SpeculationUse


def capacity_text(slots: float) -> str:
    return tr("capacity {0}").format(format_number(slots))


def mean_text(value: float) -> str:
    """The label of the mean of tokens per step."""
    return tr("mean {0}").format(format_number(value, 2))


def pale_bars_text() -> str:
    """The label of the paler bars behind tokens per step."""
    return tr("pale: drafted")


def drafts_text(use: SpeculationUse) -> str:
    """How many drafted tokens were accepted, and how many tokens a step gave."""
    per_step = tr("tokens per step: {0}").format(format_number(use.tokens_per_step or 0.0, 2))
    if use.accept_rate is None:
        return tr("no token was drafted · {0}").format(per_step)
    one, many = tr("{0} of {1} drafted token accepted"), tr("{0} of {1} drafted tokens accepted")
    accepted = (one if use.drafted == 1 else many).format(format_number(use.accepted), format_number(use.drafted))
    return f"{accepted} ({format_number(100 * use.accept_rate, 1)} %) · {per_step}"


def owner_title(owner: RunConfiguration) -> str:
    """Bundle, provider, precision and layout, as the title of the figures."""
    parts = (owner.name, owner.provider, owner.precision, cache_label(owner.layout, owner.capacity))
    return " · ".join(part for part in parts if part)


@lru_cache(maxsize=64)  # every frame asks for the same few
def mark_text(before: RunConfiguration, after: RunConfiguration) -> str:
    """The label where the runs of another owner start: the bundle's name if it changes, and what else changes."""
    own, old = owner_title(after).split(" · ")[1:], owner_title(before).split(" · ")[1:]
    name = [after.name] if after.bundle != before.bundle else []
    return " · ".join([*name, *(part for part in own if part not in old)]) or after.name


def runs_title(runs: Sequence[MeasuredRun]) -> str:
    """The title of runs: their owner, or the bundles' names if there are several; and their period."""
    if not runs:
        return ""
    owners = list(dict.fromkeys(run.owner for run in runs))
    if len(owners) == 1:
        return " · ".join([owner_title(owners[0]), _period(runs)])
    titles = [f"{owner_title(owner)}" for owner in owners[:3]]
    if len(owners) > len(titles):
        titles.append(tr("{0} more").format(format_number(len(owners) - len(titles))))
    return " · ".join([" | ".join(titles), _period(runs)])


def _period(runs: Sequence[MeasuredRun]) -> str:
    first, last = format_local_time(runs[0].began), format_local_time(runs[-1].began)
    return first if first == last else f"{first} – {last}"


def shown_runs_text(figures: MeasurementFigures, zoomed: bool) -> str:
    """The text over the figures: the number of replies and their owner."""
    if not figures.runs:
        return tr("This part of the time axis has no steps.")
    replies = pluralize(len(figures.runs), tr("1 reply"), tr("{0} replies"))
    what = tr("Visible part of {0}").format(replies) if zoomed else tr("Of {0}").format(replies)
    return f"{what}: {runs_title(figures.runs)}"


def plots_text(s: MeasurementSnapshot, left: float, right: float) -> str:
    """The visible steps in words: range and median of the latency, and the last cache fill."""
    seen = s.seen(left, right)
    latencies = s.latency_ms[seen & (s.kind == DECODE)]
    texts = [range_text(tr("latency per token"), latencies.tolist(), format_latency)]
    if seen.any():
        last = int(seen.nonzero()[0][-1])
        texts.append(_fill_text(s, last) + ".")
    return " ".join(texts)


def _fill_text(s: MeasurementSnapshot, index: int) -> str:
    """The tokens in the cache at a step, of its capacity where it has slots."""
    used, capacity = int(s.used[index]), int(s.capacity[index])
    if capacity:
        return tr("cache {0} of {1}").format(format_number(used), format_number(capacity))
    return pluralize(used, tr("context 1 token"), tr("context {0} tokens"))


def step_text(s: MeasurementSnapshot, index: int) -> str:
    """A step in one line: phase, duration, cache fill and owner."""
    run = s.run_of(index)
    took = format_latency(s.latency_ms[index])
    cache = _fill_text(s, index)
    at = tr("at {0} s").format(format_number(s.time_s[index], 3))
    owner = (cache, at, tr("run {0}").format(format_number(run.number)), owner_title(run.owner))
    if s.kind[index] == CHUNK:
        tokens = pluralize(int(s.tokens[index]), tr("1 token"), tr("{0} tokens"))
        return " · ".join((tr("prefill chunk"), tokens, took, *owner))
    text = s.text(index).replace("\n", "⏎").replace(" ", "␣")
    first = s.kind[index] == FIRST
    what = (tr("first token “{0}”") if first else tr("decode “{0}”")).format(text)
    result = (f"id {s.token_id(index)}", f"TTFT {took}" if first else took, *_draft_text(s, index))
    return " · ".join((what, *result, *owner))


def _draft_text(s: MeasurementSnapshot, index: int) -> list[str]:
    """How many tokens were drafted and accepted with this token; empty without drafts."""
    step = s.speculation.at(float(s.time_s[index])) if s.kind[index] == DECODE else -1
    if step < 0:
        return []
    drafted, accepted = format_number(s.speculation.drafted[step]), format_number(s.speculation.kept[step])
    return [tr("its step: {0} drafted, {1} accepted").format(drafted, accepted)]
