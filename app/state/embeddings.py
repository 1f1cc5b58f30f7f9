"""Texts compared by a bundle that makes vectors.

compare(lines, search) ──Embed──▶ EmbedReport
"""

from __future__ import annotations

from typing import Any, cast, get_args, get_type_hints

from app.state.text_task import TextTask
from workflows.wire.reports.embeddings import EmbedReport
from workflows.wire.requests import Embed

TABLE_LINES = 200
"""The most lines with a table of each two."""
POOLINGS: tuple[str, ...] = get_args(get_args(get_type_hints(Embed)["pooling"])[0])
"""The poolings to choose from, where a bundle states none."""


class Embeddings(TextTask[Embed, EmbedReport]):
    """Compares texts with one bundle at a time."""

    def compare(self, text: str, search: str = "", pooling: str = "") -> bool:
        """Compares the lines of a text, and ranks them by a search; returns False where `problem` says why not."""
        query = search.strip()

        def make(lines: tuple[str, ...]) -> Embed:
            table = 1 < len(lines) <= TABLE_LINES
            return Embed(self.bundle, lines, query=query, table=table, pooling=cast(Any, pooling or None))

        alone = self.tr("There is one line alone: paste a second one to compare it with, or search.")
        return self._send(text, make, 1 if query else 2, alone)
