"""What a bundle takes of this machine's memory, as a sentence."""

from __future__ import annotations

from app.text.formatting import format_bytes, pluralize
from app.text.translatable import tr
from workflows.wire.reports.memory import MemoryFit


def memory_text(memory: MemoryFit) -> str:
    """The weights, a token's keys and values, the free memory, and how many tokens fit."""
    weights = tr("weights {0}").format(format_bytes(memory.weights_bytes + memory.mapped_bytes))
    if memory.mapped_bytes:
        weights = tr("weights {0}, of which {1} stay in their file").format(
            format_bytes(memory.weights_bytes + memory.mapped_bytes), format_bytes(memory.mapped_bytes)
        )
    parts = [weights]
    if memory.kv_bytes_per_token:
        parts.append(tr("KV cache {0} per token").format(format_bytes(memory.kv_bytes_per_token)))
    parts.append(tr("{0} free").format(format_bytes(memory.free_bytes)))
    if memory.tokens is not None:
        parts.append(pluralize(memory.tokens, tr("1 token fits"), tr("{0} tokens fit")))
    return " · ".join(parts)
