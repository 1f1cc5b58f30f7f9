"""The page of a bundle that estimates depths: a picture to drop, and its depths beside it, in colours.

file ──send──▶ Depths ──changed──▶ two pictures, what the numbers mean, problem
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.chat.tasks.pictures_panel import PicturesPanel
from app.state.picture_task import Depths
from app.text.engine_text import translate_engine_text
from app.text.formatting import format_figures, format_number
from app.widgets import label
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.basics import button
from app.widgets.file_suffix import suggested_file, with_file_suffix
from app.widgets.fitted_picture import FittedPicture
from app.widgets.layouts import hbox, splitter, vbox
from app.widgets.theme import G
from workflows.common.errors import describe_os_error
from workflows.common.files import write_atomically


class DepthView(QWidget):
    """Shows what `model` has; figures are of its bundle, and of the picture that was read."""

    def __init__(self, model: Depths, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.heading = label("", "heading")
        self.summary = label("", "muted", wrap=True)
        tip = self.tr("Gives the picture to the model")
        self.pictures = PicturesPanel(
            model, self.tr("Estimate depth"), tip, self.tr("Depths are computed"), single=True
        )
        self.before = FittedPicture(self.tr("The picture"), self.tr("The picture appears here."))
        self.after = FittedPicture(self.tr("The depths in colours"), self.tr("Its depths appear here."))
        self.legend = label("", "muted", wrap=True)
        self.note = label("", "warning", wrap=True)
        self.copies = button(self.tr("Copy picture"), "copy", "", self.copy, self.tr("Copies the depths in colours"))
        self.saves = button(self.tr("Save …"), "save", "", self.choose_file, self.tr("As a picture or as numbers"))
        self._arrange()
        model.changed.connect(self._show_report)
        self.pictures.started.connect(self._send)
        add_action(self, self.tr("Choose pictures"), self.pictures.choose_files)
        add_action(self, self.tr("Estimate the depths"), self._send)
        add_action(self, self.tr("Copy the depths as a picture"), self.copy)
        add_action(self, self.tr("Save the depths"), self.choose_file)
        self._show_report()

    def _arrange(self) -> None:
        right = QWidget()
        shown = hbox((self.before, 1), (self.after, 1))
        foot = hbox((self.legend, 1), self.copies, self.saves)
        vbox((shown, 1), self.note, foot, margins=(G, 0, 0, 0), parent=right)
        halves = splitter(Qt.Orientation.Horizontal, (self.pictures, 1), (right, 3))
        halves.setHandleWidth(1)
        head = vbox(self.heading, self.summary, spacing=G // 2)
        vbox(head, (halves, 1), margins=2 * G, spacing=2 * G, parent=self)
        self.overlay = BannerOverlay(self, self.pictures.banner)

    def set_bundle(self, bundle: Mapping[str, Any], title: str) -> None:
        """Shows the page of a bundle, by its summary; the picture stays, depths of another bundle go."""
        self.heading.setText(self.tr("Estimate depths with {0}").format(title))
        self.model.set_bundle(str(bundle["path"]))

    def _send(self) -> None:
        self.model.send(self.pictures.files)

    def _show_report(self) -> None:
        report, request = self.model.report, self.model.request
        for part in (self.copies, self.saves):
            part.setEnabled(report is not None)
        self.note.setVisible(report is not None and bool(report.notes))
        if report is None or request is None:
            self.summary.setText(self.tr("This bundle estimates how far things are: drop a picture, or choose one."))
            self.legend.setText("")
            for picture in (self.before, self.after):
                picture.show_file("")
            return
        size = f"{format_number(report.width)} × {format_number(report.height)}"
        text = self.tr("{0} · {1} pixels · on {2}")
        self.summary.setText(text.format(Path(request.picture).name, size, request.provider))
        low, high = format_figures(report.lowest), format_figures(report.highest)
        metres = self.tr("From {0} m (dark) to {1} m (light)")
        nearness = self.tr("Light is near, dark is far; the numbers ({0} to {1}) have no unit")
        self.legend.setText((metres if report.unit == "metres" else nearness).format(low, high))
        self.note.setText("\n".join(map(translate_engine_text, report.notes)))
        if not self.model.running:
            self.before.show_file(request.picture)
            self.after.show_file(report.colors)

    def copy(self) -> None:
        """Copies the depths in colours."""
        if not self.after.image.isNull():
            QGuiApplication.clipboard().setImage(self.after.image)

    def choose_file(self) -> None:
        """Asks for a file and writes the depths into it."""
        if (report := self.model.report) is None:
            return
        kinds = {
            self.tr("Picture in colours (*.png)"): report.colors,
            self.tr("Grey picture of 16 bits (*.png)"): report.grey,
            self.tr("Numbers for numpy (*.npy)"): report.numbers,
        }
        start = suggested_file("depth.png")
        name, kind = QFileDialog.getSaveFileName(self, self.tr("Save the depths"), start, ";;".join(kinds))
        if name:
            source = Path(kinds.get(kind, report.colors))
            self.save(source, with_file_suffix(name, source.suffix))

    def save(self, source: Path, path: Path) -> None:
        """Writes a copy of one of the report's files."""
        try:
            write_atomically(path, source.read_bytes())
        except OSError as error:
            self.pictures.banner.error(translate_engine_text(describe_os_error(error)))
