"""The first tab of a bundle: its composite as it runs, and the picture as a file.

Inspection.composite ──lay_out──▶ CompositeView;   Lights ──▶ the run that is under way
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.composite.composite_view import STEP, CompositeView
from app.composite.labels import composite_labels
from app.inspect.graph.stage_bar import tool_button
from app.inspect.inspect_tab import InspectTab
from app.state.active_run import STARTED, ActiveRun
from app.state.inspection import Inspection
from app.widgets import Banner, ElidedLabel, EmptyState, PillLabel, button
from app.widgets.actions import add_action
from app.widgets.file_suffix import with_file_suffix
from app.widgets.theme import G
from workflows.common.errors import RequestError
from workflows.common.paths import make_folder
from workflows.inspection.picture.drawing import TINTS, CompositeDrawing
from workflows.inspection.picture.layout import lay_out
from workflows.inspection.picture.svg import write_picture
from workflows.wire.reports.composite import Composite


class CompositeTab(InspectTab):
    """A composite, or why there is none."""

    opened = Signal(object)  # see CompositeView

    def __init__(self, lights: ActiveRun, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self.drawing: CompositeDrawing | None = None
        self._lights, self._bundle = lights, ""
        self._composite: Composite | None = None
        self.banner = Banner()
        self.view = CompositeView()
        self.view.opened.connect(self.opened)
        self.running = PillLabel()
        self.save_button = button(self.tr("Save picture …"), "save", clicked=self.ask_save)
        self.empty = EmptyState(
            self.tr("No picture"), self.tr("Nothing is known of how these graphs run together."), icon="component"
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.view)
        self._lay_out()
        self.setFocusProxy(self.view)
        add_action(self, self.tr("Composite: save the picture …"), self.ask_save)
        lights.changed.connect(self._refresh_run)
        self.show_composite(None, "")

    def _lay_out(self) -> None:
        out, fit, into = (
            tool_button("minus", self.tr("Smaller (-)")),
            tool_button("zoom", self.tr("Fit the whole picture (0)")),
            tool_button("plus", self.tr("Larger (+)")),
        )
        out.clicked.connect(lambda: self.view.zoom(1 / STEP))
        fit.clicked.connect(self.view.fit)
        into.clicked.connect(lambda: self.view.zoom(STEP))
        row = QHBoxLayout()
        row.setSpacing(G)
        row.addWidget(ElidedLabel(self.tr("A click on a session opens its graph, on a state the KV cache.")), 1)
        for part in (self.running, out, fit, into, self.save_button):
            row.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(G, G, 0, 0)
        column.setSpacing(G)
        column.addLayout(row)
        column.addWidget(self.banner)
        column.addWidget(self.stack, 1)

    def fill(self, found: Inspection | None) -> None:
        """Shows how the components of a bundle run together."""
        self.show_composite(found.composite if found else None, found.bundle if found else "")

    def show_composite(self, composite: Composite | None, bundle: str) -> None:
        """Shows another composite; bundle: its folder, empty for a graph alone."""
        self._composite, self._bundle = composite, bundle
        self.drawing = lay_out(composite, composite_labels(self)) if composite else None
        self.banner.clear()
        self.view.show_drawing(self.drawing)
        self.stack.setCurrentWidget(self.view if composite else self.empty)
        self.save_button.setEnabled(composite is not None)
        self._refresh_run()

    def _refresh_run(self) -> None:
        run = self._lights.run_of(self._bundle)
        if run == STARTED:
            run = self._composite.runs[0] if self._composite and self._composite.runs else ""
        self.view.set_run(run)
        self.running.set(self.tr("Running: {0}").format(run) if run else "", TINTS.get(run, ""))
        self.running.setVisible(bool(run))

    # -- the file --------------------------------------------------------------------------------------------

    def ask_save(self) -> None:
        """Asks where to."""
        if self.drawing is None:
            return
        make_folder(self.folder)
        draft = self.folder / f"{Path(self.drawing.name).name or 'composite'}.svg"
        name, _kind = QFileDialog.getSaveFileName(
            self, self.tr("Save the picture"), str(draft), self.tr("Pictures (*.svg)")
        )
        if name:
            self.save(with_file_suffix(name, ".svg"))

    def save(self, path: Path) -> None:
        """Saves the picture, and says how it went."""
        assert self.drawing is not None  # there is nothing to save otherwise, and the button is disabled
        try:
            write_picture(path, self.drawing, over=True)  # the dialog has asked
        except (OSError, RequestError) as error:
            self.banner.error(self.tr("The picture could not be saved: {0}").format(error))
            return
        self.banner.show_message("ok", self.tr("Saved to {0}.").format(path))
