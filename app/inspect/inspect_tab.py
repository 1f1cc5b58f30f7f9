"""The base class of the tabs of the inspect page."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.state.inspection import Inspection
from workflows.wire.reports.inspection import ComponentReport


class InspectTab(QWidget):
    """A tab of the inspect page; each tab overrides what it needs."""

    def set_inspection(self, inspection: Inspection | None) -> None:
        """Shows the facts of another inspection; None where nothing could be read."""

    def set_component(self, component: ComponentReport) -> None:
        """Shows another component of the inspection."""
