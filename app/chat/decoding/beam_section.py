"""Beam search: number of beams, length penalty, early stopping."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDoubleSpinBox, QSpinBox, QWidget

from app.chat.decoding.decoding_options import DecodingOptions
from app.text.translatable import tr
from app.widgets import label
from app.widgets.collapsible import CollapsibleSection
from app.widgets.fields import indent_number
from app.widgets.layouts import grid_layout
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.generation_options import limits


class BeamSection(CollapsibleSection):
    """`changed` gives the fields of DecodingOptions that the user changed."""

    changed = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        tip = tr("Beam search: follows several texts at once and returns the most probable one.")
        super().__init__(tr("Beams"), tip, parent)
        self.count = ignore_wheel(indent_number(QSpinBox()))
        self.count.setRange(*limits("num_beams"))
        self.count.setSpecialValueText(self.tr("off"))
        self.length = ignore_wheel(indent_number(QDoubleSpinBox()))
        self.length.setRange(-10, 10)
        self.length.setSingleStep(0.1)
        self.stopping = ignore_wheel(QComboBox())
        for title, value in (
            (self.tr("a better text is unlikely"), "false"),
            (self.tr("enough texts have ended"), "true"),
            (self.tr("no better text is possible"), "never"),
        ):
            self.stopping.addItem(title, value)
        self.stopping.setMinimumContentsLength(8)
        self.stopping.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.note = label("", "muted", wrap=True)
        self._lay_out()
        self.count.valueChanged.connect(lambda value: self._emit_changed("num_beams", value))
        self.length.valueChanged.connect(lambda value: self._emit_changed("length_penalty", round(value, 2)))
        self.stopping.activated.connect(
            lambda _index: self._emit_changed("early_stopping", self.stopping.currentData())
        )
        self.show_choice(DecodingOptions(), drawn=False)

    def _lay_out(self) -> None:
        grid = grid_layout(stretch=(0,))
        rows: tuple[tuple[str, str, QAbstractSpinBox], ...] = (
            (self.tr("Beams"), self.tr("The number of texts that are searched at once."), self.count),
            (self.tr("Length penalty"), self.tr("Above 0 favours long texts, below 0 short ones."), self.length),
        )
        for row, (title, tip, field) in enumerate(rows):
            caption = label(title, "small", wrap=True, selectable=False)
            for one in (caption, field):
                set_tool_tip(one, tip)
            field.setAccessibleName(title)
            field.setFixedWidth(14 * G)
            caption.setBuddy(field)
            grid.addWidget(caption, row, 0)
            grid.addWidget(field, row, 1)
        self.stopping.setAccessibleName(self.tr("Ends when"))
        set_tool_tip(self.stopping, self.tr("When the search stops."))
        self.body.addLayout(grid)
        self.body.addWidget(label(self.tr("Ends when"), "small", selectable=False))
        self.body.addWidget(self.stopping)
        self.body.addWidget(self.note)

    def show_choice(self, choice: DecodingOptions, drawn: bool) -> None:
        """Shows the options without emitting `changed`. drawn: whether tokens are sampled."""
        with QSignalBlocker(self.count), QSignalBlocker(self.length):
            self.count.setValue(choice.num_beams)
            self.length.setValue(choice.length_penalty)
        self.stopping.setCurrentIndex(self.stopping.findData(choice.early_stopping))
        self.update_conflicts(drawn, choice.drafting)

    def update_conflicts(self, drawn: bool, drafting: bool) -> None:
        """Disables beams with sampling or drafts, which they cannot be combined with."""
        self._drawn, self._drafting = drawn, drafting
        self._refresh()

    def _refresh(self) -> None:
        on, why = self.count.value() > 1, self._conflict()
        self.count.setEnabled(not self._drawn and (on or not why))  # with drafts, beams can only be removed
        set_tool_tip(self.count, why or self.tr("The number of texts that are searched at once."))
        for one in (self.length, self.stopping):
            one.setEnabled(on and not why)
        self.note.setText(why or self.tr("Beam search uses no drafts, and the reply appears when it ends."))
        self.note.setVisible(on or bool(why))
        self.set_summary(str(self.count.value()) if on and not self._drawn else self.tr("off"))

    def _conflict(self) -> str:
        """Why there can be no beams; empty if there can."""
        if self._drawn:
            return self.tr("Beam search does not sample: set the temperature to 0, or remove Sample from the chain.")
        if self._drafting:
            return self.tr("Beam search cannot be combined with drafts: turn off Drafts or Beams.")
        return ""

    def _emit_changed(self, name: str, value: object) -> None:
        self._refresh()
        self.changed.emit({name: value})
