"""The base class of reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Report:
    """The answer of a job."""


@dataclass
class Done(Report):
    """The answer of a job without a result."""
