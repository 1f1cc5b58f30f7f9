"""What a bundle takes of the memory, in words."""

from __future__ import annotations

from app.text.memory import memory_text
from workflows.wire.reports.memory import MemoryFit


def test_of_all_kinds() -> None:
    copied = MemoryFit(440 << 20, 0, 224 << 10, 20 << 30, 91_000, 4096)
    assert memory_text(copied) == "weights 440 MiB · KV cache 224 KiB per token · 20.0 GiB free · 91,000 tokens fit"
    mapped = MemoryFit(1 << 20, 3 << 20, 0, 2 << 20, None, 0)
    assert memory_text(mapped) == "weights 4.0 MiB, of which 3.0 MiB stay in their file · 2.0 MiB free"
