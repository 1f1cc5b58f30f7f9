"""What every provider says of itself, and how a session is opened without a silent fallback.

A provider is part of onnxruntime's build, or a plugin: a package whose library is registered before it can be asked
for. Which nodes a session gave to it is read from the session afterwards; `get_providers` lists one that took none.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import onnxruntime as ort

from workflows.errors import DeviceError, printable
from workflows.wire.reports.devices import Device, Kind

Graph = Path | bytes


@dataclass(frozen=True)
class Provider:
    """One execution provider.

    name: what a person calls it. provider: onnxruntime's name. package: the module of its plugin, "" for one that is
    part of a build. brought_by: what a person installs. copies_inputs: whether it copies what is bound when it is
    bound, so that what changes must be bound anew before each run. options: what Joinery sets unless told otherwise.
    """

    name: str
    title: str
    provider: str
    kind: Kind
    package: str = ""
    brought_by: str = ""
    copies_inputs: bool = False
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def installed(self) -> bool:
        """Whether there is a plugin's library that would be loaded."""
        return bool(self.package) and importlib.util.find_spec(self.package) is not None

    def unusable(self, reason: str, remedy: str = "") -> Device:
        """The device that cannot be used."""
        install = self.brought_by if self.package and remedy in (self.absent(), self.reinstall()) else ""
        return Device(self.name, self.title, self.provider, self.kind, reason=reason, remedy=remedy, install=install)

    def absent(self) -> str:
        """What brings a plugin that is not here."""
        return f"Install it: pip install {self.brought_by}."

    def reinstall(self) -> str:
        """What mends a plugin that is broken."""
        return f"Install it anew: pip install --force-reinstall {self.brought_by}."

    def find(self) -> Device:
        """The device, usable or with the reason and the remedy. Loads the plugin's library, where there is one."""
        why, remedy = self._lacks()
        if why:
            return self.unusable(why, remedy)
        vendor, memory = self.facts()
        return Device(self.name, self.title, self.provider, self.kind, vendor, memory, usable=True)

    def facts(self) -> tuple[str, int | None]:
        """Vendor and bytes of memory, None where nothing tells."""
        found = [device for device in ort.get_ep_devices() if device.ep_name == self.provider]
        return (str(found[0].ep_vendor) if found else "", None)

    def _lacks(self) -> tuple[str, str]:
        """Why it cannot be used, and what would make it so; empty where it can."""
        if not self.package:
            if self.provider in ort.get_available_providers():
                return "", ""
            return (
                f"{self.provider} is not part of the installed onnxruntime {ort.__version__}.",
                f"It comes with {self.brought_by}.",
            )
        if not self.installed:
            return f"The plugin {self.brought_by} is not installed.", self.absent()
        try:
            self.register()
        except DeviceError as error:
            return str(error), self.reinstall()
        if not self._devices():
            return f"{self.title} finds no device that it can use on this machine.", self.missing_device()
        return "", ""

    def missing_device(self) -> str:
        """What would bring a device, where the plugin itself is here."""
        return "Update the driver of the device."

    def register(self) -> None:
        """Makes onnxruntime know the plugin; once a process. Raises DeviceError for a library that cannot be loaded."""
        if not self.package or self._is_known():
            return
        try:
            plugin = import_module(self.package)
            ort.register_execution_provider_library(self.provider, plugin.get_library_path())
        except (ImportError, AttributeError, OSError, RuntimeError, ort.capi.onnxruntime_pybind11_state.Fail) as error:
            raise DeviceError(f"The plugin of {self.title} cannot be loaded: {printable(error, 200)}") from error

    def open(
        self, graph: Graph, told: ort.SessionOptions, options: Mapping[str, str]
    ) -> ort.InferenceSession:
        """A session whose nodes this provider takes as far as it can, the CPU the rest. options: over its own.

        Raises DeviceError where the plugin cannot be loaded, and what onnxruntime raises for the graph.
        """
        self.register()
        own = {**self.options, **options}
        if self.package:
            told.add_provider_for_devices(self._devices()[:1], own)
            return ort.InferenceSession(graph, told, enable_fallback=False)
        return ort.InferenceSession(graph, told, providers=[(self.provider, own)], enable_fallback=False)

    def _devices(self) -> list[ort.OrtEpDevice]:
        return [device for device in ort.get_ep_devices() if device.ep_name == self.provider]

    def _is_known(self) -> bool:
        return bool(self._devices())
