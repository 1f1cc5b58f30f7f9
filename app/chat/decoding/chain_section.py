"""The chain of logits as a list: ops are dragged, moved by keys and buttons, added, taken out, their values typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app.chat.decoding.chain_list import ChainListView
from app.chat.decoding.chain_model import ChainModel
from app.chat.decoding.chain_ops import BEGIN, ChainRow, model_chain, op_titles
from app.chat.decoding.collapsible import CollapsibleSection
from app.chat.sampling import SamplingSettings
from app.text.formatting import pluralize
from app.widgets import button, label
from app.widgets.actions import tool_button
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, theme


class ChainSection(CollapsibleSection):
    """`changed` gives the chain of a person's own, None for the model's."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_title(
            self.tr("Chain"), self.tr("What the logits go through before a token is chosen, op by op in this order.")
        )
        self._ops: Sequence[Mapping[str, object]] = ()
        self._own = self._began_own = False
        self._sampling = SamplingSettings()
        self.rows = ChainModel(self)
        self.list = ChainListView(self.rows)
        self.list.setAccessibleName(self.tr("Chain of logits"))
        set_tool_tip(self.list, self.tr("Drag, or Alt+Up and Alt+Down: another order. Enter: another value. Del: out."))
        self.note = label("", "muted", wrap=True)
        self.problem = label("", "error", wrap=True)
        self.add_button = tool_button("plus", self.tr("Add an op"))
        self.add_button.setMenu(self._menu())
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.reset = button(self.tr("As the model has it"), role="link", clicked=self._forget)
        self._lay_out()
        self.rows.edited.connect(self._on_edited)
        theme().changed.connect(self.list.viewport().update)
        self.show_chain(None)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(G // 2)
        row.addWidget(self.add_button)
        self.undo = tool_button("undo", self.tr("Undo (Ctrl+Z)"))
        tools = (
            (tool_button("chevron-up", self.tr("Up (Alt+Up)")), partial(self._shift, -1)),
            (tool_button("chevron-down", self.tr("Down (Alt+Down)")), partial(self._shift, 1)),
            (tool_button("trash", self.tr("Take it out (Del)")), self.list.take_out),
            (self.undo, self.rows.undo),
        )
        for one, act in tools:
            one.clicked.connect(lambda _checked=False, act=act: act())
            row.addWidget(one)
        row.addStretch(1)
        back = QHBoxLayout()
        back.addWidget(self.reset)
        back.addStretch(1)
        for part in (self.note, self.list, self.problem):
            self.body.addWidget(part)
        self.body.addLayout(row)
        self.body.addLayout(back)

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
        """Whether it is a person's own."""
        return self._own

    def add(self, op: str, *_: object) -> None:
        """Puts an op into its place, and goes to its value."""
        place = self.rows.add(op, BEGIN[op])
        self.list.choose(place)
        self.list.setFocus()

    def set_ops(self, ops: Sequence[Mapping[str, object]]) -> None:
        """The chain of the bundle, which is there without one of a person's own."""
        self._ops = ops
        if not self._own:
            self.show_chain(None)

    def set_sampling(self, sampling: SamplingSettings) -> None:
        """What is set under Sampling, which is the chain of a bundle that has none."""
        self._sampling = sampling
        if not self._own:
            self.show_chain(None)

    def show_chain(self, chain: Sequence[ChainRow] | None) -> None:
        """Shows a chain, without telling of a change."""
        self._own = self._began_own = chain is not None
        self.rows.show_rows(model_chain(self._ops, self._sampling) if chain is None else chain)
        self._say()

    def _on_edited(self) -> None:
        """A change, or one that was taken back: with the first of them the chain is the model's again."""
        self._own = self._began_own or self.rows.can_undo
        self._tell()

    def _forget(self) -> None:
        self.rows.replace(model_chain(self._ops, self._sampling))
        self._own = False
        self._tell()

    def _tell(self) -> None:
        self._say()
        self.changed.emit(self.rows.rows if self._own else None)

    def _shift(self, by: int) -> None:
        self.rows.shift(self.list.place(), by)
        self.list.setFocus()

    def _say(self) -> None:
        count = len(self.rows.rows)
        ops = pluralize(count, self.tr("1 op"), self.tr("{0} ops"))
        self.say(self.tr("own, {0}").format(ops) if self._own else self.tr("as the model has it"))
        self.reset.setVisible(self._own)
        self.undo.setEnabled(self.rows.can_undo)
        self.problem.setText(self.rows.problem if self._own else "")
        self.problem.setVisible(bool(self.problem.text()))
        self.note.setText(self._note())

    def _note(self) -> str:
        if self._own:
            return self.tr("It stands in place of what the model has, and of what is set under Sampling.")
        if self._ops:
            return self.tr("The bundle's own chain; what is set under Sampling stands in its places.")
        return self.tr("What is set under Sampling, in the usual order. A change makes it a chain of your own.")
