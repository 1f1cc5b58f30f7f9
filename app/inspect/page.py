"""The inspect page: components on the left, what is known of the chosen one and of the whole on the right.

bundle or .onnx ──worker's "inspect"──▶ Inspection ──▶ cards and tabs;  Session's cache ──▶ KV tab
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.inspect.cache_controls import action
from app.inspect.kv import KvTab
from app.inspect.tables import BarDelegate, CountRows, Rows, Table
from app.state.inspection import Component, Inspection, PassRow, Tensor, parse_inspection
from app.widgets import Banner, Card, EmptyState, Pill, button, label, scrolled, set_role
from app.widgets.format import number, size, when
from app.widgets.theme import G, mono_font
from workflows.events import ErrorEvent, Event, ResultEvent

if TYPE_CHECKING:
    from app.jobs.worker import Job
    from app.state.context import AppContext


class ComponentCard(Card):
    """A component to choose: name, role, file, nodes, bytes."""

    chosen = Signal()

    def __init__(self, component: Component, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.component = component
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{component.name}, {component.role}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.body.setContentsMargins(G + 4, G, G + 4, G)
        self.body.setSpacing(2)
        head = QHBoxLayout()
        head.addWidget(label(component.name, "heading", selectable=False))
        head.addStretch(1)
        if component.role:
            head.addWidget(Pill(component.role, "prefill" if component.role in ("prefill", "encoder") else "decode"))
        self.body.addLayout(head)
        file = label(component.file, "muted", selectable=False)
        file.setToolTip(component.file)
        file.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.body.addWidget(file)
        facts = self.tr("{0} nodes · {1}").format(number(component.nodes), size(component.bytes))
        self.body.addWidget(label(facts, "muted", selectable=False))

    def set_chosen(self, on: bool) -> None:
        """Marks the card as the one whose tables are shown."""
        set_role(self, "true" if on else "false", "chosen")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt's name: chooses."""
        self.chosen.emit()
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt's name: Enter and Space choose, arrows go to the neighbours."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit()
        elif event.key() == Qt.Key.Key_Down:
            self.focusNextChild()
        elif event.key() == Qt.Key.Key_Up:
            self.focusPreviousChild()
        else:
            super().keyPressEvent(event)


class InspectPage(QWidget):
    """Inspects the current bundle, or a graph that was asked for."""

    title = "Inspect"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.session = context.session
        self.inspection: Inspection | None = None
        self.cards: list[ComponentCard] = []
        self._job: Job | None = None
        self._splitter_moved = QTimer(self)
        self._splitter_moved.setSingleShot(True)
        self._splitter_moved.setInterval(500)
        self._splitter_moved.timeout.connect(self._keep_splitter)
        self._wanted = ""
        self._shown = ""
        self._build()
        self._add_actions()
        context.bundleChanged.connect(self._on_bundle)
        context.graphRequested.connect(self.inspect)
        self.session.cacheChanged.connect(self._refresh_live)
        self.session.stateChanged.connect(self._refresh_live)
        if context.bundle:
            self._wanted = str(context.bundle["path"])

    # -- what others may call --------------------------------------------------------------------------------

    def inspect(self, path: str) -> None:
        """Shows a bundle folder or an .onnx file."""
        self._wanted = path
        self._shown = path
        if self._job is not None:
            self._job.cancel()
        self.banner.clear()
        self.heading.setText(self.tr("Reading {0} …").format(Path(path).name))
        self.stack.setCurrentWidget(self._full)
        job = self._job = self.context.probe_worker.request("inspect", path=path)
        job.finished.connect(lambda event: self._on_inspected(job, path, event))

    # -- building --------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.empty = EmptyState(
            self.tr("Nothing to inspect yet"),
            self.tr("Open a bundle, or drop an .onnx file here: its graphs, cache and passes are shown."),
            self.tr("Go to Home"),
            "inspect",
        )
        self.empty.triggered.connect(lambda: self.context.navigate.emit("home"))
        self.banner = Banner()
        self.heading = label("", "title")
        self.pills = QHBoxLayout()
        self.pills.setSpacing(G)
        head = QHBoxLayout()
        head.setSpacing(2 * G)
        head.addWidget(self.heading)
        head.addLayout(self.pills)
        head.addStretch(1)
        self.refresh_button = button(self.tr("Read again"), "refresh", clicked=self._again)
        head.addWidget(self.refresh_button)
        self._full = QWidget()
        column = QVBoxLayout(self._full)
        column.setContentsMargins(2 * G, 2 * G, 2 * G, 2 * G)
        column.setSpacing(G)
        column.addLayout(head)
        column.addWidget(self.banner)
        column.addWidget(self._body(), 1)
        column.addStretch(0)  # takes the room where the body is hidden: nothing could be read
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self._full)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)

    def _body(self) -> QSplitter:
        holder = QWidget()
        self._list = QVBoxLayout(holder)
        self._list.setContentsMargins(0, 0, G, 0)
        self._list.setSpacing(G)
        self._list.addStretch(1)
        left = scrolled(holder)
        left.setMinimumWidth(26 * G)
        left.setAccessibleName(self.tr("Components"))
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._io_tab(), self.tr("Inputs and outputs"))
        self.tabs.addTab(self._operators_tab(), self.tr("Operators"))
        self.kv = KvTab(self.session, self.context.home / "caches")
        self.kv.controls.openAsked.connect(self._open_session)
        self.tabs.addTab(self.kv, self.tr("KV cache"))
        self.tabs.addTab(self._passes_tab(), self.tr("Stages and passes"))
        self.tabs.addTab(self._details_tab(), self.tr("Details"))
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.tabs)
        self.splitter.setStretchFactor(0, 0)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([34 * G, 900])
        self.splitter.setChildrenCollapsible(False)
        self.splitter.restoreState(self.context.settings.data("inspect.splitter"))
        self.splitter.splitterMoved.connect(lambda *_: self._splitter_moved.start())
        return self.splitter

    def _io_tab(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(G, 2 * G, 0, 0)
        column.setSpacing(G)
        headings = (self.tr("Name"), self.tr("Shape"), self.tr("Type"))
        stretch = QHeaderView.ResizeMode.Stretch
        self.inputs = Table(Rows(headings, mono=(0, 1)), self.tr("Inputs"))
        self.outputs = Table(Rows(headings, mono=(0, 1)), self.tr("Outputs"))
        self.inputs_title = label(self.tr("Inputs"), "heading")
        self.outputs_title = label(self.tr("Outputs"), "heading")
        for title, table in ((self.inputs_title, self.inputs), (self.outputs_title, self.outputs)):
            column.addWidget(title)
            column.addWidget(table, 1)
            table.horizontalHeader().setSectionResizeMode(1, stretch)
            table.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Fixed)
            table.setColumnWidth(2, 12 * G)
        return page

    def _operators_tab(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(G, 2 * G, 0, 0)
        column.setSpacing(G)
        self.opset = label("", "muted")
        self._counts = CountRows((self.tr("Operator"), self.tr("Nodes"), ""), numbers=(1,), mono=(0,))
        self.operators = Table(self._counts, self.tr("Operators"), stretch=2)
        self._bars = BarDelegate("accent", self.operators)
        self.operators.setItemDelegateForColumn(2, self._bars)
        column.addWidget(self.opset)
        column.addWidget(self.operators, 1)
        return page

    def _passes_tab(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(G, 2 * G, 0, 0)
        column.setSpacing(G)
        headings = (
            self.tr("Stage"),
            self.tr("Component"),
            self.tr("Pass"),
            self.tr("Changed"),
            self.tr("Before"),
            self.tr("After"),
            self.tr("Refused"),
        )
        self.passes = Table(Rows(headings, numbers=(4, 5), mono=(2,)), self.tr("Passes"), stretch=6)
        self.no_passes = EmptyState(
            self.tr("No passes are recorded"),
            self.tr("A bundle tells here what each pass changed and refused."),
            icon="build",
        )
        self.refusals = label("", "small", wrap=True)
        column.addWidget(self.passes, 1)
        column.addWidget(self.refusals)
        column.addWidget(self.no_passes, 1)
        self.passes.selectionModel().currentRowChanged.connect(self._show_refusals)
        return page

    def _details_tab(self) -> QWidget:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(G, 2 * G, G, 2 * G)
        column.setSpacing(2 * G)
        self.verify_button = button(self.tr("Verify files"), "ok", clicked=self._verify)
        self.verify_button.setToolTip(self.tr("Reads every file and compares it with the manifest"))
        self.verified = label("", "muted", wrap=True)
        row = QHBoxLayout()
        row.setSpacing(2 * G)
        row.addWidget(self.verify_button)
        row.addWidget(self.verified, 1)
        column.addLayout(row)
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(3 * G)
        self._facts.setVerticalSpacing(G // 2)
        self._facts.setColumnStretch(1, 1)
        card = Card()
        card.body.addLayout(self._facts)
        column.addWidget(card)
        column.addStretch(1)
        return scrolled(content)

    def _add_actions(self) -> None:
        """What the window's Ctrl+K finds here."""
        choices = [(self.tr("Inspect: read again"), self._again), (self.tr("Verify the bundle's files"), self._verify)]
        for place in range(self.tabs.count()):
            text = self.tr("Inspect: {0}").format(self.tabs.tabText(place))
            choices.append((text, partial(self.tabs.setCurrentIndex, place)))
        for text, act in choices:
            action(self, text, act)
        self._add_cache_actions()

    def _add_cache_actions(self) -> None:
        """What can be done with the cache, each while it can be."""
        controls, scrubber = self.kv.controls, self.kv.scrubber
        self.cache_actions = {
            "rewind": action(self, self.tr("KV cache: rewind …"), partial(self._to_cache, controls.spin.setFocus)),
            "save": action(
                self, self.tr("KV cache: save the prompt cache …"), partial(self._to_cache, controls.ask_save)
            ),
            "load": action(
                self, self.tr("KV cache: load a prompt cache …"), partial(self._to_cache, controls.ask_load)
            ),
            "scrub": action(
                self, self.tr("KV cache: walk through the steps"), partial(self._to_cache, scrubber.slider.setFocus)
            ),
            "live": action(self, self.tr("KV cache: follow live"), partial(self._to_cache, scrubber.follow)),
        }
        controls.changed.connect(self._refresh_cache_actions)
        self._refresh_cache_actions()

    def _to_cache(self, act: Callable[[], object]) -> None:
        self.context.navigate.emit("inspect")
        self.tabs.setCurrentWidget(self.kv)
        act()

    def _refresh_cache_actions(self) -> None:
        controls, scrubber = self.kv.controls, self.kv.scrubber
        self.cache_actions["rewind"].setEnabled(controls.movable)
        self.cache_actions["save"].setEnabled(controls.can_save)
        self.cache_actions["load"].setEnabled(controls.idle)
        self.cache_actions["scrub"].setEnabled(not scrubber.isHidden())
        self.cache_actions["live"].setEnabled(scrubber.shown is not None)

    # -- the answer ------------------------------------------------------------------------------------------

    def _on_bundle(self, bundle: dict[str, Any] | None) -> None:
        self._wanted = str(bundle["path"]) if bundle else ""
        if self.isVisible():
            self._catch_up()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt's name: reads what is current when the page is looked at."""
        super().showEvent(event)
        self._catch_up()

    def _catch_up(self) -> None:
        if not self._wanted:
            self._shown = ""
            self.stack.setCurrentWidget(self.empty)
        elif self._wanted != self._shown:
            self.inspect(self._wanted)

    def _keep_splitter(self) -> None:
        self.context.settings.set("inspect.splitter", self.splitter.saveState())

    def _again(self) -> None:
        if self._shown:
            self.inspect(self._shown)

    def _on_inspected(self, job: Job, path: str, event: Event) -> None:
        if job is not self._job:
            return
        self._job = None
        try:
            if isinstance(event, ResultEvent):
                self.show_inspection(parse_inspection(path, event.value))
                return
            message, details = (event.message, event.details) if isinstance(event, ErrorEvent) else ("", "")
        except ValueError as error:
            message, details = self.tr("The inspection cannot be read."), str(error)
        self.heading.setText(Path(path).name)
        self._show_nothing()
        self.banner.error(message, details, self.tr("Try again"), self._again)

    def _show_nothing(self) -> None:
        self.inspection = None
        self.splitter.hide()
        self._clear_pills()

    def show_inspection(self, found: Inspection) -> None:
        """Shows what was found."""
        self.inspection = found
        self.splitter.show()
        self.heading.setText(found.name)
        self._show_pills(found)
        self._show_cards(found)
        self.kv.set_groups(found.kv, found.path if found.is_bundle else "", found.encoder)
        self._show_passes(found.passes)
        self._show_details(found)
        self._refresh_live()

    def _clear_pills(self) -> None:
        while (item := self.pills.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()

    def _show_pills(self, found: Inspection) -> None:
        self._clear_pills()
        facts = dict(found.facts)
        for key, role in (("model_type", "accent"), ("layout", "cache"), ("precision", "")):
            if facts.get(key):
                self.pills.addWidget(Pill(str(facts[key]), role))

    def _show_cards(self, found: Inspection) -> None:
        for card in self.cards:
            self._list.removeWidget(card)
            card.deleteLater()
        self.cards = [ComponentCard(c) for c in found.components]
        for place, card in enumerate(self.cards):
            card.chosen.connect(lambda place=place: self.choose(place))
            self._list.insertWidget(place, card)
        if self.cards:
            self.choose(0)

    def choose(self, index: int) -> None:
        """Shows the tables of a component."""
        for place, card in enumerate(self.cards):
            card.set_chosen(place == index)
        component = self.cards[index].component
        self.inputs.rows.fill([_tensor_row(t) for t in component.inputs])
        self.outputs.rows.fill([_tensor_row(t) for t in component.outputs])
        self.inputs_title.setText(self.tr("Inputs · {0}").format(number(len(component.inputs))))
        self.outputs_title.setText(self.tr("Outputs · {0}").format(number(len(component.outputs))))
        self._counts.set_counts(component.op_counts, number)
        opsets = " · ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in component.opset.items())
        self.opset.setText(
            self.tr("{0} nodes, {1} kinds of operator · opset {2}").format(
                number(component.nodes), number(len(component.op_counts)), opsets or "?"
            )
        )

    def _show_passes(self, passes: tuple[PassRow, ...]) -> None:
        rows, tints = [], []
        for p in passes:
            refused = "; ".join(f"{r.reason} ({r.node})" if r.node else r.reason for r in p.refused)
            changed = self.tr("changed") if p.modified else self.tr("unchanged")
            rows.append((p.stage, p.component, p.name, changed, number(p.nodes_before), number(p.nodes_after), refused))
            tints.append("" if p.modified else "muted")
        self.passes.rows.fill(rows, tints)
        self.refusals.setText("")
        self.passes.setVisible(bool(rows))
        self.no_passes.setVisible(not rows)

    def _show_refusals(self, current: QModelIndex, _previous: QModelIndex) -> None:
        """The chosen pass's refusals in full: they are longer than a cell."""
        passes = self.inspection.passes if self.inspection else ()
        refused = passes[current.row()].refused if 0 <= current.row() < len(passes) else ()
        self.refusals.setText("\n".join(f"{r.reason}  {r.node}".rstrip() for r in refused))

    def _show_details(self, found: Inspection) -> None:
        while (item := self._facts.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        names = self._fact_names()
        rows = [(self.tr("Path"), found.path)]
        for key, value in found.facts:
            rows.append((names.get(key, key), self._fact_text(key, value)))
        if found.kv_bytes:
            rows.append((self.tr("Cache, all slots"), size(found.kv_bytes)))
        known = {key for key, _ in found.facts}
        for key, value in found.metadata:
            if value and key not in known:
                rows.append((names.get(key, key), when(value) if key == "built_at" else value))
        for place, (name, value) in enumerate(rows):
            self._facts.addWidget(label(name, "muted"), place, 0, Qt.AlignmentFlag.AlignTop)
            self._facts.addWidget(self._value(value), place, 1)
        self.verify_button.setVisible(found.is_bundle)
        self.verified.setText("")

    def _value(self, text: str) -> QLabel:
        cell = label(text, "small", wrap=True)
        cell.setFont(mono_font())
        return cell

    def _fact_names(self) -> dict[str, str]:
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
        }

    def _fact_text(self, key: str, value: Any) -> str:
        if key == "bytes":
            return size(value)
        if key in ("capacity", "chunk"):
            return self.tr("{0} tokens").format(number(value))
        return str(value)

    # -- live slots and verify -------------------------------------------------------------------------------

    def _refresh_live(self, *_: object) -> None:
        found = self.inspection
        same = found is not None and found.is_bundle and found.path == self.session.bundle
        self.kv.set_live(self.session.groups if same else None)

    def _open_session(self) -> None:
        if self.inspection is not None and self.inspection.is_bundle:
            self.session.open(self.inspection.path)

    def _verify(self) -> None:
        if self.inspection is None:
            return
        path = self.inspection.path
        self.verify_button.setEnabled(False)
        self._say(self.tr("Reading every file …"), "muted")
        job = self.context.probe_worker.request("verify", bundle=path)
        job.finished.connect(lambda event: self._on_verified(path, event))

    def _on_verified(self, path: str, event: Event) -> None:
        self.verify_button.setEnabled(True)
        if self.inspection is None or self.inspection.path != path:
            return
        if isinstance(event, ErrorEvent):
            self._say(event.message, "error")
        elif isinstance(event, ResultEvent):
            value = event.value
            if value.get("ok"):
                text = self.tr("All {0} files are as they were written ({1}).")
                self._say(text.format(number(value.get("files", 0)), size(value.get("bytes", 0))), "ok")
            else:
                self._say("\n".join(f"{p['file']}: {p['problem']}" for p in value.get("problems", [])), "error")

    def _say(self, text: str, role: str) -> None:
        self.verified.setText(text)
        set_role(self.verified, role)


def _tensor_row(tensor: Tensor) -> tuple[str, str, str]:
    return tensor.name, "[" + ", ".join(str(d) for d in tensor.shape) + "]", tensor.dtype
