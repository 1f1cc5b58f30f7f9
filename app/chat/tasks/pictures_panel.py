"""The left part of a page that gives pictures to a bundle: chosen or dropped files, examples, what becomes of them.

files ──started──▶ the page ──▶ PictureTask ──changed──▶ count, progress, Cancel, banner
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFileDialog, QToolButton, QWidget

from app.chat.attachments import AttachmentDrop, AttachmentRow, dropped_pictures
from app.chat.examples import shipped_files
from app.chat.tasks.task_panel import TaskPanel
from app.state.media_files import PICTURE_SUFFIXES, file_filter
from app.state.picture_task import PictureTask
from app.text.formatting import pluralize
from app.widgets.basics import button, label, scroll_area
from app.widgets.layouts import STRETCH, FlowLayout, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G

_EXAMPLE = 40
"""The edge of an example's picture, in pixels."""


class PicturesPanel(TaskPanel):
    """The files for `model`. single: the last one alone is read. `started` follows as soon as one is chosen."""

    def __init__(self, model: PictureTask[Any, Any], verb: str, tip: str, working: str, single: bool = False) -> None:
        super().__init__(model, verb, tip, working)
        self._single = single
        self.row = AttachmentRow()
        several = self.tr("Drop pictures here, or choose them")
        self.hint = label(self.tr("Drop a picture here, or choose one") if single else several, "drop", wrap=True)
        self.hint.setMinimumHeight(16 * G)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.choose = button(self.tr("Choose …"), "picture", "", self.choose_files, self.tr("Chooses picture files"))
        self.examples = [self._example(path) for path in shipped_files("vision-pictures", ".png")]
        self._arrange()
        AttachmentDrop(self, self)
        self.row.changed.connect(self.refresh)
        self.refresh()

    def _arrange(self) -> None:
        shown, examples = QWidget(), QWidget()
        vbox(self.row, self.hint, STRETCH, parent=shown)
        row = FlowLayout(examples)
        for one in self.examples:
            row.addWidget(one)
        tried = vbox(label(self.tr("Or try an example"), "muted"), examples, spacing=G // 2)
        actions = hbox(self.start, self.stop, self.choose, STRETCH)
        vbox((scroll_area(shown), 1), self.count, tried, actions, self.working, margins=(0, 0, G, 0), parent=self)

    def _example(self, path: Path) -> QToolButton:
        one, name = QToolButton(), self.tr("Use the picture {0}").format(path.stem)
        one.setIcon(QIcon(str(path)))
        one.setAutoRaise(True)
        one.setAccessibleName(name)
        set_tool_tip(one, name)
        one.setIconSize(QSize(_EXAMPLE, _EXAMPLE))
        one.clicked.connect(partial(self._use, path))
        return one

    def _use(self, path: Path, _checked: bool = False) -> None:
        self.show_files([str(path)])
        self.started.emit()

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the chosen pictures."""
        return self.row.files

    @property
    def content(self) -> str:
        """The chosen files, for the next start."""
        return "\n".join(self.files)

    def show_content(self, content: str) -> None:
        """Shows the files of an earlier start, of which nothing is computed before a person asks for it."""
        self.show_files([one for one in content.splitlines() if one])

    def show_files(self, files: Sequence[str]) -> None:
        """Replaces the chosen files."""
        self.row.show_files(files[-1:] if self._single else files)

    def choose_files(self) -> None:
        """Asks for picture files and reads them."""
        kinds = file_filter(self.tr("Pictures"), PICTURE_SUFFIXES)
        if self._single:
            name, _kind = QFileDialog.getOpenFileName(self, self.tr("Choose a picture"), "", kinds)
            names = [name] if name else []
        else:
            names, _kind = QFileDialog.getOpenFileNames(self, self.tr("Choose pictures"), "", kinds)
        self.add(names)

    def takes(self, data: QMimeData) -> bool:
        """Whether dropped data has picture files."""
        return bool(dropped_pictures(data))

    def take(self, data: QMimeData) -> None:
        """Reads dropped picture files, too."""
        self.add(dropped_pictures(data))

    def add(self, files: Sequence[str]) -> None:
        """Adds files and reads all; no files change nothing."""
        if files:
            self.show_files([*self.files, *files])
            self.started.emit()

    def show_count(self) -> None:
        self.hint.setVisible(not self.files)
        text = pluralize(len(self.files), self.tr("1 picture"), self.tr("{0} pictures"))
        if self.model.request is not None and self.files != _read(self.model.request):
            text += self.tr(" · changed since they were read")
        self.count.setText(text)
        self.count.setVisible(bool(self.files))


def _read(request: Any) -> tuple[str, ...]:
    """The files of a request."""
    return request.pictures if hasattr(request, "pictures") else (request.picture,)
