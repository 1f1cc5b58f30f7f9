"""The figures of a report, as rows of a table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale

from app.state.accuracy import Report
from app.widgets.format import number


def _tr(text: str) -> str:
    return QCoreApplication.translate("Figures", text)


def figures_of(report: Report) -> list[tuple[str, str]]:
    """(what, value with its unit) of everything that is one number."""
    value = report.value
    rows = [
        (_tr("positions"), number(value["positions"])),
        (_tr("top-1 agreement"), percent(value["top1_agreement"])),
        (_tr("top-5 overlap"), percent(value["top5_overlap"])),
        (_tr("KL divergence, mean"), figure(value["kl_mean"], "nats")),
        (_tr("KL divergence, largest"), figure(value["kl_max"], "nats")),
        (_tr("logits, largest difference"), figure(value["logit_max_abs_diff"])),
        (_tr("hidden states, cosine"), figure(value.get("hidden_cosine"))),
        (_tr("keys and values, cosine"), figure(value.get("kv_cosine"))),
        (_tr("perplexity of the prompts, reference"), figure(value["perplexity"]["reference"])),
        (_tr("perplexity of the prompts, candidate"), figure(value["perplexity"]["candidate"])),
        (_tr("perplexity of the answers, reference"), figure(value["answer_perplexity"]["reference"])),
        (_tr("perplexity of the answers, candidate"), figure(value["answer_perplexity"]["candidate"])),
    ]
    task = value.get("task")
    if task:
        asked = number(task["questions"])
        rows.append((_tr("{0} questions, reference").format(asked), percent(task["reference"])))
        rows.append((_tr("{0} questions, candidate").format(asked), percent(task["candidate"])))
    return rows + _suggested(value.get("suggestions"))


def _suggested(found: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What the mean divergence would be with each suggested node left out, and with all of them."""
    if not found or not found["exclude"]:
        return []
    rows = [(_tr("KL without {0}").format(row["node"]), figure(row["kl_mean"], "nats")) for row in found["exclude"]]
    return [*rows, (_tr("KL without all of these"), figure(found["after"]["kl_mean"], "nats"))]


def percent(share: float | None) -> str:
    """99.34 %, or a dash."""
    return "–" if share is None else f"{number(100 * share, 2)} %"


def figure(value: float | None, unit: str = "") -> str:
    """Five significant digits in the system's locale, or a dash."""
    return "–" if value is None else f"{QLocale().toString(float(value), 'g', 5)} {unit}".strip()
