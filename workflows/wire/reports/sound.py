"""A sound file, as a waveform shows it."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass
class SoundReport(Report):
    """seconds: its length. peaks: the loudest sample of each part of equal length, from 0 to 1."""

    seconds: float
    rate: int
    channels: int
    peaks: list[float]
