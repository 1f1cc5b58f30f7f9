"""What of this machine's memory a bundle takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class MemoryFit:
    """weights_bytes: that opening copies into memory. mapped_bytes: weights that stay in their file's pages.

    kv_bytes_per_token: of keys and values. free_bytes: before opening. tokens: that fit into what is left, within the
    limits of graphs and model; None for a bundle without a cache. capacity: of the bundle itself, in tokens.
    """

    weights_bytes: int
    mapped_bytes: int
    kv_bytes_per_token: int
    free_bytes: int
    tokens: int | None
    capacity: int
