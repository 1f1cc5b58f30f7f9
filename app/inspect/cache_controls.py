"""The controls of a session's cache: rewind it to a length, save it, load it.

session, inspected bundle, slot table ──▶ CacheAccess ──▶ CacheControls ──rewind, save_cache, load_cache──▶ session
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QSpinBox, QWidget

from app.state.bundle_session import BundleSession, SessionFailure
from app.state.inspection import SlotOccupancy
from app.text.cache_lengths import format_lengths
from app.text.formatting import format_number, pluralize
from app.widgets import Banner, CardFrame, button, label, set_role
from app.widgets.fields import add_token_unit, progress_bar
from app.widgets.file_suffix import with_file_suffix
from app.widgets.layouts import STRETCH, hbox
from app.widgets.session_choice import SessionChoice
from app.widgets.theme import G
from workflows.common.paths import make_folder

SUFFIX = ".safetensors"


class CacheAccess:
    """What can be done with the cache now: the session must be idle and of the inspected bundle.

    frozen_source: whether each prompt starts with an empty decoder. viewing: whether an earlier snapshot is shown.
    has_state: whether layers keep state of fixed size.
    """

    def __init__(self, session: BundleSession) -> None:
        self._session = session
        self.bundle = ""
        self.frozen_source = False
        self.table: SlotOccupancy | None = None
        self.viewing = False
        self.has_state = False

    @property
    def length(self) -> int:
        """Tokens in the cache."""
        return self.table.length if self.table else 0

    @property
    def is_own_session(self) -> bool:
        """Whether the session runs the inspected bundle."""
        return bool(self.bundle) and self._session.bundle == self.bundle

    @property
    def is_closed(self) -> bool:
        """Whether the inspected bundle has no open session."""
        return not self.is_own_session or self._session.state in ("closed", "failed")

    @property
    def can_load(self) -> bool:
        """Whether the cache may be changed now."""
        ready = self.is_own_session and self._session.state == "ready" and not self._session.cache.job
        return ready and not self.frozen_source

    @property
    def can_rewind(self) -> bool:
        """Whether the handle of the strips can be dragged."""
        known = self.table is not None and bool(self.table.rewindable) and self.table.length > 0
        return self.can_load and known and not self.viewing

    @property
    def can_save(self) -> bool:
        """Whether there are tokens to save."""
        return self.can_load and self.length > 0


class CacheControls(CardFrame):
    """Rewind, save and load, for the session of the inspected bundle; `changed` follows each change of `access`."""

    changed = Signal()
    openRequested = Signal()  # noqa: N815

    def __init__(self, session: BundleSession, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.session = session
        self.folder = folder
        self.access = CacheAccess(session)
        self._length = 0
        self._build()
        session.stateChanged.connect(self._refresh)
        session.opened.connect(self._follow_session)
        session.cache.jobChanged.connect(self._on_job)
        session.cache.done.connect(self._on_done)
        session.cache.failed.connect(self._on_failed)

    def _build(self) -> None:
        self.spin = add_token_unit(QSpinBox())
        self.spin.setGroupSeparatorShown(True)
        self.spin.setMinimumWidth(16 * G)
        self.spin.setAccessibleName(self.tr("Length to go back to"))
        self.spin.valueChanged.connect(self._refresh)
        self.rewind_button = button(self.tr("Rewind"), "undo", clicked=lambda: self.rewind(self.spin.value()))
        self.save_button = button(self.tr("Save…"), "save", clicked=self.choose_save_file)
        self.save_button.setAccessibleName(self.tr("Save the prompt cache"))
        self.load_button = button(self.tr("Load…"), "folder", clicked=self.choose_load_file)
        self.load_button.setAccessibleName(self.tr("Load a prompt cache"))
        self.open_button = button(self.tr("Open a session"), "play", clicked=self.openRequested.emit)
        self.choice = SessionChoice(self)
        self.choice.cache.setMinimumWidth(30 * G)
        self.legal = label("", "muted", wrap=True)
        self.note = label("", "muted", wrap=True)
        self.result = label("", "muted", wrap=True)
        self.progress = progress_bar(self.tr("The cache is being changed"))
        self.banner = Banner()
        openers = (self.open_button, self.choice.cache, self.choice.provider)
        row = hbox(self.spin, self.rewind_button, *openers, STRETCH, self.save_button, self.load_button)
        self.body.addLayout(row)
        lines: tuple[QWidget, ...] = (self.legal, self.progress, self.result, self.banner, self.note)
        for line in lines:
            self.body.addWidget(line)
        self.progress.hide()
        self.result.hide()
        self._refresh()

    # -- input from the tab ----------------------------------------------------------------------------------

    def set_bundle(self, path: str, frozen_source: bool) -> None:
        """Follows the inspected bundle; see CacheAccess."""
        if path != self.access.bundle:
            self.banner.clear()
            self._show_result("")
        self.access.bundle, self.access.frozen_source = path, frozen_source
        self._refresh()

    def set_default_layout(self, layout: str) -> None:
        """Offers the bundle's cache layout, and the options of the last session."""
        self.choice.set_built(layout)
        self._follow_session()

    def _follow_session(self, *_: object) -> None:
        if (last := self.session.request) is not None:
            self.choice.show_session(last.provider, last.cache)

    def set_table(self, table: SlotOccupancy | None, viewing: bool, has_state: bool = False) -> None:
        """Follows the live cache, None before there is one; see CacheAccess."""
        self.access.table, self.access.viewing, self.access.has_state = table, viewing, has_state
        length = self.access.length
        moved, self._length = length != self._length, length  # the table is updated in place, so its length is stored
        self.spin.setRange(0, length)
        if moved:
            self.spin.setValue(length)
        self._refresh()

    # -- operations ------------------------------------------------------------------------------------------

    def rewind(self, length: int) -> None:
        """Rewinds to `length` tokens; shows the engine's message where it refuses the length."""
        self.banner.clear()
        self._show_result("")
        self.session.cache.rewind(length)

    def choose_save_file(self) -> None:
        make_folder(self.folder)
        suggested = self.folder / f"{Path(self.access.bundle).name}-{self.access.length}-tokens{SUFFIX}"
        kinds = self.tr("Prompt caches (*{0})").format(SUFFIX)
        name, _kind = QFileDialog.getSaveFileName(self, self.tr("Save the prompt cache"), str(suggested), kinds)
        if name:
            self.save(with_file_suffix(name, SUFFIX))

    def choose_load_file(self) -> None:
        kinds = self.tr("Prompt caches (*{0})").format(SUFFIX)
        name, _kind = QFileDialog.getOpenFileName(self, self.tr("Load a prompt cache"), str(self.folder), kinds)
        if name:
            self.load(Path(name))

    def save(self, path: Path) -> None:
        self.banner.clear()
        self._show_result("")
        self.session.cache.save(path)

    def load(self, path: Path) -> None:
        self.banner.clear()
        self._show_result("")
        self.session.cache.load(path)

    # -- results ---------------------------------------------------------------------------------------------

    def _on_job(self, _job: str) -> None:
        self.progress.setVisible(self.access.is_own_session and bool(self.session.cache.job))
        self._refresh()

    def _on_done(self, job: str, subject: object) -> None:
        if not self.access.is_own_session:
            return
        if job == "rewind":
            assert isinstance(subject, int)
            one = self.tr("The cache holds 1 token again.")
            self._show_result(pluralize(subject, one, self.tr("The cache holds {0} tokens again.")))
        elif job == "save_cache":
            self._show_result(self.tr("Saved to {0}.").format(subject))
        else:
            one, many = self.tr("Loaded 1 token from {1}."), self.tr("Loaded {0} tokens from {1}.")
            self._show_result(pluralize(self.access.length, one, many, Path(str(subject)).name))

    def _on_failed(self, _job: str, failure: SessionFailure) -> None:
        if self.access.is_own_session:
            self.banner.error(failure.message, failure.details)

    def _show_result(self, text: str) -> None:
        self.result.setText(text)
        set_role(self.result, "ok" if text else "muted")
        self.result.setVisible(bool(text))

    def _refresh(self, *_: object) -> None:
        access, table, length = self.access, self.access.table, self.spin.value()
        legal = table is not None and table.can_rewind_to(length)
        another = table is not None and length != table.length
        self.spin.setEnabled(access.can_rewind)
        self.rewind_button.setEnabled(access.can_rewind and legal and another)
        self.save_button.setEnabled(access.can_save)
        self.load_button.setEnabled(access.can_load)
        closed = access.is_closed
        for part in (self.spin, self.rewind_button, self.save_button, self.load_button):
            part.setVisible(not access.frozen_source and not closed)
        for opener in (self.open_button, self.choice.cache, self.choice.provider):
            opener.setVisible(closed)
            opener.setEnabled(bool(access.bundle) and not self.session.busy)
        self.legal.setText(self._legal_text(table, length) if not closed else "")
        self.legal.setVisible(bool(self.legal.text()))
        self.note.setText(self._note_text(closed))
        self.changed.emit()

    def _legal_text(self, table: SlotOccupancy | None, length: int) -> str:
        if self.session.state == "generating":
            return self.tr("A reply is being generated: the cache can be changed after its end.")
        if self.access.frozen_source or table is None:
            return ""
        if not table.rewindable:
            return self.tr("The engine does not report the lengths to which this cache can be rewound.")
        named = format_lengths(table.rewindable)
        if table.can_rewind_to(length):
            return self.tr("Possible lengths: {0}.").format(named)
        text = self.tr("The cache cannot be rewound to {0}: those tokens are gone. Possible lengths: {1}.")
        if self.access.has_state:
            text = self.tr("The cache cannot be rewound to {0}: no state is kept for it. Possible lengths: {1}.")
        return text.format(format_number(length), named)

    def _note_text(self, closed: bool) -> str:
        if closed:
            return self.tr("An open session of this bundle shows its cache here, and can rewind, save and load it.")
        if self.access.frozen_source:
            return self.tr(
                "An encoder-decoder reads each source anew and starts with an empty decoder, so its cache cannot be "
                "rewound, saved or loaded between two runs."
            )
        return self.tr(
            "The chat's next turn reuses the cached beginning of its prompt, also from a loaded cache, and computes "
            "only the rest."
        )
