"""The figures of a report as rows of a table."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from app.state.accuracy import AccuracySubjects, ComparedModel
from app.text.formatting import format_local_time, format_number, pluralize
from app.text.translatable import tr
from workflows.wire.reports.accuracy import EvalReport, Suggestions


def comparison_title(of: AccuracySubjects) -> str:
    return tr("{0} compared with {1}").format(_side_name(of.candidate), _side_name(of.reference))


def comparison_settings(of: AccuracySubjects) -> str:
    """The settings and the time of a comparison."""
    steps = pluralize(of.steps, tr("up to 1 token per prompt"), tr("up to {0} tokens per prompt"))
    prompts = [tr("prompts of {0}").format(of.prompts)] if of.prompts else []
    return " · ".join([of.provider, steps, *prompts, format_local_time(of.began)])


def _side_name(side: ComparedModel) -> str:
    return f"{side.name} ({side.precision})" if side.precision else side.name


def report_figures(report: EvalReport) -> list[tuple[str, str]]:
    """(name, value with its unit) of each figure."""
    rows = [
        (tr("positions"), format_number(report.positions)),
        (tr("top-1 agreement"), percent(report.top1_agreement)),
        (tr("top-5 overlap"), percent(report.top5_overlap)),
        (tr("KL divergence, mean"), figure(report.kl_mean, "nats")),
        (tr("KL divergence, largest"), figure(report.kl_max, "nats")),
        (tr("logits, largest difference"), figure(report.logit_max_abs_diff)),
        (tr("hidden states, cosine"), figure(report.hidden_cosine)),
        (tr("keys and values, cosine"), figure(report.kv_cosine)),
        (tr("perplexity of the prompts, reference"), figure(report.perplexity.reference)),
        (tr("perplexity of the prompts, candidate"), figure(report.perplexity.candidate)),
        (tr("perplexity of the answers, reference"), figure(report.answer_perplexity.reference)),
        (tr("perplexity of the answers, candidate"), figure(report.answer_perplexity.candidate)),
    ]
    if report.task is not None:
        questions = pluralize(report.task.rows, tr("1 question"), tr("{0} questions"))
        rows.append((tr("{0}, reference").format(questions), percent(report.task.reference_score)))
        rows.append((tr("{0}, candidate").format(questions), percent(report.task.score)))
    return rows + _suggestion_figures(report.suggestions)


def _suggestion_figures(suggestions: Suggestions | None) -> list[tuple[str, str]]:
    """The mean divergence without each suggested node, and without all of them."""
    if suggestions is None or not suggestions.exclude:
        return []
    rows = [(tr("KL without {0}").format(row.node), figure(row.kl_mean, "nats")) for row in suggestions.exclude]
    return [*rows, (tr("KL without all of these"), figure(suggestions.after.kl_mean, "nats"))]


def percent(share: float | None) -> str:
    """99.34 %, or a dash."""
    return "–" if share is None else f"{format_number(100 * share, 2)} %"


def figure(value: float | None, unit: str = "") -> str:
    """Five significant digits in the system's locale, or a dash."""
    return "–" if value is None else f"{QLocale().toString(float(value), 'g', 5)} {unit}".strip()
