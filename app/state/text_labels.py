"""Texts classified, or ranked for a query, by a bundle that gives labels.

label(lines, query) ──LabelTexts──▶ LabelsReport
"""

from __future__ import annotations

from app.state.text_task import TextTask
from workflows.wire.reports.labels import LabelsReport
from workflows.wire.requests import LabelTexts


class TextLabels(TextTask[LabelTexts, LabelsReport]):
    """Classifies texts with one bundle at a time."""

    def label(self, text: str, query: str = "") -> bool:
        """Classifies the lines of a text, or ranks them for a query; returns False where `problem` says why not."""
        return self._send(text, lambda lines: LabelTexts(self.bundle, lines, query.strip()))
