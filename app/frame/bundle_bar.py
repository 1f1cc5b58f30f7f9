"""The bar above the page: the current bundle, its components, cache layout and capacity, precision, provider."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from app.state.bundle_use import use_of
from app.state.context import AppContext
from app.text.formatting import cache_label
from app.widgets.basics import PillLabel, button, label
from app.widgets.layouts import Stretch, hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, set_icon


class BundleBar(QWidget):
    """Follows the context; the bundle's name opens a menu of recent bundles."""

    paletteRequested = Signal()  # noqa: N815
    openRequested = Signal()  # noqa: N815

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setProperty("role", "topbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(6 * G)
        self._menu = QMenu(self)
        self._actions: list[QAction] = []
        self._menu.aboutToShow.connect(self._fill_menu)
        self.chooser = QToolButton()
        self.chooser.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.chooser.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.chooser.setMenu(self._menu)
        self.chooser.setIconSize(QSize(16, 16))
        self.chooser.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_icon(self.chooser, "chevron-down", "muted")
        self._parts = {name: PillLabel() for name in ("components", "layout", "precision", "provider")}
        self._hint = label(self.tr("Build a checkpoint or open a bundle to begin"), "muted")
        tip = self.tr("Find an action (Ctrl+K)")
        self._search = button(self.tr("Find an action"), "search", clicked=self.paletteRequested.emit, tool_tip=tip)
        self._lay_out()
        context.bundleChanged.connect(self.refresh)
        context.session.stateChanged.connect(self.refresh)
        context.session.opened.connect(self.refresh)  # the session's bundle is known from then on
        self.refresh()

    def _lay_out(self) -> None:
        self._hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        pills, rest = self._parts.values(), ((self._hint, 1), Stretch(0), self._search)
        hbox(label(self.tr("Bundle"), "muted"), self.chooser, *pills, *rest, parent=self, margins=(2 * G, 0, G, 0))

    def bundle_actions(self) -> list[QAction]:
        """One action for each recent bundle, which opens it; valid until the next call."""
        for old in self._actions:
            old.deleteLater()
        recents, actions = self._context.recents, list[QAction]()
        current = str((self._context.bundle or {}).get("path", ""))
        for entry in recents.entries:
            action = QAction(recents.label_of(entry), self)
            set_tool_tip(action, entry.path)
            set_icon(action, "component", "muted")
            action.setEnabled(not entry.problem)
            action.setCheckable(True)
            action.setChecked(entry.path == current)
            action.triggered.connect(lambda _checked=False, path=entry.path: self._context.open_bundle(path))
            actions.append(action)
        self._actions = actions
        return actions

    def _fill_menu(self) -> None:
        self._menu.clear()
        self._menu.addActions(self.bundle_actions())
        if self._menu.isEmpty():
            none = self._menu.addAction(self.tr("No recent bundles"))
            none.setEnabled(False)
        self._menu.addSeparator()
        self._menu.addAction(self.tr("Open a bundle …"), self.openRequested.emit)
        self._menu.addAction(self.tr("Go to home"), lambda: self._context.navigate.emit("home"))

    def refresh(self, _changed: object = None) -> None:
        bundle = self._context.bundle
        self._hint.setText("" if bundle else self.tr("Build a checkpoint or open a bundle to begin"))
        for part in self._parts.values():
            part.setVisible(bundle is not None)
        self.chooser.setText(bundle["name"] if bundle else self.tr("none"))
        self.chooser.setAccessibleName(self.tr("Current bundle: {0}").format(self.chooser.text()))
        if bundle is None:
            return
        ready = self._context.ready
        layout = ready.layout if ready else bundle["layout"]
        capacity = ready.capacity if ready else bundle["capacity"]
        names = [str(c) for c in bundle["components"]]
        self._parts["components"].set(" + ".join(names) if len(names) < 4 else self.tr("%n components", "", len(names)))
        self._parts["layout"].set(cache_label(layout, capacity), "cache")
        self._parts["layout"].setVisible(bool(layout))
        set_tool_tip(self._parts["layout"], self.tr("Cache layout and capacity in tokens"))
        self._parts["precision"].set(str(bundle["precision"]))
        self._parts["precision"].setVisible(bool(bundle["precision"]))  # unknown for folders of other programs
        self._parts["provider"].set(ready.provider if ready else self.tr("not loaded"), "ok" if ready else "")
        self._parts["provider"].setVisible(use_of(bundle) == "chat")  # the session is of bundles that generate
