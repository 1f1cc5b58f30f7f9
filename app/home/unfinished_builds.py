"""Unfinished builds on the Home page, each with buttons to resume or discard it."""

from __future__ import annotations

from app.state.context import AppContext
from app.state.unfinished_builds import UnfinishedBuild
from app.text.formatting import format_local_time
from app.widgets.basics import CardFrame, ElidedLabel, PillLabel, Section, button, label
from app.widgets.layouts import hbox, vbox
from app.widgets.theme import G


class UnfinishedRow(CardFrame):
    """One build: its source, time and progress. Discarding deletes files, so it asks for confirmation."""

    def __init__(self, context: AppContext, entry: UnfinishedBuild) -> None:
        super().__init__()
        self.entry, self._context = entry, context
        self.setAccessibleName(entry.name)
        head = hbox(label(entry.name, "heading"), PillLabel(self.tr("not finished"), "warning"), 1)
        self.status = ElidedLabel(self._status_text())
        self.resume = button(self.tr("Resume"), "refresh", "primary", self._resume)
        self.discard = button(self.tr("Discard"), "trash", clicked=self._discard)
        for part, verb in ((self.resume, self.tr("Resume {0}")), (self.discard, self.tr("Discard {0}"))):
            part.setAccessibleName(verb.format(entry.name))
        texts = vbox(head, self.status, spacing=G // 2)
        self.body.addLayout(hbox((texts, 1), self.resume, self.discard, spacing=2 * G))

    def _status_text(self) -> str:
        done = ", ".join(self.entry.stages)
        far = self.tr("finished so far: {0}").format(done) if done else self.tr("no stage was finished")
        return " · ".join((self.entry.source, self.tr("begun {0}").format(format_local_time(self.entry.began)), far))

    def _resume(self) -> None:
        self._context.unfinished.resume(self.entry)
        self._context.navigate.emit("build")  # another running build is shown there, too

    def _discard(self) -> None:
        sure = self.tr("Delete what was made?")
        if self.discard.text() != sure:
            self.discard.setText(sure)
            self.discard.setAccessibleName(sure)
        else:
            self._context.unfinished.discard(self.entry.out)


class UnfinishedSection(Section):
    """Hidden if there is no unfinished build."""

    def __init__(self, context: AppContext) -> None:
        super().__init__("")
        self.heading.setText(self.tr("Unfinished builds"))
        self._context = context
        self.rows: list[UnfinishedRow] = []
        context.unfinished.changed.connect(self.refresh)
        context.build.finished.connect(self.refresh)
        self._fill()
        if not self.rows:  # stays hidden without rows: before it has a parent, it would be a window
            self.hide()

    def refresh(self) -> None:
        """Update the list."""
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
