"""Pictures given to a bundle that gives them labels, or estimates their depths.

files ──label──▶ LabelPictures ──▶ PictureLabelsReport      file ──estimate──▶ EstimateDepth ──▶ DepthReport
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTemporaryDir

from app.state.bundle_task import BundleTask, Report, Sent
from app.text.formatting import format_number
from workflows.wire.reports.pictures import DepthReport, PictureLabelsReport
from workflows.wire.requests import EstimateDepth, LabelPictures

MOST_PICTURES = 500
"""The most pictures of a request."""


class PictureTask(BundleTask[Sent, Report]):
    """Gives picture files to one bundle at a time."""

    def _problem_of(self, files: Sequence[str]) -> str:
        if not files:
            return self.tr("There is no picture: choose or drop one.")
        if len(files) > MOST_PICTURES:
            count, most = format_number(len(files)), format_number(MOST_PICTURES)
            return self.tr("There are {0} pictures, and at most {1} are read: choose fewer.").format(count, most)
        gone = next((file for file in files if not Path(file).is_file()), "")
        return self.tr("The picture {0} is missing: remove it, or put it back.").format(Path(gone).name) if gone else ""


class LabeledPictures(PictureTask[LabelPictures, PictureLabelsReport]):
    """Classifies pictures."""

    def send(self, files: Sequence[str]) -> bool:
        """Classifies the files; returns False where `problem` says why not."""
        return self._start(self._problem_of(files), lambda: LabelPictures(self.bundle, tuple(files)))


class Depths(PictureTask[EstimateDepth, DepthReport]):
    """Estimates the depths of the last picture; its files are in a folder that goes with this object."""

    _folder: QTemporaryDir | None = None

    def send(self, files: Sequence[str]) -> bool:
        """Estimates the depths of the last file; returns False where `problem` says why not."""
        problem = self._problem_of(files[-1:])
        if not problem and self._folder is None:
            self._folder = QTemporaryDir()
        folder = self._folder.path() if self._folder is not None else ""
        if not problem and not (self._folder is not None and self._folder.isValid()):
            problem = self.tr("There is no folder for temporary files: check the free space and the permissions.")
            self._folder = None
        return self._start(problem, lambda: EstimateDepth(self.bundle, files[-1], folder))
