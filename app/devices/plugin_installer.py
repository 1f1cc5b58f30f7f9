"""Installation and removal of provider plugins, with a confirmation; also detects changes by other programs.

card ──▶ PluginInstaller.request ──DescribePlugin──▶ question (package, version, hashes, index) ──▶ DeviceJobs
site-packages ──PluginWatcher.changed──▶ the devices are requested again
"""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from functools import partial
from importlib import metadata, resources
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from app.state.context import AppContext
from app.widgets.expiring_question import ExpiringQuestion
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.devices import Device, PluginReport
from workflows.wire.requests import DescribePlugin, InstallPlugin, RemovePlugin

QUIET_MS = 1500
"""The delay after the last change of a folder in which pip may still write."""


def installed_plugins() -> dict[str, str]:
    """The version of each installed plugin, from package metadata; nothing is imported."""
    names = [file.name.removesuffix(".txt") for file in (resources.files("resources") / "plugins").iterdir()]
    return {name: version for name in names if (version := _version(name))}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


class PluginWatcher(QObject):
    """Emits `changed` when plugins were installed or removed by any program."""

    changed = Signal()

    def __init__(
        self,
        parent: QObject | None = None,
        folder: Path | None = None,
        list_plugins: Callable[[], dict[str, str]] = installed_plugins,
    ) -> None:
        super().__init__(parent)
        self._list_plugins, self._known = list_plugins, list_plugins()
        self._watcher = QFileSystemWatcher([str(folder or sysconfig.get_path("purelib"))], self)
        self._quiet = QTimer(self, interval=QUIET_MS, singleShot=True)
        self._watcher.directoryChanged.connect(lambda _folder: self._quiet.start())
        self._quiet.timeout.connect(self._compare)

    def _compare(self) -> None:
        before, self._known = self._known, self._list_plugins()
        if self._known != before:
            self.changed.emit()


class PluginInstaller(QObject):
    """Asks for confirmation before pip runs. devices: the listed devices by name."""

    failed = Signal(object)  # an ErrorEvent
    listed = Signal()
    """The device list changed; the page emits it."""

    def __init__(self, context: AppContext, devices: Callable[[], dict[str, Device]], page: QWidget) -> None:
        super().__init__(page)
        self._context, self._devices, self._page = context, devices, page
        self.question: ExpiringQuestion | None = None

    def request(self, device: Device, removes: bool) -> None:
        """Look up what pip would do and ask for confirmation; the answer starts it."""
        job = self._context.probe_worker.request(DescribePlugin(device.name))
        job.on_answer(lambda plugin: self._confirm(device, plugin, removes))
        job.on_error(self._on_error)

    def _on_error(self, error: ErrorEvent) -> None:
        self.failed.emit(error)

    def _subject(self, name: str) -> object:
        """The subject of the question: what is missing and installed, and that no work is running."""
        device = self._devices().get(name)
        return device and (device.install, device.uninstall, self._context.plugins.device)

    def _confirm(self, device: Device, plugin: PluginReport, removes: bool) -> None:
        if self.question is not None or self._context.plugins.device:
            return
        title = self.tr("Remove {0}?") if removes else self.tr("Install {0}?")
        box = ExpiringQuestion(
            title.format(plugin.package),
            self._details(plugin, removes),
            "" if removes else self._origin(plugin),
            partial(self._subject, device.name),
            self._page.window(),
        )
        if not removes:
            box.setDetailedText("\n".join(plugin.hashes))
        role = QMessageBox.ButtonRole.DestructiveRole if removes else QMessageBox.ButtonRole.AcceptRole
        act = partial(self._remove if removes else self._install, device.name)
        box.add_answer(self.tr("Remove") if removes else self.tr("Install"), role, act)
        box.add_refusal(self.tr("Cancel"))
        box.check_after(self._context.plugins.changed, self.listed)
        box.finished.connect(self._forget)
        self.question = box
        box.open()

    def _details(self, plugin: PluginReport, removes: bool) -> str:
        if removes:
            text = self.tr("pip removes {0} from Joinery's own environment, {1}.")
            return text.format(plugin.package, plugin.environment)
        text = self.tr("pip installs {0} {1} into Joinery's own environment, {2}.")
        return text.format(plugin.package, plugin.version, plugin.environment)

    def _origin(self, plugin: PluginReport) -> str:
        text = self.tr(
            "Source: {0}. pip accepts only files with one of the {1} SHA-256 hashes that Joinery was tested with."
        )
        return text.format(
            ", ".join(plugin.sources) or self.tr("none: pip is not allowed to use an index"), len(plugin.hashes)
        )

    def _install(self, name: str) -> None:
        self._context.plugins.start(name, InstallPlugin(name), self.tr("Starting pip …"))

    def _remove(self, name: str) -> None:
        self._context.plugins.start(name, RemovePlugin(name), self.tr("Starting pip …"))

    def _forget(self) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None
