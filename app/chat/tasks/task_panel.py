"""What the left parts of the pages have in common that give texts or pictures to a bundle: start, progress, Cancel.

started ──▶ the page ──▶ BundleTask ──changed──▶ count, progress, Cancel, banner
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.state.bundle_task import BundleTask
from app.widgets.basics import Banner, button, label
from app.widgets.fields import progress_bar


class TaskPanel(QWidget):
    """What is given to `model`, and what becomes of it; `banner` says why it was not read.

    verb: the text of the button; tip: what it does; working: what the progress is of. started: the page is to send what
    is given. Subclasses lay out the parts, and call `refresh` at the end.
    """

    started = Signal()

    def __init__(self, model: BundleTask[Any, Any], verb: str, tip: str, working: str) -> None:
        super().__init__()
        self.model = model
        self.banner = Banner()
        self.count = label("", "muted", selectable=False)
        self.start = button(verb, "", "primary", self.started.emit, tip)
        self.stop = button(self.tr("Cancel"), "stop", "", self.cancel, self.tr("Stops it (Esc)"))
        self.working = progress_bar(working, height=4)
        policy = self.working.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing moves when it begins
        self.working.setSizePolicy(policy)
        model.changed.connect(self.refresh)

    def rest(self) -> QWidget:
        """Where the focus goes when Cancel is pressed, which is hidden then."""
        return self.start

    def show_count(self) -> None:
        """Shows how much is given, and whether that was read last."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Stops a running request."""
        if self.model.running:
            self.rest().setFocus()
            self.model.cancel()

    def refresh(self) -> None:
        """Shows whether a request runs, and why the last one failed."""
        model = self.model
        self.stop.setVisible(model.running)
        self.working.setVisible(model.running)
        if model.problem:
            self.banner.show_message("warning", model.problem)
        elif model.error is not None:
            self.banner.error(model.error.message, model.error.details)
        else:
            self.banner.clear()
        self.show_count()
