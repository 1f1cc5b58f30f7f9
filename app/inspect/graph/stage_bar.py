"""The stages of a build as a slider, with the facts of the chosen stage and the menu of comparisons.

GraphModel.stages ──▶ slider and texts;   slider, keys, menu ──▶ GraphModel.go_stage, compare
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QSlider, QToolButton, QWidget

from app.state.graph_model import GraphModel
from app.state.inspection import distinct_names
from app.text.formatting import format_duration, format_figures, format_milliseconds, format_number, pluralize
from app.widgets import ElidedLabel, PillLabel, label
from app.widgets.actions import tool_button
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon
from workflows.wire.reports.graphs import GraphStage
from workflows.wire.requests import GraphReference

LONGEST = 40
"""Characters of a name on the button."""


class StageBar(QWidget):
    """Chooses a stage of one component, and the stage or file to compare it with."""

    def __init__(self, model: GraphModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(self.tr("Stage of the build"))
        set_tool_tip(self.slider, self.tr("Arrow keys walk through the stages: export, each pass, the final graph"))
        self.slider.setPageStep(1)
        self.slider.setMinimumWidth(12 * G)
        self.slider.valueChanged.connect(self._on_value)
        go = self.slider
        self.previous_button = tool_button(
            "chevron-left", self.tr("Stage before"), "muted", lambda: go.setValue(go.value() - 1)
        )
        self.next_button = tool_button(
            "chevron-right", self.tr("Next stage"), "muted", lambda: go.setValue(go.value() + 1)
        )
        self.name = label("", "heading")
        self.position = label("", "muted")
        self.facts = ElidedLabel("")
        self.refused = PillLabel("", "warning")
        self.compare = QToolButton()
        self.compare.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.compare.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.compare.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_icon(self.compare, "branch", "muted")
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.compare.setMenu(self._menu)
        self._lay_out()
        model.sceneChanged.connect(lambda _new: self.refresh())
        model.failed.connect(lambda *_: self.refresh())
        self.refresh()

    def _lay_out(self) -> None:
        row = hbox(self.previous_button, self.next_button, (self.slider, 2), self.position, STRETCH, self.compare)
        texts = hbox(self.name, self.refused, (self.facts, 1))
        vbox(row, texts, parent=self, spacing=2)

    # -- texts -----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        stages, place = self.model.stages, self.model.stage
        several = len(stages) > 1
        for part in (self.slider, self.previous_button, self.next_button, self.position):
            part.setVisible(several)
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(len(stages) - 1, 0))
        self.slider.setValue(max(place, 0))
        self.slider.blockSignals(False)
        self.previous_button.setEnabled(place > 0)
        self.next_button.setEnabled(place < len(stages) - 1)
        stage = stages[place] if stages else None
        self.name.setText(stage.title if stage and several else "")
        self.name.setVisible(bool(self.name.text()))
        self.position.setText(self.tr("{0} of {1}").format(place + 1, len(stages)))
        self._show_stage(stage, stages[place - 1] if place > 0 else None)
        self._show_comparison()

    def _show_stage(self, stage: GraphStage | None, before: GraphStage | None) -> None:
        refused = len(stage.refused) if stage else 0
        self.refused.setText(self.tr("{0} refused").format(format_number(refused)))
        self.refused.setVisible(bool(refused))
        set_tool_tip(
            self.refused, "\n".join(f"{r.reason}  {r.node}".rstrip() for r in stage.refused[:12]) if stage else ""
        )
        self.facts.set_whole(" · ".join(self.facts_of(stage, before)) if stage else "")

    def facts_of(self, stage: GraphStage, before: GraphStage | None) -> list[str]:
        """The facts of a stage: nodes, time, parity."""
        nodes = pluralize(stage.nodes, self.tr("1 node"), self.tr("{0} nodes"))
        if before is not None and stage.nodes != before.nodes:
            difference = stage.nodes - before.nodes
            nodes += f" ({'+' if difference > 0 else '−'}{format_number(abs(difference))})"
        parts = [nodes]
        if not stage.modified and stage.kind != "final":
            parts.append(self.tr("changed nothing"))
        if stage.seconds:
            parts.append(
                format_duration(stage.seconds) if stage.seconds >= 1 else format_milliseconds(1000 * stage.seconds)
            )
        parity = stage.parity
        if parity is not None and parity.max_abs_diff is not None:
            parts.append(self.tr("largest difference {0}").format(format_figures(parity.max_abs_diff, 2)))
        if parity is not None and parity.greedy_tokens:
            parts.append(self.tr("{0} of {1} greedy tokens equal").format(parity.greedy_equal, parity.greedy_tokens))
        if parity is not None and parity.note:
            parts.append(parity.note)
        return parts

    def _show_comparison(self) -> None:
        """What the graph is compared with; a long name is whole in the tool tip."""
        against, name = self.model.against, ""
        text = self.tr("Compare")
        if against is not None and self.model.where and against.path == self.model.where.path:
            named = {s.name: s.title for s in self.model.stages}
            text, name = self.tr("Since “{0}”"), named.get(against.stage, against.stage)
        elif against is not None:
            here = self.model.where.path if self.model.where else ""
            text, name = self.tr("Against {0}"), distinct_names(against.path, here)[0]
        whole = text.format(name)
        self.compare.setText(text.format(_beginning(name)))
        self.compare.setAccessibleName(whole)
        set_tool_tip(self.compare, whole if against is not None else "")

    # -- commands --------------------------------------------------------------------------------------------

    def _on_value(self, place: int) -> None:
        self.model.go_stage(place)

    def compare_before(self) -> None:
        """Compares with the stage before; at the first stage, compares the second with it."""
        place = self.model.stage
        if place == 0 and len(self.model.stages) > 1:
            self.model.go_stage(1)
            place = 1
        before = self.model.before(place)
        if before is not None:
            self.model.compare(before)

    def choose_file(self) -> None:
        """Opens a file dialog, then shows the changes from the graph of that file to this one."""
        here = self.model.where.path if self.model.where else ""
        name, _kind = QFileDialog.getOpenFileName(self, self.tr("Compare with"), here, self.tr("ONNX files (*.onnx)"))
        if name:
            self.model.compare(GraphReference(name))

    def _fill_menu(self) -> None:
        self._menu.clear()
        against, where = self.model.against, self.model.where
        self._entry(self.tr("No comparison"), against is None, partial(self.model.compare, None))
        if len(self.model.stages) > 1:
            before = self.model.before(self.model.stage)
            self._entry(self.tr("With the stage before"), against == before, self.compare_before)
            self._menu.addSeparator()
            for place, stage in enumerate(self.model.stages):
                if place != self.model.stage and where is not None:
                    other = replace(where, stage=stage.name)
                    text = self.tr("With “{0}”").format(stage.title)
                    self._entry(text, against == other, partial(self.model.compare, other))
        self._menu.addSeparator()
        self._entry(self.tr("With another file…"), False, self.choose_file)

    def _entry(self, text: str, chosen: bool, act: object) -> None:
        assert callable(act)
        action = QAction(text, self._menu)
        action.setCheckable(True)
        action.setChecked(chosen)
        action.triggered.connect(lambda _checked=False: act())
        self._menu.addAction(action)


def _beginning(name: str) -> str:
    """A name, cut at its end where it is long."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"
