"""The actions of the graph tab and their keys; Ctrl+K finds them on the page, which takes them over."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from app.widgets.actions import add_action

if TYPE_CHECKING:
    from app.inspect.graph.graph_tab import GraphTab


def add_graph_actions(tab: GraphTab) -> None:
    """Keys of this tab; Ctrl+K finds them on the page, which takes them over."""
    add_action(tab, tab.tr("Graph: find a node"), tab.search, "Ctrl+F")
    add_action(tab, tab.tr("Graph: copy the details"), tab.panel.copy, "Ctrl+Shift+C")
    for keys, text, act in (
        ("F8", tab.tr("Graph: next change"), partial(tab.step_change, 1)),
        ("Shift+F8", tab.tr("Graph: previous change"), partial(tab.step_change, -1)),
    ):
        add_action(tab, text, act, keys)
    add_action(tab, tab.tr("Graph: compare with the stage before"), tab.stages.compare_before)
    add_action(tab, tab.tr("Graph: compare with another file …"), tab.ask_file)
    add_action(tab, tab.tr("Graph: no comparison"), partial(tab.model.compare, None))
    add_action(tab, tab.tr("Graph: draw with Netron"), partial(tab.netron.switch, True))
    add_action(tab, tab.tr("Graph: open every scope"), tab.open_all)
    tools = tab.tools
    add_action(tab, tab.tr("Graph: draw layers of one structure as one, or each"), tools.folds.click, "Ctrl+L")
    add_action(tab, tab.tr("Graph: show or hide the details"), tools.details.click, "Ctrl+I")
    add_action(tab, tab.tr("Graph: show or hide the changes"), tools.changes.click, "Ctrl+J")
    add_action(tab, tab.tr("Graph: before and after side by side, or as one"), tab.toggle_split, "Ctrl+D")
    add_action(tab, tab.tr("Graph: close every scope"), tab.close_all)
    tab.exports = [
        add_action(tab, tab.tr("Graph: save all as SVG …"), partial(tab.saver.ask, ".svg", True)),
        add_action(tab, tab.tr("Graph: save all as PNG …"), partial(tab.saver.ask, ".png", True)),
        add_action(tab, tab.tr("Graph: save what is seen as SVG …"), partial(tab.saver.ask, ".svg", False)),
        add_action(tab, tab.tr("Graph: save what is seen as PNG …"), partial(tab.saver.ask, ".png", False)),
    ]
    menu = QMenu(tab)
    menu.addActions(tab.actions())
    tab.tools.more.setMenu(menu)
    _add_canvas_keys(tab)


def _add_canvas_keys(tab: GraphTab) -> None:
    """Single letters, which belong to the picture alone: in a field they are written."""
    for keys, act in (
        ("n", partial(tab.finder.step, 1)),
        ("Shift+N", partial(tab.finder.step, -1)),
        ("]", partial(tab.step_change, 1)),
        ("[", partial(tab.step_change, -1)),
        ("/", tab.search),
    ):
        key = QAction(tab.view.canvas)
        key.setShortcut(QKeySequence(keys))
        key.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        key.triggered.connect(lambda _checked=False, act=act: act())
        tab.view.canvas.addAction(key)
