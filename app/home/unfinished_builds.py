"""Home: builds that were begun and are not done, each with a way on and a way out."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.state.context import AppContext
from app.state.unfinished_builds import UnfinishedBuild
from app.text.formatting import format_local_time
from app.widgets.basics import CardFrame, ElidedLabel, PillLabel, Section, button, label
from app.widgets.theme import G


class UnfinishedRow(CardFrame):
    """One build: what, since when, how far. Discarding deletes what was made, so that it asks once more."""

    def __init__(self, context: AppContext, entry: UnfinishedBuild) -> None:
        super().__init__()
        self.entry, self._context = entry, context
        self.setAccessibleName(entry.name)
        head = QHBoxLayout()
        head.setSpacing(G)
        head.addWidget(label(entry.name, "heading"))
        head.addWidget(PillLabel(self.tr("not finished"), "warning"))
        head.addStretch(1)
        words = QVBoxLayout()
        words.setSpacing(G // 2)
        words.addLayout(head)
        self.told = ElidedLabel(self._words())
        words.addWidget(self.told)
        self.resume = button(self.tr("Resume"), "refresh", "primary", self._resume)
        self.discard = button(self.tr("Discard"), "trash", clicked=self._discard)
        for part, verb in ((self.resume, self.tr("Resume {0}")), (self.discard, self.tr("Discard {0}"))):
            part.setAccessibleName(verb.format(entry.name))
        row = QHBoxLayout()
        row.setSpacing(2 * G)
        row.addLayout(words, 1)
        row.addWidget(self.resume)
        row.addWidget(self.discard)
        self.body.addLayout(row)

    def _words(self) -> str:
        done = ", ".join(self.entry.stages)
        far = self.tr("finished so far: {0}").format(done) if done else self.tr("no stage was finished")
        return " · ".join((self.entry.source, self.tr("begun {0}").format(format_local_time(self.entry.began)), far))

    def _resume(self) -> None:
        self._context.unfinished.resume(self.entry)
        self._context.navigate.emit("build")  # also where another build runs: it is shown there

    def _discard(self) -> None:
        sure = self.tr("Delete what was made?")
        if self.discard.text() != sure:
            self.discard.setText(sure)
            self.discard.setAccessibleName(sure)
        else:
            self._context.unfinished.discard(self.entry.out)


class UnfinishedSection(Section):
    """Hidden while there is none."""

    def __init__(self, context: AppContext) -> None:
        super().__init__("")
        self.heading.setText(self.tr("Unfinished builds"))
        self._context = context
        self.rows: list[UnfinishedRow] = []
        context.unfinished.changed.connect(self.refresh)
        context.build.finished.connect(self.refresh)
        self._fill()
        if not self.rows:  # and not shown otherwise: before it has a place it would be a window of its own
            self.hide()

    def refresh(self) -> None:
        """The list anew."""
        self._fill()
        self.setVisible(bool(self.rows))

    def _fill(self) -> None:
        for old in self.rows:
            self.body.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.rows = [UnfinishedRow(self._context, entry) for entry in self._context.unfinished.entries]
        for row in self.rows:
            self.body.addWidget(row)
