"""The details tab: all other facts about a bundle or a graph, and the verification of the bundle's files."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.inspect.inspect_tab import InspectTab
from app.jobs.worker_client import WorkerClient
from app.state.inspection import Inspection
from app.text.formatting import format_bytes, format_local_time, pluralize
from app.widgets import CardFrame, button, label, scroll_area, set_role
from app.widgets.layouts import STRETCH, clear_layout, grid_layout, hbox, vbox
from app.widgets.theme import G, mono_font
from workflows.wire.reports.inspection import VerifyReport
from workflows.wire.requests import VerifyBundle


class DetailsTab(InspectTab):
    """Facts as selectable text, and a button that verifies every file."""

    def __init__(self, worker: WorkerClient, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._inspection: Inspection | None = None
        content = QWidget()
        tip = self.tr("Reads every file and compares it with the manifest")
        self.verify_button = button(self.tr("Verify files"), "ok", clicked=self.verify, tool_tip=tip)
        self.verified = label("", "muted", wrap=True)
        row = hbox(self.verify_button, (self.verified, 1), spacing=2 * G)
        self._facts = grid_layout(3 * G, G // 2, stretch=(1,))
        card = CardFrame()
        card.body.addLayout(self._facts)
        vbox(row, card, STRETCH, parent=content, margins=(G, 2 * G, G, 2 * G), spacing=2 * G)
        vbox(scroll_area(content), parent=self)

    def set_inspection(self, inspection: Inspection | None) -> None:
        self._inspection = inspection
        clear_layout(self._facts)
        for place, (name, value) in enumerate(self.facts(inspection) if inspection else ()):
            cell = label(value, "small", wrap=True)
            cell.setFont(mono_font())
            self._facts.addWidget(label(name, "muted"), place, 0, Qt.AlignmentFlag.AlignTop)
            self._facts.addWidget(cell, place, 1)
        self.verify_button.setVisible(inspection is not None and inspection.is_bundle)
        self.verified.setText("")

    def facts(self, inspection: Inspection) -> list[tuple[str, str]]:
        """Names and values in display order."""
        names = self._names()
        rows = [(self.tr("Path"), inspection.path)]
        rows += [(names.get(key, key), self._text(key, value)) for key, value in inspection.facts]
        fixed = sum(group.fixed_bytes for group in inspection.kv)
        if slots := inspection.kv_bytes - fixed:
            rows.append((self.tr("Cache, all slots"), format_bytes(slots)))
        if fixed:
            rows.append((self.tr("State of fixed size"), format_bytes(fixed)))
        known = {key for key, _ in inspection.facts}
        for key, value in inspection.metadata:
            if value and key not in known:
                rows.append((names.get(key, key), format_local_time(value) if key == "built_at" else value))
        return rows

    def _names(self) -> dict[str, str]:
        return {
            "model_type": self.tr("Model type"),
            "task": self.tr("Task"),
            "family": self.tr("Family"),
            "route": self.tr("Route"),
            "precision": self.tr("Precision"),
            "layout": self.tr("Cache layout"),
            "capacity": self.tr("Capacity"),
            "chunk": self.tr("Prefill chunk"),
            "bytes": self.tr("Size"),
            "producer": self.tr("Producer"),
            "name": self.tr("Name"),
            "source": self.tr("Source"),
            "architecture": self.tr("Architecture"),
            "vocabulary": self.tr("Vocabulary"),
            "built_at": self.tr("Built"),
            "warnings": self.tr("Warnings"),
        }

    def _text(self, key: str, value: Any) -> str:
        if key == "bytes":
            return format_bytes(value)
        if key in ("capacity", "chunk"):
            return pluralize(value, self.tr("1 token"), self.tr("{0} tokens"))
        return str(value)

    # -- verification ----------------------------------------------------------------------------------------

    def verify(self) -> None:
        if self._inspection is None or not self._inspection.is_bundle:
            return
        path = self._inspection.path
        self.verify_button.setEnabled(False)
        self._show_result(self.tr("Reading every file …"), "muted")
        job = self._worker.request(VerifyBundle(path))
        job.on_answer(lambda report: self._on_verified(path, report))
        job.on_error(lambda error: self._report(path, error.message, "error"))

    def _on_verified(self, path: str, report: VerifyReport) -> None:
        if report.ok:
            one, many = self.tr("The only file is unchanged"), self.tr("All {0} files are unchanged")
            whole = f"{pluralize(report.files, one, many)} ({format_bytes(report.bytes)})."
            self._report(path, "\n".join((whole, *report.doubts)), "warning" if report.doubts else "ok")
        else:
            self._report(path, "\n".join(f"{one.file}: {one.problem}" for one in report.problems), "error")

    def _report(self, path: str, text: str, role: str) -> None:
        """Shows the result for a bundle, unless another one is inspected by now."""
        self.verify_button.setEnabled(True)
        if self._inspection is not None and self._inspection.path == path:
            self._show_result(text, role)

    def _show_result(self, text: str, role: str) -> None:
        self.verified.setText(text)
        set_role(self.verified, role)
