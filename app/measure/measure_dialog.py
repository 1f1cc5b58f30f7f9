"""A dialog whose form starts a measurement; progress and failures are shown alike in all of them."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar

from app.jobs.one_shot_worker import ReportModel
from app.measure.request_form import RequestForm
from app.widgets.basics import Banner
from app.widgets.work_dialog import WorkDialog


class MeasureDialog(WorkDialog):
    """Subclasses make `model`, `form`, `bar` and `banner`, and call `show_work` when the model changes."""

    model: ReportModel
    form: RequestForm
    bar: QProgressBar
    banner: Banner

    def show_work(self, stopped: str) -> None:
        """Shows how far it is, or why there is no result. stopped: what is said of a measurement that was stopped."""
        model = self.model
        self.form.set_running(model.running)
        self.bar.setVisible(model.running)
        self.bar.setRange(0, 1000 if model.share else 0)
        self.bar.setValue(round(1000 * model.share))
        if model.state == "failed" and model.error is not None:
            self.banner.error(model.error.message, model.error.details)
        elif model.state == "cancelled":
            self.banner.show_message("info", stopped)
