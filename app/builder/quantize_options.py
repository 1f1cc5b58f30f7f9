"""Quantize page: the options of block-wise precisions, and the calibration prompts."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QPushButton

from app.state.unsaved_recipe import UnsavedRecipe
from app.text.translatable import tr
from app.widgets.basics import Section, label
from app.widgets.fields import combo_box, line_edit
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from workflows.wire.codec import read
from workflows.wire.reports.plan import CalibrationOrigin, PlanReport

BLOCKS = (16, 32, 64, 128)
COMPENSATED = "compensated"  # the rounding that is calibrated with texts


class BlockOptions(Section):
    """The options of the unsaved recipe. Hidden unless the chosen precision works in blocks."""

    def __init__(self, draft: UnsavedRecipe) -> None:
        super().__init__(tr("Blocks"))
        self._draft = draft
        sizes = [(self.tr("Blocks of {0}").format(str(size)), size) for size in BLOCKS]
        self.block = combo_box(self.tr("Weights that share a scale"), sizes)
        self.block.activated.connect(lambda _index: self._send(block_size=self.block.currentData()))
        finer = [(self.tr("Head and attention: {0}").format(str(size)), size) for size in BLOCKS[:-1]]
        name = self.tr("Block size of the output head, the embedding and the attention output")
        self.fine = combo_box(name, [(self.tr("Head and attention: same size"), None), *finer])
        tip = self.tr(
            "Smaller blocks in the output head, the embedding and the attention output gain the most accuracy per "
            "byte. For int4 only."
        )
        set_tool_tip(self.fine, tip)
        self.fine.activated.connect(lambda _index: self._send(fine_block_size=self.fine.currentData()))
        methods = (
            (self.tr("Search for the best scale"), "search"),
            (self.tr("Compensate errors in later weights (GPTQ)"), COMPENSATED),
            (self.tr("Round to nearest"), "nearest"),
        )
        self.rounding = combo_box(self.tr("How weights are rounded"), methods)
        self.rounding.activated.connect(lambda _index: self._send(rounding=self.rounding.currentData()))
        text = self.tr("Blocks have no zero point: smaller and less accurate.")
        self.symmetric = self._switch("symmetric", self.tr("Symmetric"), text)
        self.roles = {role: self._role_box(role, title, note) for role, (title, note) in self._roles().items()}
        text = self.tr(
            "Prompts run through a graph of their own with 8-bit products: faster, and more than twice the size."
        )
        self.fast_prefill = QCheckBox(self.tr("Fast prompts"))
        set_tool_tip(self.fast_prefill, text)
        self.fast_prefill.setAccessibleDescription(text)
        self.fast_prefill.clicked.connect(lambda on: self._draft.set_option("fast_prefill", on))
        hint = self.tr("names or modules, such as model/layers/0/*, */down_proj")
        self.exclude = line_edit(self.tr("Nodes that are not quantized"), hint)
        self.exclude.editingFinished.connect(self._send_exclude)
        self.body.addWidget(
            label(self.tr("Smaller blocks are more accurate and need more bytes for their scales."), "muted", wrap=True)
        )
        boxes = (self.block, self.fine, self.rounding, self.symmetric, *self.roles.values())
        for part in (*boxes, self.fast_prefill, self.exclude):
            self.body.addWidget(part)

    def _roles(self) -> dict[str, tuple[str, str]]:
        """Role → its title and a note on it."""
        return {
            "head": (
                self.tr("Output head: {0}"),
                self.tr("The output head decides between tokens: in 8 bits it loses almost nothing."),
            ),
            "embedding": (
                self.tr("Embedding: {0}"),
                self.tr("Each step reads only a few rows of the embedding, so that it costs bytes and no time."),
            ),
            "first_layer": (self.tr("First layer: {0}"), self.tr("All other layers continue from its errors.")),
            "last_layer": (self.tr("Last layer: {0}"), self.tr("No other layer evens out its errors.")),
            "attention_output": (
                self.tr("Attention output: {0}"),
                self.tr("The product after attention, small and sensitive."),
            ),
            "down_projection": (
                self.tr("Down projection: {0}"),
                self.tr("The second product of each feed-forward block, with the largest inputs."),
            ),
        }

    def _role_box(self, role: str, title: str, note: str) -> QComboBox:
        precisions = [(title.format(name), value) for name, value in self._precisions().items()]
        box = combo_box(title.partition(":")[0], precisions)
        set_tool_tip(box, note)
        box.activated.connect(lambda _index: self._send(**{role: box.currentData()}))
        return box

    def _precisions(self) -> dict[str, str | None]:
        return {
            self.tr("as the other weights"): None,
            self.tr("4 bits"): "int4",
            self.tr("8 bits"): "int8",
            self.tr("16 bits"): "fp16",
            self.tr("as it is"): "fp32",
        }

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
        for role, box in self.roles.items():
            _show_precision(box, quantize.get(role))
        self.fast_prefill.setChecked(plan.recipe.get("fast_prefill") is True)
        self.fast_prefill.setVisible(plan.offers_fast_prefill)
        if not self.exclude.hasFocus():
            self.exclude.setText(", ".join(read(list[str], quantize.get("exclude", []))))

    def _send_exclude(self) -> None:
        self._send(exclude=[name for name in re.split(r"[,\s]+", self.exclude.text()) if name])

    def _send(self, **parts: object) -> None:
        self._draft.set_quantize(**parts)


def _show_precision(box: QComboBox, precision: object) -> None:
    """Select a role's precision; one with a block size, as a recipe's text may have it, becomes an entry."""
    if box.findData(precision) < 0:
        title = box.itemText(0).partition(":")[0]
        box.addItem(f"{title}: {precision}", precision)
    box.setCurrentIndex(box.findData(precision))


class CalibrationBox(Section):
    """Prompts and method, as options of the unsaved recipe. Hidden if the chosen precision needs neither."""

    def __init__(self, draft: UnsavedRecipe) -> None:
        super().__init__(tr("Calibration"))
        self._draft = draft
        self.explanation = label("", "muted", wrap=True)
        self.body.addWidget(self.explanation)
        self.prompts = line_edit(self.tr("Calibration prompts"))
        self.prompts.editingFinished.connect(self._send)
        browse = QPushButton(self.tr("Choose a file…"))
        browse.clicked.connect(self._browse)
        methods = (
            (self.tr("Smallest and largest value"), "minmax"),
            (self.tr("All but the outliers (percentile)"), "percentile"),
            (self.tr("Least information lost (entropy)"), "entropy"),
        )
        self.method = combo_box(self.tr("How ranges are measured"), methods)
        self.method.activated.connect(lambda _index: self._send())
        self.body.addLayout(hbox((self.prompts, 1), browse))
        self.body.addWidget(self.method)

    def show_plan(self, plan: PlanReport | None, calibrated: bool, ranges: bool = True) -> None:
        """Show the calibration. calibrated: whether there is one; ranges: whether it measures activation ranges."""
        self.setVisible(calibrated)
        self.method.setVisible(ranges)
        if plan is not None and not self._draft.planning:
            origin = plan.chosen.calibration_origin
            self.explanation.setText(self._explanation(ranges))
            self.prompts.setPlaceholderText(calibration_text(origin) if origin != "file" else "")
            if not (self.prompts.hasFocus() and self.prompts.isModified()):  # keeps the text that is being typed
                self.prompts.setText(plan.chosen.calibration_prompts)
            self.method.setCurrentIndex(self.method.findData(plan.chosen.calibration_method))

    def _explanation(self, ranges: bool) -> str:
        own = self.tr("Your own are in a text file with one in each line, or in the folder of a data set.")
        if ranges:
            return (
                self.tr("The model answers prompts, and the ranges of each graph are measured meanwhile.") + " " + own
            )
        return self.tr("The model reads texts, and its weights are rounded with what they multiply there.") + " " + own

    def _browse(self) -> None:
        kinds = self.tr("Prompts (*.txt *.jsonl);;All files (*)")
        file, _ = QFileDialog.getOpenFileName(self, self.tr("Calibration prompts"), self.prompts.text(), kinds)
        if file:
            self.prompts.setText(file)
            self._send()

    def _send(self) -> None:
        """Keeps the other calibration options, which the recipe's text may set."""
        chosen = read(dict[str, object], self._draft.options.get("quantize", {})).get("calibration", {})
        prompts, method = self.prompts.text().strip(), self.method.currentData()
        calibration = {**read(dict[str, object], chosen), "prompts": prompts, "method": method}
        self._draft.set_quantize(calibration=calibration)


def calibration_text(origin: CalibrationOrigin, file: str = "") -> str:
    """With what a recipe is calibrated; empty where it is not."""
    texts = {
        "": "",
        "file": Path(file).name,
        "demo": tr("the prompts of the demo"),
        "sentences": tr("a few built-in English sentences"),
        "texts": tr("the built-in texts, in eight languages"),
        "missing": tr("no text: there is no tokenizer for the built-in ones, choose a file of token ids"),
    }
    return texts[origin]
