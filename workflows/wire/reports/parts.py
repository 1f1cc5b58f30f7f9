"""What installing a part of Joinery would do."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass
class PartReport(Report):
    """A part of Joinery. packages: name → version of what it needs. needed_bytes, free_bytes: of the disk of `folder`.

    sources: the indexes and folders that pip searches. cuda: whether torch may bring CUDA's libraries along.
    """

    part: str
    installed: bool
    packages: dict[str, str]
    folder: str
    needed_bytes: int
    free_bytes: int
    sources: list[str]
    cuda: bool
