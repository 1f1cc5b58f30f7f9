"""Source page: the adapters of the build, each with a scale, merged into the weights or switched while the model runs.

draft.options["adapter"]: [{"folder", "scale"}, …] ◀──▶ a row each: path, scale, a button that removes it
             ["adapters"]: "merged" or "runtime"   ◀──▶ the combo box below them
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFileDialog, QScrollArea, QWidget

from app.builder.drop_zone import DropZone
from app.state.settings import existing_parent
from app.state.unsaved_recipe import UnsavedRecipe
from app.widgets.basics import Section, button, label
from app.widgets.fields import indent_number
from app.widgets.layouts import STRETCH, clear_layout, hbox, vbox
from app.widgets.plain_text import plain_tool_tip
from app.widgets.wheel_guard import ignore_wheel

_OPTION, _USE = "adapter", "adapters"
_MOST = 100.0  # of a scale, in both directions


class AdapterList(Section):
    """The adapters of the unsaved recipe, in the order of merging; their use, and why they cannot be used."""

    def __init__(self, draft: UnsavedRecipe, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self._draft, self._shown = draft, list[dict[str, object]]()
        self.heading.setText(self.tr("Adapters"))
        text = self.tr(
            "Optional: adapters of PEFT (LoRA, DoRA), which the build merges into the weights or keeps beside them. "
            "They have their full effect with a scale of 1."
        )
        self.body.addWidget(label(text, "muted", wrap=True))
        self._rows = vbox()
        self.body.addLayout(self._rows)
        self.scales: list[QDoubleSpinBox] = []
        self.drop = DropZone(self.tr("Drop an adapter's folder here"))
        self.drop.dropped.connect(self.add)
        self.browse = button(self.tr("Add an adapter"), "folder", clicked=self._browse)
        self.body.addLayout(hbox(self.browse, (self.drop, 1)))
        self.use = ignore_wheel(QComboBox())
        self.use.setAccessibleName(self.tr("Use of the adapters"))
        self.use.addItem(self.tr("Merged into the weights"), "merged")
        self.use.addItem(self.tr("Switched while the model runs"), "runtime")
        tip = self.tr("A reply is made with one of the adapters or with none; each step takes a little longer.")
        self.use.setItemData(1, plain_tool_tip(tip), Qt.ItemDataRole.ToolTipRole)
        self.use.activated.connect(self._set_use)
        self._use_row = QWidget()
        hbox(label(self.tr("The adapters are")), self.use, STRETCH, parent=self._use_row)
        self.body.addWidget(self._use_row)
        self.problem = label("", "error", wrap=True)
        self.body.addWidget(self.problem)
        draft.changed.connect(self.refresh)
        self.refresh()

    def add(self, folder: str) -> None:
        """Adds the adapter in `folder`, unless it is there already."""
        if not any(one["folder"] == folder for one in self._chosen()):
            self._choose([*self._chosen(), {"folder": folder, "scale": 1.0}])
            QTimer.singleShot(0, self, self._reveal_last)  # once its row has a place

    def _reveal_last(self) -> None:
        """Scrolls the page to the adapter that was added."""
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None and self.scales:
            area.ensureWidgetVisible(self.scales[-1])

    def refresh(self) -> None:
        """Shows the adapters of the recipe, and what the plan says of them."""
        chosen, error = self._chosen(), self._draft.plan_error
        if chosen != self._shown:
            self._shown = chosen
            self._show_rows(chosen)
        switched = self._draft.options.get(_USE) == "runtime"
        self.use.setCurrentIndex(self.use.findData("runtime" if switched else "merged"))
        self._use_row.setVisible(bool(chosen) or switched)
        self.problem.setText(error.message if (chosen or switched) and error is not None else "")
        self.problem.setVisible(bool(self.problem.text()))

    def _show_rows(self, chosen: list[dict[str, object]]) -> None:
        clear_layout(self._rows)
        self.scales = []
        for index, one in enumerate(chosen):
            folder = str(one["folder"])
            remove = button(self.tr("Remove"), "close", clicked=partial(self._remove, index))
            remove.setAccessibleName(self.tr("Remove {0}").format(Path(folder).name))
            scale = self._scale(index, one.get("scale", 1.0))
            row = QWidget()
            hbox((label(folder, wrap=True), 1), label(self.tr("Scale")), scale, remove, parent=row)
            self._rows.addWidget(row)

    def _scale(self, index: int, value: object) -> QDoubleSpinBox:
        spin = indent_number(QDoubleSpinBox())
        spin.setAccessibleName(self.tr("Scale of adapter {0}").format(str(index + 1)))
        spin.setRange(-_MOST, _MOST)
        spin.setSingleStep(0.1)
        spin.setDecimals(3)
        spin.setValue(float(value) if isinstance(value, int | float) else 1.0)
        spin.setKeyboardTracking(False)
        spin.valueChanged.connect(lambda scale: self._set_scale(index, scale))
        self.scales.append(spin)
        return spin

    def _browse(self) -> None:
        source = Path(self._draft.source)
        start = str(existing_parent(source)) if source.is_absolute() else ""
        folder = QFileDialog.getExistingDirectory(self, self.tr("Choose an adapter's folder"), start)
        if folder:
            self.add(folder)

    def _remove(self, index: int) -> None:
        self._choose([one for at, one in enumerate(self._chosen()) if at != index])

    def _set_scale(self, index: int, scale: float) -> None:
        chosen = self._chosen()
        chosen[index] = {**chosen[index], "scale": scale}
        self._shown = chosen  # the field that is being edited stays
        self._choose(chosen)

    def _set_use(self, _index: int) -> None:
        """Merging is the default, and no option of the recipe."""
        use = self.use.currentData()
        self._draft.set_option(_USE, None if use == "merged" else use)

    def _choose(self, chosen: list[dict[str, object]]) -> None:
        self._draft.set_option(_OPTION, chosen or None)

    def _chosen(self) -> list[dict[str, object]]:
        """Those of the recipe that have the form of one; the recipe's text may say anything."""
        options = self._draft.options.get(_OPTION)
        rows = options if isinstance(options, list) else []
        return [dict(one) for one in rows if isinstance(one, Mapping) and isinstance(one.get("folder"), str)]
