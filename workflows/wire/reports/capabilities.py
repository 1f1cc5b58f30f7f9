"""What a machine can do, and which well-known models fit it."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report
from workflows.wire.reports.devices import Device

FEWEST_TOKENS = 1024
"""With a shorter context than this a model does not count as one that fits."""


@dataclass
class PresetFit:
    """A model in one preset. bytes: of the weights. tokens: the context that fits the free memory, 0 where the weights
    alone do not; most_tokens: that fits with no other program running. tokens_per_s: of the last reply here, if any.
    """

    preset: str
    precision: str
    bytes: int
    kv_bytes_per_token: int
    tokens: int
    most_tokens: int
    tokens_per_s: float | None = None

    @property
    def fits(self) -> bool:
        """Whether it can be used with the memory that is free."""
        return self.tokens >= FEWEST_TOKENS

    @property
    def could_fit(self) -> bool:
        """Whether it can be used with all of the memory."""
        return self.most_tokens >= FEWEST_TOKENS


@dataclass
class ModelFit:
    """A well-known model. name: its id on the hub. max_positions: the longest text that it was made for.

    download_bytes: of its weights as published. build_memory_bytes: what a build in int4 takes.
    """

    name: str
    parameters: int
    max_positions: int
    download_bytes: int
    build_memory_bytes: int
    presets: list[PresetFit]


@dataclass
class CapabilitiesReport(Report):
    """processor: what its maker calls it. instructions: those that products of matrices use, by Linux's names.

    cores: that Joinery may use. devices: as of DevicesReport. models: the smallest first.
    """

    processor: str
    instructions: list[str]
    cores: int
    memory_bytes: int
    free_memory_bytes: int
    free_disk_bytes: int
    devices: list[Device]
    models: list[ModelFit]
