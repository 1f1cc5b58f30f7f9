"""What a person does with a session's cache: go back to a length, save it, load it, walk through its history.

CacheControls ──rewind, save_cache, load_cache──▶ Session;   Scrubber ──moved(Snapshot or None)──▶ the strips
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QProgressBar, QSlider, QSpinBox, QWidget

from app.state.bundle_session import BundleSession, SessionFailure
from app.state.cache_history import CacheHistory, CacheSnapshot
from app.state.inspection import SlotTable
from app.text.formatting import format_number, pluralize
from app.widgets import Banner, CardFrame, button, label, set_role
from app.widgets.file_suffix import with_file_suffix
from app.widgets.plain_text import set_tool_tip
from app.widgets.session_choice import SessionChoice
from app.widgets.theme import G
from app.widgets.token_spin import add_token_unit
from workflows.common.paths import make_folder

SUFFIX = ".safetensors"


class CacheControls(CardFrame):
    """Rewind, save and load, for the session of the bundle that is inspected."""

    changed = Signal()  # what can be done is another
    openRequested = Signal()  # noqa: N815

    def __init__(self, session: BundleSession, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.session = session
        self.folder = folder
        self._bundle = ""
        self._frozen_source = False
        self._table: SlotTable | None = None
        self._viewing = False
        self._length = 0
        self._build()
        session.stateChanged.connect(self._refresh)
        session.opened.connect(self._follow)
        session.cacheJobChanged.connect(self._on_job)
        session.cacheDone.connect(self._on_done)
        session.cacheFailed.connect(self._on_failed)

    def _build(self) -> None:
        self.spin = add_token_unit(QSpinBox())
        self.spin.setGroupSeparatorShown(True)
        self.spin.setMinimumWidth(16 * G)
        self.spin.setAccessibleName(self.tr("Length to go back to"))
        self.spin.valueChanged.connect(self._refresh)
        self.rewind_button = button(self.tr("Rewind"), "undo", clicked=lambda: self.rewind(self.spin.value()))
        self.save_button = button(self.tr("Save…"), "save", clicked=self.ask_save)
        self.save_button.setAccessibleName(self.tr("Save the prompt cache"))
        self.load_button = button(self.tr("Load…"), "folder", clicked=self.ask_load)
        self.load_button.setAccessibleName(self.tr("Load a prompt cache"))
        self.open_button = button(self.tr("Open a session"), "play", clicked=self.openRequested.emit)
        self.choice = SessionChoice(self)
        self.choice.cache.setMinimumWidth(30 * G)
        self.legal = label("", "muted", wrap=True)
        self.note = label("", "muted", wrap=True)
        self.said = label("", "muted", wrap=True)
        self.progress = QProgressBar()
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("The cache is being changed"))
        self.banner = Banner()
        row = QHBoxLayout()
        row.setSpacing(G)
        row.addWidget(self.spin)
        row.addWidget(self.rewind_button)
        for opener in (self.open_button, self.choice.cache, self.choice.provider):
            row.addWidget(opener)
        row.addStretch(1)
        for part in (self.save_button, self.load_button):
            row.addWidget(part)
        self.body.addLayout(row)
        lines: tuple[QWidget, ...] = (self.legal, self.progress, self.said, self.banner, self.note)
        for line in lines:
            self.body.addWidget(line)
        self.progress.hide()
        self.said.hide()
        self._refresh()

    # -- what the tab says -----------------------------------------------------------------------------------

    def set_bundle(self, path: str, frozen_source: bool) -> None:
        """The bundle that is looked at; `frozen_source` where each prompt begins with an empty decoder."""
        if path != self._bundle:
            self.banner.clear()
            self._say("")
        self._bundle, self._frozen_source = path, frozen_source
        self._refresh()

    def offer(self, layout: str) -> None:
        """What a session is opened with unless another choice is made: what the last one was, which is the chat's."""
        self.choice.set_built(layout)
        self._follow()

    def _follow(self, *_: object) -> None:
        if (last := self.session.request) is not None:
            self.choice.follow(last.provider, last.cache)

    def set_table(self, table: SlotTable | None, viewing: bool) -> None:
        """The live cache, None before there is one; `viewing` while an earlier picture is shown."""
        self._table, self._viewing = table, viewing
        length = table.length if table else 0
        moved, self._length = length != self._length, length  # the table is one that goes on, so its length is kept
        self.spin.setRange(0, length)
        if moved:
            self.spin.setValue(length)
        self._refresh()

    # -- what can be done ------------------------------------------------------------------------------------

    @property
    def ours(self) -> bool:
        """Whether the session is that of the bundle which is looked at."""
        return bool(self._bundle) and self.session.bundle == self._bundle

    @property
    def idle(self) -> bool:
        """Whether the cache may be changed now."""
        ready = self.ours and self.session.state == "ready" and not self.session.cache_job
        return ready and not self._frozen_source

    @property
    def movable(self) -> bool:
        """Whether the handle on the strips may be dragged."""
        known = self._table is not None and bool(self._table.rewindable) and self._table.length > 0
        return self.idle and known and not self._viewing

    @property
    def can_save(self) -> bool:
        """Whether there is something to save."""
        return self.idle and self._table is not None and self._table.length > 0

    # -- doing it --------------------------------------------------------------------------------------------

    def rewind(self, length: int) -> None:
        """Goes back to `length` tokens; an illegal one is refused by the engine, and its sentence shown."""
        self.banner.clear()
        self._say("")
        self.session.rewind(length)

    def ask_save(self) -> None:
        """Asks where to."""
        make_folder(self.folder)
        length = self._table.length if self._table else 0
        draft = self.folder / f"{Path(self._bundle).name}-{length}-tokens{SUFFIX}"
        kinds = self.tr("Prompt caches (*{0})").format(SUFFIX)
        name, _kind = QFileDialog.getSaveFileName(self, self.tr("Save the prompt cache"), str(draft), kinds)
        if name:
            self.save(with_file_suffix(name, SUFFIX))

    def ask_load(self) -> None:
        """Asks which one."""
        kinds = self.tr("Prompt caches (*{0})").format(SUFFIX)
        name, _kind = QFileDialog.getOpenFileName(self, self.tr("Load a prompt cache"), str(self.folder), kinds)
        if name:
            self.load(Path(name))

    def save(self, path: Path) -> None:
        """Saves to a file."""
        self.banner.clear()
        self._say("")
        self.session.save_cache(path)

    def load(self, path: Path) -> None:
        """Loads from a file."""
        self.banner.clear()
        self._say("")
        self.session.load_cache(path)

    # -- what came of it -------------------------------------------------------------------------------------

    def _on_job(self, _job: str) -> None:
        self.progress.setVisible(self.ours and bool(self.session.cache_job))
        self._refresh()

    def _on_done(self, job: str, subject: object) -> None:
        if not self.ours:
            return
        if job == "rewind":
            assert isinstance(subject, int)
            one = self.tr("The cache holds 1 token again.")
            self._say(pluralize(subject, one, self.tr("The cache holds {0} tokens again.")))
        elif job == "save_cache":
            self._say(self.tr("Saved to {0}.").format(subject))
        else:
            length = self._table.length if self._table else 0
            loaded = pluralize(length, self.tr("Loaded 1 token from %1."), self.tr("Loaded {0} tokens from %1."))
            self._say(loaded.replace("%1", Path(str(subject)).name))

    def _on_failed(self, _job: str, failure: SessionFailure) -> None:
        if self.ours:
            self.banner.error(failure.message, failure.details)

    def _say(self, text: str) -> None:
        self.said.setText(text)
        set_role(self.said, "ok" if text else "muted")
        self.said.setVisible(bool(text))

    def _refresh(self, *_: object) -> None:
        table, length = self._table, self.spin.value()
        legal = table is not None and table.legal(length)
        another = table is not None and length != table.length
        self.spin.setEnabled(self.movable)
        self.rewind_button.setEnabled(self.movable and legal and another)
        self.save_button.setEnabled(self.can_save)
        self.load_button.setEnabled(self.idle)
        closed = not self.ours or self.session.state in ("closed", "failed")
        for part in (self.spin, self.rewind_button, self.save_button, self.load_button):
            part.setVisible(not self._frozen_source and not closed)
        for opener in (self.open_button, self.choice.cache, self.choice.provider):
            opener.setVisible(closed)
            opener.setEnabled(bool(self._bundle) and not self.session.busy)
        self.legal.setText(self._legal_text(table, length) if not closed else "")
        self.legal.setVisible(bool(self.legal.text()))
        self.note.setText(self._note_text(closed))
        self.changed.emit()

    def _legal_text(self, table: SlotTable | None, length: int) -> str:
        if self.session.state == "generating":
            return self.tr("A reply is being generated: the cache can be changed when it has ended.")
        if self._frozen_source or table is None:
            return ""
        if not table.rewindable:
            return self.tr("The engine does not say which lengths this cache can go back to.")
        ranges = [format_number(a) if a == b else f"{format_number(a)}–{format_number(b)}" for a, b in table.rewindable]
        named = self.tr(" and ").join(ranges)
        if table.legal(length):
            return self.tr("Lengths that it can go back to: {0}.").format(named)
        return self.tr("It cannot go back to {0}: its tokens are gone. It can go to {1}.").format(
            format_number(length), named
        )

    def _note_text(self, closed: bool) -> str:
        if closed:
            return self.tr("A session of this bundle shows its slots here, and can rewind, save and load them.")
        if self._frozen_source:
            return self.tr(
                "An encoder-decoder reads each source anew and its decoder begins empty, so between two runs there is "
                "nothing to go back to, to save or to load."
            )
        return self.tr(
            "The chat's next turn reuses what the cache holds of its beginning, a loaded cache too, and computes the "
            "rest: after a rewind only what was forgotten."
        )


class CacheHistorySlider(QWidget):
    """A slider over the pictures of the last generation; None is the cache as it is now."""

    moved = Signal(object)  # Snapshot or None

    def __init__(self, history: CacheHistory, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.history = history
        self.shown: CacheSnapshot | None = None
        self._began: CacheSnapshot | None = None
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(self.tr("Step of the generation"))
        set_tool_tip(self.slider, self.tr("Arrow keys walk through the steps of the last generation"))
        self.slider.setPageStep(10)
        self.where = label("", "muted", selectable=False)
        self.live = button(self.tr("Live"), "play", clicked=self.follow)
        set_tool_tip(self.live, self.tr("Show the cache as it is now"))
        row = QHBoxLayout(self)
        row.setContentsMargins(G, G, G, G)
        row.setSpacing(2 * G)
        row.addWidget(self.slider, 1)
        row.addWidget(self.where)
        row.addWidget(self.live)
        self.where.setMinimumWidth(26 * G)
        self.slider.valueChanged.connect(self._on_value)
        self.refresh()

    def follow(self) -> None:
        """Back to the cache as it is now."""
        was, self.shown = self.shown, None
        self.refresh()
        if was is not None:
            self.moved.emit(None)

    def refresh(self) -> None:
        """The history grew, or is another generation's: then the picture that is looked at is let go."""
        snapshots = self.history.snapshots
        began, self._began = self._began, snapshots[0] if snapshots else None
        if self.shown is not None and began is self._began:  # it may have been thinned out: one beside it is left
            self.shown = self._nearest(self.shown)
        place = next((i for i, one in enumerate(snapshots) if one is self.shown), -1)
        lost = self.shown is not None and place < 0
        if lost:
            self.shown = None
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(len(snapshots) - 1, 0))
        self.slider.setValue(place if place >= 0 else len(snapshots) - 1)
        self.slider.blockSignals(False)
        self._say()
        if lost:
            self.moved.emit(None)

    def _nearest(self, wanted: CacheSnapshot) -> CacheSnapshot:
        snapshots = self.history.snapshots
        if any(one is wanted for one in snapshots):
            return wanted
        return min(snapshots, key=lambda one: abs(one.step - wanted.step))

    def _on_value(self, place: int) -> None:
        snapshots = self.history.snapshots
        if not 0 <= place < len(snapshots):
            return
        self.shown = snapshots[place] if place < len(snapshots) - 1 else None
        self._say()
        self.moved.emit(self.shown)

    def _say(self) -> None:
        snapshots = self.history.snapshots
        self.live.setEnabled(self.shown is not None)
        if snapshots:
            text = self.describe(self.shown or snapshots[-1])
            self.where.setText(text if self.shown else self.tr("live · {0}").format(text))

    def describe(self, snapshot: CacheSnapshot) -> str:
        """A moment in words."""
        held = pluralize(snapshot.length, self.tr("1 token held"), self.tr("{0} tokens held"))
        what = {
            "before": self.tr("before it began"),
            "prefill": self.tr("prefill"),
            "decode": self.tr("step {0}").format(format_number(snapshot.step)),
            "rewind": self.tr("after a rewind"),
            "load": self.tr("after a load"),
        }[snapshot.moment]
        return f"{what} · {held}"
