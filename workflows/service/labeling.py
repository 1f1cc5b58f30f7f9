"""Texts classified or ranked by one bundle, which stays open between requests.

LabelTexts ──bundle──▶ Classifier ──classify, or rank for a query──▶ LabelsReport
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workflows.wire.reports.labels import LabelsReport, ScoredLabel, ScoredSpan
from workflows.wire.requests import LabelTexts

if TYPE_CHECKING:
    from workflows.predict import Classifier


class LabelingService:
    """Keeps the last bundle open."""

    def __init__(self) -> None:
        self._key: tuple[str, str, str] | None = None
        self._classifier: Classifier | None = None

    def label(self, request: LabelTexts, cancelled: Callable[[], bool]) -> LabelsReport:
        """Raises PromptError that names the wrong text, Cancelled, and what open_classifier and rank raise."""
        classifier = self._open(request)
        if request.query:
            ranked = sorted(
                classifier.rank(request.query, request.texts, cancelled=cancelled), key=lambda one: one.index
            )
            scores, tokens = [round(one.score, 4) for one in ranked], [one.tokens for one in ranked]
            return LabelsReport([], [], scores, tokens, [one.note for one in ranked if one.note])
        found = classifier.classify(request.texts, cancelled)
        labels = [[ScoredLabel(one.label, round(one.score, 4)) for one in text.labels] for text in found]
        spans = [
            [ScoredSpan(one.label, round(one.score, 4), one.start, one.end, one.text) for one in text.spans]
            for text in found
        ]
        return LabelsReport(
            labels=[] if classifier.by_token else labels,
            spans=spans if classifier.by_token else [],
            ranking=[],
            tokens=[one.tokens for one in found],
            notes=[one.note for one in found if one.note],
        )

    def _open(self, request: LabelTexts) -> Classifier:
        """The classifier of a bundle as it is now: one that was built anew is opened again."""
        from workflows.bundle import read_bundle
        from workflows.predict import open_classifier

        key = (request.bundle, read_bundle(request.bundle).digest, request.provider)
        if key != self._key or self._classifier is None:
            self._key, self._classifier = None, None  # two models are never in memory at once
            self._classifier, self._key = open_classifier(request.bundle, request.provider), key
        return self._classifier
