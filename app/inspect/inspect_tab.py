"""What the tabs of the inspect page have in common."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.state.inspection import Inspection
from workflows.wire.reports.inspection import ComponentReport


class InspectTab(QWidget):
    """What every tab of the inspect page can be told; one that has nothing to show of it stays as it is."""

    def fill(self, found: Inspection | None) -> None:
        """Shows what is the same for every component of another inspection; None where nothing could be read."""

    def choose(self, component: ComponentReport) -> None:
        """Shows what is known of another component of that inspection."""
