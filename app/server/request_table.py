"""The requests as rows, newest first; a row that is selected stays so while others come and go.

ServerStatus.requests ──show──▶ rows that are added, changed or removed
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QHeaderView, QWidget

from app.text.formatting import format_duration, format_number
from app.text.translatable import tr
from app.widgets.tables import ReadOnlyTable, TextTableModel
from workflows.wire.reports.server import TIME_LIMIT, RequestKind, RequestState, ServedRequest

_ROOT = QModelIndex()
_TINTS: dict[RequestState, str] = {
    "waiting": "warning",
    "opening": "warning",
    "running": "decode",
    "done": "",
    "failed": "error",
    "cancelled": "muted",
}


def kind_text(kind: RequestKind) -> str:
    """A kind of requests, for people."""
    return {
        "chat": tr("chat"),
        "completion": tr("completion"),
        "embedding": tr("embeddings"),
        "rerank": tr("ranking"),
        "transcription": tr("transcription"),
    }[kind]


def state_text(request: ServedRequest) -> str:
    """What a request does."""
    if request.state == "running" and not request.tokens and request.kind in ("chat", "completion"):
        return tr("reads the prompt")
    if request.state == "failed" and request.reason == TIME_LIMIT:
        return tr("time limit")
    if request.state == "failed":
        return tr("failed: {0}").format(request.reason)
    return {
        "waiting": tr("waits"),
        "opening": tr("the bundle opens"),
        "running": tr("runs"),
        "done": tr("done"),
        "cancelled": tr("cancelled"),
    }[request.state]


class RequestTableModel(TextTableModel):
    """The rows of requests, by their number."""

    def __init__(self, parent: Any = None) -> None:
        headings = ("#", tr("State"), tr("Bundle"), tr("Kind"), tr("Prompt"), tr("Reply"), tr("tok/s"), tr("Duration"))
        super().__init__(headings, numbers=(0, 4, 5, 6, 7), parent=parent)
        self._numbers_shown = list[int]()
        self._providers: Mapping[str, str] = {}

    def show(self, requests: Sequence[ServedRequest], providers: Mapping[str, str]) -> None:
        """Shows these requests, the last one first. providers: bundle → the execution provider that runs it."""
        self._providers = providers
        newest = list(reversed(requests))
        wanted = [one.number for one in newest]
        rows, tints = list(self._rows), list(self._tints)
        for place in reversed([at for at, number in enumerate(self._numbers_shown) if number not in set(wanted)]):
            self.beginRemoveRows(_ROOT, place, place)
            del self._numbers_shown[place], rows[place], tints[place]
            self._rows, self._tints = list(rows), list(tints)
            self.endRemoveRows()
        for place, one in enumerate(newest):
            if place >= len(self._numbers_shown) or self._numbers_shown[place] != one.number:
                self.beginInsertRows(_ROOT, place, place)
                self._numbers_shown.insert(place, one.number)
                rows.insert(place, self._row(one))
                tints.insert(place, "")
                self._rows, self._tints = list(rows), list(tints)
                self.endInsertRows()
        self._rows, self._tints = [self._row(one) for one in newest], [_TINTS[one.state] for one in newest]
        if newest:
            self.dataChanged.emit(self.index(0, 0), self.index(len(newest) - 1, len(self.headings) - 1))

    def _row(self, one: ServedRequest) -> list[str]:
        cached = tr("{0} ({1} cached)").format(format_number(one.prompt_tokens), format_number(one.cached_tokens))
        return [
            format_number(one.number),
            state_text(one),
            f"{one.model} · {self._providers[one.model]}",
            kind_text(one.kind),
            cached if one.cached_tokens else format_number(one.prompt_tokens) if one.prompt_tokens else "–",
            format_number(one.tokens) if one.tokens else "–",
            format_number(one.tokens_per_s, 1) if one.tokens_per_s else "–",
            format_duration(one.seconds),
        ]


class RequestTable(ReadOnlyTable):
    """The table of requests."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.requests = RequestTableModel()
        super().__init__(self.requests, tr("Requests"), stretch=2, parent=parent)
        head, mode = self.horizontalHeader(), QHeaderView.ResizeMode
        for column, width in ((0, 56), (1, 136), (3, 104), (4, 128), (5, 72), (6, 72), (7, 96)):
            head.setSectionResizeMode(column, mode.Interactive)  # no measuring of all rows twice a second
            head.resizeSection(column, width)
