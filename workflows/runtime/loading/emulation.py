"""What the CPU provider computes in another way than the graph was made for, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.bundle import Pipeline

EMULATED_PRECISION = "w8a16"  # the precision for which the CPU provider has no integer products
_NOTE = (
    "w8a16 is made for NPUs: the CPU provider computes {what} in float32 with every number on its 16-bit grid, so "
    "answers are those of the quantized model, and speed and memory are not."
)


def is_emulated(pipeline: Pipeline, session: str, provider: str) -> bool:
    """Whether the provider puts the session's numbers on its grids, and computes with them in floating point."""
    return provider == "cpu" and pipeline.precision_of(session) == EMULATED_PRECISION


def emulation_note(pipeline: Pipeline, providers: Mapping[str, str]) -> str:
    """What a person should know of it, naming the sessions where they are not all; empty where nothing is emulated.

    providers: session → the name of its own.
    """
    emulated = [name for name, provider in providers.items() if is_emulated(pipeline, name, provider)]
    if not emulated:
        return ""
    return _NOTE.format(what="it" if len(emulated) == len(providers) else f"{' and '.join(emulated)}")
