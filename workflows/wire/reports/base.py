"""What all reports are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Report:
    """The answer of a job that has one answer."""


@dataclass
class Done(Report):
    """It is done, and there is nothing more to say."""
