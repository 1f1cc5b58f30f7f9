"""Quantize page: the options of block-wise precisions: block size, zero points, head and embedding, exclusions."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QWidget

from app.state.unsaved_recipe import UnsavedRecipe
from app.widgets.basics import Section, label
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.codec import read
from workflows.wire.reports.plan import PlanReport

BLOCKS = (16, 32, 64, 128)
COMPENSATED = "compensated"  # the rounding that is calibrated with prompts


class BlockOptions(Section):
    """The options of the unsaved recipe. Hidden unless the chosen precision works in blocks."""

    def __init__(self, draft: UnsavedRecipe) -> None:
        super().__init__("")
        self.heading.setText(self.tr("Blocks"))
        self._draft = draft
        self.block = QComboBox()
        self.block.setAccessibleName(self.tr("Weights that share a scale"))
        for size in BLOCKS:
            self.block.addItem(self.tr("Blocks of {0}").format(str(size)), size)
        self.block.activated.connect(lambda _index: self._send(block_size=self.block.currentData()))
        self.fine = QComboBox()
        self.fine.setAccessibleName(self.tr("The same of the head, the table and what follows attention"))
        set_tool_tip(self.fine, self.tr("The output head, the table of tokens and the product behind attention: finer "
                                     "blocks there keep most for their bytes. Of int4."))  # fmt: skip
        self.fine.addItem(self.tr("Head and attention alike"), None)
        for size in BLOCKS[:-1]:
            self.fine.addItem(self.tr("Head and attention: {0}").format(str(size)), size)
        self.fine.activated.connect(lambda _index: self._send(fine_block_size=self.fine.currentData()))
        self.rounding = QComboBox()
        self.rounding.setAccessibleName(self.tr("How weights are rounded"))
        for text, name in (
            (self.tr("The scale that loses least"), "search"),
            (self.tr("Made up for by the next (GPTQ)"), COMPENSATED),
            (self.tr("To the nearest step"), "nearest"),
        ):
            self.rounding.addItem(text, name)
        self.rounding.activated.connect(lambda _index: self._send(rounding=self.rounding.currentData()))
        self.symmetric = self._switch(
            "symmetric", self.tr("Symmetric"), self.tr("No zero point of a block's own: smaller, and less exact.")
        )
        self.head = self._switch(
            "head", self.tr("Output head too"), self.tr("Off: the last product keeps its precision, which costs bytes.")
        )
        self.embedding = self._switch(
            "embedding", self.tr("Embedding too"), self.tr("The table of tokens, of which few rows are read a step.")
        )
        self.exclude = QLineEdit()
        self.exclude.setAccessibleName(self.tr("Nodes that are left alone"))
        self.exclude.setPlaceholderText(self.tr("left alone, by name or module: model/layers/0/*, */down_proj"))
        self.exclude.editingFinished.connect(self._send_exclude)
        rows = [_row(self.block, self.fine, self.rounding), _row(self.symmetric, self.head, self.embedding)]
        self.body.addWidget(
            label(self.tr("Smaller blocks are more exact and take more bytes for their scales."), "muted", wrap=True)
        )
        for row in rows:
            self.body.addLayout(row)
        self.body.addWidget(self.exclude)

    def _switch(self, name: str, text: str, note: str) -> QCheckBox:
        switch = QCheckBox(text)
        set_tool_tip(switch, note)
        switch.setAccessibleDescription(note)
        switch.clicked.connect(lambda on: self._send(**{name: on}))
        return switch

    def show_plan(self, plan: PlanReport | None, blocks: bool, rounds: bool) -> None:
        """Show the plan's block settings. blocks: whether it has some; rounds: whether the rounding can be chosen."""
        self.setVisible(blocks)
        self.rounding.setVisible(rounds)
        self.fine.setVisible(rounds)
        if plan is None:
            return
        quantize = read(dict[str, object], plan.recipe.get("quantize", {}))
        self.block.setCurrentIndex(max(0, self.block.findData(quantize.get("block_size", 32))))
        self.fine.setCurrentIndex(max(0, self.fine.findData(quantize.get("fine_block_size"))))
        self.rounding.setCurrentIndex(max(0, self.rounding.findData(quantize.get("rounding"))))
        self.symmetric.setChecked(quantize.get("symmetric") is True)
        self.head.setChecked(quantize.get("head") is not False)
        self.embedding.setChecked(quantize.get("embedding") is True)
        if not self.exclude.hasFocus():
            self.exclude.setText(", ".join(read(list[str], quantize.get("exclude", []))))

    def _send_exclude(self) -> None:
        self._send(exclude=[name for name in re.split(r"[,\s]+", self.exclude.text()) if name])

    def _send(self, **parts: object) -> None:
        self._draft.set_quantize(**parts)


def _row(*parts: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(2 * G)
    for part in parts:
        row.addWidget(part)
    row.addStretch(1)
    return row
