"""The section for the chain of logits processors: ops are dragged, moved, added, removed, and their values edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.chat.decoding.chain_list import ChainListView
from app.chat.decoding.chain_model import ChainModel
from app.chat.decoding.chain_ops import BEGIN, ChainRow, model_chain, op_titles
from app.chat.decoding.collapsible import CollapsibleSection
from app.chat.sampling import SamplingSettings
from app.text.formatting import pluralize
from app.widgets import button, label
from app.widgets.actions import tool_button
from app.widgets.layouts import hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, theme


class ChainSection(CollapsibleSection):
    """`changed` gives the custom chain, None for the model's."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(
            self.tr("Chain"), self.tr("The operations on the logits before a token is chosen, in this order.")
        )
        self._ops: Sequence[Mapping[str, object]] = ()
        self._own = self._began_own = False
        self._sampling = SamplingSettings()
        self.rows = ChainModel(self)
        self.list = ChainListView(self.rows)
        self.list.setAccessibleName(self.tr("Chain of logits"))
        set_tool_tip(self.list, self.tr("Drag, or Alt+Up and Alt+Down: move. Enter: edit the value. Del: remove."))
        self.note = label("", "muted", wrap=True)
        self.problem = label("", "error", wrap=True)
        self.add_button = tool_button("plus", self.tr("Add an op"))
        self.add_button.setMenu(self._menu())
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.reset = button(self.tr("Use the model's chain"), role="link", clicked=self._forget)
        self._lay_out()
        self.rows.edited.connect(self._on_edited)
        theme().changed.connect(self.list.viewport().update)
        self.show_chain(None)

    def _lay_out(self) -> None:
        self.undo = tool_button("undo", self.tr("Undo (Ctrl+Z)"))
        tools = (
            (tool_button("chevron-up", self.tr("Up (Alt+Up)")), partial(self._shift, -1)),
            (tool_button("chevron-down", self.tr("Down (Alt+Down)")), partial(self._shift, 1)),
            (tool_button("trash", self.tr("Remove (Del)")), self.list.take_out),
            (self.undo, self.rows.undo),
        )
        for one, act in tools:
            one.clicked.connect(lambda _checked=False, act=act: act())
        for part in (self.note, self.list, self.problem):
            self.body.addWidget(part)
        self.body.addLayout(hbox(self.add_button, *(one for one, _act in tools), 1, spacing=G // 2))
        self.body.addLayout(hbox(self.reset, 1))

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for op in BEGIN:
            title, tip = op_titles()[op]
            entry = menu.addAction(title)
            set_tool_tip(entry, tip)
            entry.triggered.connect(partial(self.add, op))
        return menu

    @property
    def own(self) -> bool:
        """Whether the chain is a custom one."""
        return self._own

    def add(self, op: str, *_: object) -> None:
        """Adds an op in its place, and moves the focus to its value."""
        place = self.rows.add(op, BEGIN[op])
        self.list.choose(place)
        self.list.setFocus()

    def set_ops(self, ops: Sequence[Mapping[str, object]]) -> None:
        """Sets the bundle's chain, which applies without a custom one."""
        self._ops = ops
        if not self._own:
            self.show_chain(None)

    def set_sampling(self, sampling: SamplingSettings) -> None:
        """Sets the sampling, which is the chain of a bundle without one."""
        self._sampling = sampling
        if not self._own:
            self.show_chain(None)

    def show_chain(self, chain: Sequence[ChainRow] | None) -> None:
        """Shows a chain without emitting `changed`."""
        self._own = self._began_own = chain is not None
        self.rows.show_rows(model_chain(self._ops, self._sampling) if chain is None else chain)
        self._refresh()

    def _on_edited(self) -> None:
        """Handles a change or an undo; undoing the first change returns to the model's chain."""
        self._own = self._began_own or self.rows.history.can_undo
        self._emit_changed()

    def _forget(self) -> None:
        self.rows.replace(model_chain(self._ops, self._sampling))
        self._own = False
        self._emit_changed()

    def _emit_changed(self) -> None:
        self._refresh()
        self.changed.emit(self.rows.rows if self._own else None)

    def _shift(self, by: int) -> None:
        self.rows.shift(self.list.place(), by)
        self.list.setFocus()

    def _refresh(self) -> None:
        count = len(self.rows.rows)
        ops = pluralize(count, self.tr("1 op"), self.tr("{0} ops"))
        self.set_summary(self.tr("custom, {0}").format(ops) if self._own else self.tr("the model's chain"))
        self.reset.setVisible(self._own)
        self.undo.setEnabled(self.rows.history.can_undo)
        self.problem.setText(self.rows.problem if self._own else "")
        self.problem.setVisible(bool(self.problem.text()))
        self.note.setText(self._note())

    def _note(self) -> str:
        if self._own:
            return self.tr("It replaces the model's chain and the settings under Sampling.")
        if self._ops:
            return self.tr("The bundle's own chain; the settings under Sampling replace its values.")
        return self.tr("The settings under Sampling, in the usual order. A change makes it a custom chain.")
