"""Texts with the labels that a bundle gives them, or with their scores for a query."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.reports.base import Report


@dataclass(frozen=True)
class ScoredLabel:
    """A label with its probability; of a regression the number itself."""

    label: str
    score: float


@dataclass(frozen=True)
class ScoredSpan:
    """A part of a text with a label. start, end: in characters. score: the mean probability of its tokens' labels."""

    label: str
    score: float
    start: int
    end: int
    text: str


@dataclass
class LabelsReport(Report):
    """One of three lists has an entry for each text, in order; the others are empty.

    labels: those of the text, the most probable first. spans: its parts with a label. ranking: its score for the query.
    tokens: that the model read of each text. notes: what was left out of texts.
    """

    labels: list[list[ScoredLabel]]
    spans: list[list[ScoredSpan]]
    ranking: list[float]
    tokens: list[int]
    notes: list[str]
