"""The bundles to serve: a row each with the name that clients use, and a field that adds one.

ServerModel.options.bundles: name → folder ◀──▶ a row each: name, what it is, a button that removes it
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from app.state.context import AppContext
from app.state.server_options import free_name, refusal
from app.text.translatable import tr
from app.widgets.basics import ElidedLabel, Section, button, label
from app.widgets.bundle_field import BundleField
from app.widgets.fields import line_edit
from app.widgets.layouts import clear_layout, hbox, vbox
from app.widgets.theme import G

_NAME_WIDTH = 36 * G


class ServedBundleList(Section):
    """The rows in the order of the command line. The open bundle is in the list while nobody has chosen another one."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(tr("Bundles"), parent=parent)
        self._context, self._server = context, context.server
        self._shown: dict[str, str] | None = None
        text = self.tr("Clients name them in each request. A bundle is opened with the first one.")
        self.body.addWidget(label(text, "muted", wrap=True))
        self._rows = vbox(spacing=G // 2)
        self.body.addLayout(self._rows)
        self.names: list[QLineEdit] = []
        self.field = BundleField(context.recents, self.tr("Bundle to add"), self.tr("A bundle's folder"), unfit=refusal)
        self.add_button = button(self.tr("Add"), "plus", clicked=lambda: self.add(self.field.path))
        self.body.addLayout(hbox((self.field, 1), self.add_button))
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        self.body.addWidget(self.problem)
        self.field.changed.connect(lambda _: self._enable())
        context.bundleChanged.connect(self._on_bundle)
        self._server.changed.connect(self.refresh)
        self._on_bundle(context.bundle)
        self.refresh()

    def add(self, folder: str) -> None:
        """Adds the bundle in a folder, unless it is there already or no route is for it."""
        bundles = self._server.options.bundles
        if not folder or folder in bundles.values():
            return
        reason = refusal(self._context.describe(folder))
        self._report(reason)
        if not reason:
            self._choose({**bundles, free_name(folder, bundles): folder})
            self.field.field.setEditText("")

    def refresh(self) -> None:
        """Shows the chosen bundles."""
        chosen = dict(self._server.options.bundles)
        if chosen != self._shown:
            self._shown = chosen
            self._show_rows(chosen)
        self._enable()

    def _show_rows(self, chosen: dict[str, str]) -> None:
        clear_layout(self._rows)
        self.names = []
        for name, folder in chosen.items():
            field = line_edit(self.tr("Name of {0} for clients").format(name))
            field.setText(name)
            field.setCursorPosition(0)  # the beginning of a long name
            field.setFixedWidth(_NAME_WIDTH)
            field.setMaxLength(200)
            field.editingFinished.connect(partial(self._rename, name, field))
            self.names.append(field)
            what = ElidedLabel(f"{self._context.title_of(folder)}  ·  {folder}", cut=Qt.TextElideMode.ElideMiddle)
            remove = button(self.tr("Remove"), "close", clicked=partial(self._remove, name))
            remove.setAccessibleName(self.tr("Remove {0}").format(name))
            row = QWidget()
            hbox(field, (what, 1), remove, parent=row)
            self._rows.addWidget(row)

    def _rename(self, name: str, field: QLineEdit) -> None:
        new, bundles = field.text().strip(), self._server.options.bundles
        if new == name or name not in bundles:
            return
        if not new or new in bundles or "=" in new:
            field.setText(name)
            self._report(self.tr("A name is not empty, has no =, and stands for one bundle."))
            return
        self._report("")
        self._choose({new if one == name else one: folder for one, folder in bundles.items()})

    def _remove(self, name: str) -> None:
        self._report("")
        self._choose({one: folder for one, folder in self._server.options.bundles.items() if one != name})

    def _choose(self, bundles: dict[str, str]) -> None:
        self._server.change(bundles=bundles)

    def _on_bundle(self, bundle: object) -> None:
        """The open bundle is what the field offers, and what is served while the list is empty."""
        if not isinstance(bundle, dict):
            return
        folder = str(bundle["path"])
        if not self._server.options.bundles and not self._server.on and not refusal(bundle):
            self._choose({free_name(folder, {}): folder})
        elif folder not in self._server.options.bundles.values() and not refusal(bundle):
            self.field.choose(folder)

    def _enable(self) -> None:
        path = self.field.path
        self.add_button.setEnabled(bool(path) and path not in self._server.options.bundles.values())

    def _report(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
