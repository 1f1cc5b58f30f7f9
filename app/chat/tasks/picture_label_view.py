"""The page of a bundle that gives labels to pictures: pictures to drop, and a table of labels.

files ──send──▶ LabeledPictures ──changed──▶ table, problem
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.chat.tasks.pictures_panel import PicturesPanel
from app.chat.tasks.result_table import Cell, ResultTable
from app.state.picture_task import LabeledPictures
from app.text.engine_text import translate_engine_text
from app.text.formatting import pluralize
from app.widgets import label
from app.widgets.actions import add_action
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.layouts import splitter, vbox
from app.widgets.theme import G

_OF_EACH = 5  # labels of a picture where there are several


class PictureLabelView(QWidget):
    """Shows what `model` has; figures are of its bundle, and of the pictures that were read."""

    def __init__(self, model: LabeledPictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.heading = label("", "heading")
        self.summary = label("", "muted", wrap=True)
        tip = self.tr("Gives the pictures to the model")
        self.pictures = PicturesPanel(model, self.tr("Classify"), tip, self.tr("Labels are computed"))
        self.result = ResultTable(self.tr("Labels of the pictures"), self.tr("The labels appear here."))
        self.note = label("", "warning", wrap=True)
        right = QWidget()
        vbox((self.result, 1), self.note, margins=(G, 0, 0, 0), parent=right)
        halves = splitter(Qt.Orientation.Horizontal, (self.pictures, 2), (right, 3))
        halves.setHandleWidth(1)
        head = vbox(self.heading, self.summary, spacing=G // 2)
        vbox(head, (halves, 1), margins=2 * G, spacing=2 * G, parent=self)
        self.overlay = BannerOverlay(self, self.pictures.banner)
        model.changed.connect(self._show_report)
        self.result.failed.connect(self.pictures.banner.error)
        self.pictures.started.connect(self._send)
        add_action(self, self.tr("Choose pictures"), self.pictures.choose_files)
        add_action(self, self.tr("Classify the pictures"), self._send)
        add_action(self, self.tr("Copy the labels as TSV"), self.result.copy)
        self._show_report()

    def set_bundle(self, bundle: Mapping[str, Any], title: str) -> None:
        """Shows the page of a bundle, by its summary; the pictures stay, figures of another bundle go."""
        self.heading.setText(self.tr("Classify pictures with {0}").format(title))
        self.model.set_bundle(str(bundle["path"]))

    def _send(self) -> None:
        self.model.send(self.pictures.files)

    def _show_report(self) -> None:
        report, request = self.model.report, self.model.request
        self.note.hide()
        if report is None or request is None:
            self.summary.setText(
                self.tr("This bundle gives a picture one of its labels: drop a picture, or choose one.")
            )
            self.result.clear()
            return
        read = pluralize(len(request.pictures), self.tr("1 picture read"), self.tr("{0} pictures read"))
        self.summary.setText(f"{read} · {self.tr('on {0}').format(request.provider)}")
        notes = [*map(translate_engine_text, report.notes[:5])]
        self.note.setText("\n".join(notes + ["…"] * (len(report.notes) > 5)))
        self.note.setVisible(bool(report.notes))
        most = None if len(request.pictures) == 1 else _OF_EACH
        rows = [
            (Path(path).name, str(place), one.label, Cell.of(one.score))
            for path, labels in zip(request.pictures, report.labels, strict=True)
            for place, one in enumerate(labels[:most], 1)
        ]
        headings = [self.tr("Picture"), self.tr("Rank"), self.tr("Label"), self.tr("Probability")]
        self.result.show_rows(headings, rows, numbers=(1, 3), wide=2)
