"""Validates a form while it is typed: its JSON at once, its meaning by a worker soon after.

text ──0.4 s──▶ JSON? ──▶ `checkRequested` ──a worker──▶ `answer` ──▶ `found`: "", or one sentence
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from app.chat.decoding.decoding_options import Form
from app.state.json_file import parse_json

SOON_MS = 400


@dataclass(frozen=True, slots=True)
class FormFinding:
    """The problem of a form, one sentence, and its character (-1 if unknown). Empty: no problem, if `sure`."""

    words: str = ""
    place: int = -1
    sure: bool = True


class FormCheck(QObject):
    """Validates one text at a time.

    `checkRequested` (kind, text) asks for a worker's result, which goes to `answer`.
    """

    checkRequested = Signal(str, str)  # noqa: N815
    found = Signal(object)  # Finding

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kind: Form | None = None
        self._text = ""
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._request_check)

    def look(self, kind: Form | None, text: str) -> None:
        """Validates another text; a problem of its JSON is reported at once."""
        self._kind, self._text = kind, text
        finding = self.json_finding()
        self.found.emit(finding)
        if kind is None or finding.words:
            self._soon.stop()
        else:
            self._soon.start()

    def answer(self, kind: str, text: str, problem: str) -> None:
        """Takes a worker's result; one about another text is ignored."""
        if (kind, text) == (self._kind, self._text):
            self.found.emit(FormFinding(problem))

    def json_finding(self) -> FormFinding:
        """The problem that is known without a worker."""
        if self._kind is None:
            return FormFinding()
        if not self._text.strip():
            return FormFinding(self.tr("There is nothing yet: write the form, or begin with an example."))
        if self._kind != "json_schema":
            return FormFinding(sure=False)
        try:
            schema = parse_json(self._text)
        except json.JSONDecodeError as error:
            words = self.tr("Line {0}, column {1}: {2}.").format(error.lineno, error.colno, error.msg)
            return FormFinding(words, error.pos)
        except ValueError as error:
            return FormFinding(str(error))
        if not isinstance(schema, (dict, bool)):
            return FormFinding(self.tr("A JSON schema is an object: { … }."))
        return FormFinding(sure=False)

    def _request_check(self) -> None:
        if self._kind is not None:
            self.checkRequested.emit(self._kind, self._text)
