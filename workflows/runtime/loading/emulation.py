"""Precisions that the CPU provider emulates in floating point, and the note about it."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.bundle import Pipeline

EMULATED_PRECISION = "w8a16"  # the CPU provider has no integer kernels for it
_NOTE = (
    "w8a16 is made for NPUs: the CPU provider computes {what} in float32 with every number on its 16-bit grid, so the "
    "results are those of the quantized model, but speed and memory are not."
)


def is_emulated(pipeline: Pipeline, session: str, provider: str) -> bool:
    """Whether the provider rounds the session's numbers to their grids and computes in floating point."""
    return provider == "cpu" and pipeline.metadata.precision_of(session) == EMULATED_PRECISION


def emulation_note(pipeline: Pipeline, providers: Mapping[str, str]) -> str:
    """The note for the person, naming the sessions where only some are emulated; empty where none is.

    providers: session → its provider's name.
    """
    emulated = [name for name, provider in providers.items() if is_emulated(pipeline, name, provider)]
    if not emulated:
        return ""
    return _NOTE.format(what="it" if len(emulated) == len(providers) else f"{' and '.join(emulated)}")
