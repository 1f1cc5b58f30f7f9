"""What the CPU provider computes in another way than the graph was made for, and what is said of it."""

from __future__ import annotations

from workflows.bundle import Pipeline
from workflows.wire.reports.devices import Device

EMULATED = "w8a16"  # the precision for which the CPU provider has no integer products
_SAID = (
    "w8a16 is made for NPUs: the CPU provider computes {what} in float32 with every number on its 16-bit grid, so "
    "answers are those of the quantized model, and speed and memory are not."
)


def is_emulated(pipeline: Pipeline, session: str, device: Device) -> bool:
    """Whether `device` puts the session's numbers on its grids, and computes with them in floating point."""
    return device.name == "cpu" and pipeline.precision_of(session) == EMULATED


def emulation_note(pipeline: Pipeline, device: Device) -> str:
    """What a person should know of it, naming the sessions where they are not all; empty where nothing is emulated."""
    sessions = list(pipeline.pipeline.sessions)
    emulated = [name for name in sessions if is_emulated(pipeline, name, device)]
    if not emulated:
        return ""
    return _SAID.format(what="it" if emulated == sessions else f"{' and '.join(emulated)}")
