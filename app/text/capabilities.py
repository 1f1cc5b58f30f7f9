"""What a machine can do, and which well-known models fit it, as sentences."""

from __future__ import annotations

from app.text.formatting import format_bytes, format_number, pluralize
from app.text.translatable import tr
from workflows.wire.reports.capabilities import CapabilitiesReport, ModelFit, PresetFit


def machine_facts(report: CapabilitiesReport) -> str:
    """Processor, cores, instructions, memory and disk in one line."""
    cores = pluralize(report.cores, tr("1 core"), tr("{0} cores"))
    instructions = " ".join(report.instructions) or tr("instructions unknown")
    memory = tr("{0} of memory, {1} free").format(
        format_bytes(report.memory_bytes), format_bytes(report.free_memory_bytes)
    )
    disk = tr("{0} of disk free").format(format_bytes(report.free_disk_bytes))
    return " · ".join((report.processor, cores, instructions, memory, disk))


def largest_fits(report: CapabilitiesReport) -> str:
    """The largest model of each precision that fits the free memory, in one line; empty where none fits."""
    found = dict[str, str]()  # the models are sorted by size, and the first preset of a precision is the smallest
    for model in report.models:
        for fit in reversed(model.presets):
            if fit.fits:
                context = pluralize(fit.tokens, tr("1 token"), tr("{0} tokens"))
                found[fit.precision] = tr("{0} in {1} with {2}").format(short_name(model), fit.precision, context)
    return ", ".join(found[name] for name in sorted(found))


def short_name(model: ModelFit) -> str:
    """The model's name without its owner."""
    return model.name.rpartition("/")[2]


def fit_text(fit: PresetFit) -> str:
    """The bytes of the weights, and the tokens of context that fit beside them; in brackets those with all memory."""
    if fit.fits:
        context = format_number(fit.tokens)
    else:
        context = f"({format_number(fit.most_tokens)})" if fit.could_fit else tr("too large")
    return f"{format_bytes(fit.bytes)} · {context}"
