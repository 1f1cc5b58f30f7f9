"""Texts compared by their vectors."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.wire.reports.base import Report


@dataclass
class EmbedReport(Report):
    """similarity: how vectors are compared (cosine, dot …); larger is always more similar. summary: how they are made.

    dimensions: of a vector. tokens: that the model read of each text. scores: each text with each; empty where no table
    was asked for. ranking: each text with the query; empty without one. notes: what was left out of texts. vectors: of
    each text, where they were asked for.
    """

    similarity: str
    summary: str
    dimensions: int
    tokens: list[int]
    scores: list[list[float]]
    ranking: list[float]
    notes: list[str]
    vectors: list[list[float]] = field(default_factory=list)
