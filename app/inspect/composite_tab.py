"""The composite tab: the picture of how a bundle's components run together, and its export as SVG.

Inspection.composite ──lay_out──▶ CompositeView;   ActiveRun ──▶ highlighted boxes and lines
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.composite.composite_view import ZOOM_STEP, CompositeView, composite_labels
from app.inspect.inspect_tab import InspectTab
from app.state.active_run import STARTED, ActiveRun
from app.state.inspection import Inspection
from app.widgets import Banner, ElidedLabel, EmptyState, PillLabel, button
from app.widgets.actions import add_action, tool_button
from app.widgets.banner_overlay import BannerOverlay
from app.widgets.file_suffix import with_file_suffix
from app.widgets.layouts import hbox, stack, vbox
from app.widgets.theme import G
from workflows.common.errors import RequestError
from workflows.common.paths import make_folder
from workflows.inspection.picture.drawing import TINTS, CompositeDrawing
from workflows.inspection.picture.layout import lay_out
from workflows.inspection.picture.svg import write_picture
from workflows.wire.reports.composite import Composite


class CompositeTab(InspectTab):
    """The picture of a composite. `opened`: see CompositeView. folder: where pictures are saved by default."""

    opened = Signal(object)

    def __init__(self, active_run: ActiveRun, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self.drawing: CompositeDrawing | None = None
        self._active_run, self._bundle = active_run, ""
        self._composite: Composite | None = None
        self.banner = Banner()
        self.view = CompositeView()
        self.view.opened.connect(self.opened)
        self.running = PillLabel()
        self.save_button = button(self.tr("Save picture …"), "save", clicked=self.choose_save_file)
        self.empty = EmptyState(
            self.tr("No picture"), self.tr("The file does not say how these graphs run together."), icon="component"
        )
        self.stack = stack(self.empty, self.view)
        self._lay_out()
        self.setFocusProxy(self.view)
        add_action(self, self.tr("Composite: save the picture …"), self.choose_save_file)
        active_run.changed.connect(self._refresh_run)
        self.show_composite(None, "")

    def _lay_out(self) -> None:
        out = tool_button("minus", self.tr("Smaller (-)"), "muted", lambda: self.view.zoom(1 / ZOOM_STEP))
        fit = tool_button("zoom", self.tr("Fit the whole picture (0)"), "muted", self.view.fit)
        into = tool_button("plus", self.tr("Larger (+)"), "muted", lambda: self.view.zoom(ZOOM_STEP))
        hint = ElidedLabel(self.tr("Click a session to open its graph, or a state to open the KV cache."))
        row = hbox((hint, 1), self.running, out, fit, into, self.save_button)
        vbox(row, (self.stack, 1), parent=self, margins=(G, G, 0, 0))
        self.overlay = BannerOverlay(self, self.banner, area=self.stack)

    def set_inspection(self, inspection: Inspection | None) -> None:
        self.show_composite(inspection.composite if inspection else None, inspection.bundle if inspection else "")

    def show_composite(self, composite: Composite | None, bundle: str) -> None:
        """Shows another composite. bundle: its folder, empty for a single graph."""
        self._composite, self._bundle = composite, bundle
        self.drawing = lay_out(composite, composite_labels(self)) if composite else None
        self.banner.clear()
        self.view.show_drawing(self.drawing)
        self.stack.setCurrentWidget(self.view if composite else self.empty)
        self.save_button.setEnabled(composite is not None)
        self._refresh_run()

    def _refresh_run(self) -> None:
        run = self._active_run.run_of(self._bundle)
        if run == STARTED:
            run = self._composite.runs[0] if self._composite and self._composite.runs else ""
        self.view.set_run(run)
        self.running.set(self.tr("Running: {0}").format(run) if run else "", TINTS.get(run, ""))
        self.running.setVisible(bool(run))

    # -- export ----------------------------------------------------------------------------------------------

    def choose_save_file(self) -> None:
        if self.drawing is None:
            return
        make_folder(self.folder)
        suggested = self.folder / f"{Path(self.drawing.name).name or 'composite'}.svg"
        name, _kind = QFileDialog.getSaveFileName(
            self, self.tr("Save the picture"), str(suggested), self.tr("Pictures (*.svg)")
        )
        if name:
            self.save(with_file_suffix(name, ".svg"))

    def save(self, path: Path) -> None:
        """Saves the picture as SVG, and reports the result in the banner."""
        assert self.drawing is not None  # the button is disabled otherwise
        try:
            write_picture(path, self.drawing, over=True)  # the dialog asked before overwriting
        except (OSError, RequestError) as error:
            self.banner.error(self.tr("The picture could not be saved: {0}").format(error))
            return
        self.banner.show_message("ok", self.tr("Saved to {0}.").format(path))
