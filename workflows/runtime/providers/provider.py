"""What every provider says of itself, and how a session is opened without a silent fallback.

A provider is part of onnxruntime's build, or a plugin: a package whose library is registered before it can be asked
for. Which nodes a session gave to it is read from the session afterwards; `get_providers` lists one that took none.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module, metadata
from pathlib import Path

import numpy as np
import onnxruntime as ort

from workflows.common.errors import DeviceError, printable
from workflows.common.tensors import Array
from workflows.runtime.providers import windows_catalog
from workflows.wire.reports.devices import Device, Kind

GraphSource = Path | bytes


@dataclass(frozen=True)
class Provider:
    """One execution provider.

    name: what a person calls it. provider: onnxruntime's name. package: the module of its plugin, "" for one that is
    part of a build. brought_by: what a person installs. copies_inputs: whether it copies what is bound when it is
    bound, so that what changes must be bound anew before each run. options: what Joinery sets unless told otherwise.
    compiles: whether it makes contexts beforehand. sharing: the options by which contexts share their weights.
    in_catalog: whether Windows ML may have its plugin.
    """

    name: str
    title: str
    provider: str
    kind: Kind
    package: str = ""
    brought_by: str = ""
    copies_inputs: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    compiles: bool = False
    sharing: Mapping[str, str] = field(default_factory=dict)
    in_catalog: bool = False

    @property
    def installed(self) -> bool:
        """Whether there is a plugin's library that would be loaded, or Windows ML to ask for one."""
        return self._has_package or (self.in_catalog and windows_catalog.has_catalog())

    @property
    def _has_package(self) -> bool:
        return bool(self.package) and importlib.util.find_spec(self.package) is not None

    def unusable(self, reason: str, remedy: str = "") -> Device:
        """The device that cannot be used."""
        install = self.brought_by if self.package and remedy in (self.absent(), self.reinstall()) else ""
        return replace(self._device(), reason=reason, remedy=remedy, install=install)

    def _device(self) -> Device:
        """What is known of it before anything is loaded."""
        removable = self.brought_by if self._has_package else ""
        return Device(self.name, self.title, self.provider, self.kind, uninstall=removable)

    def absent(self) -> str:
        """What brings a plugin that is not here."""
        return f"Install it: pip install {self.brought_by}."

    def reinstall(self) -> str:
        """What mends a plugin that is broken."""
        if self.in_catalog and not self._has_package:
            return "Update Windows and its drivers."
        return f"Install it anew: pip install --force-reinstall {self.brought_by}."

    def find(self) -> Device:
        """The device, usable or with the reason and the remedy. Loads the plugin's library, where there is one."""
        why, remedy = self._lacks()
        if why:
            return self.unusable(why, remedy)
        vendor, memory = self.facts()
        found = replace(self._device(), vendor=vendor, memory_bytes=memory)
        return replace(found, usable=True, compiles=self.compiles)

    def facts(self) -> tuple[str, int | None]:
        """Vendor and bytes of memory, None where nothing tells."""
        found = [device for device in ort.get_ep_devices() if device.ep_name == self.provider]
        return (str(found[0].ep_vendor) if found else "", None)

    def _lacks(self) -> tuple[str, str]:
        """Why it cannot be used, and what would make it so; empty where it can."""
        if self.provider in ort.get_available_providers():
            return "", ""
        if not self.package and not self.installed:
            return (
                f"{self.provider} is not part of the installed onnxruntime {ort.__version__}.",
                f"It comes with {self.brought_by}.",
            )
        if not self.installed:
            return f"The plugin {self.brought_by} is not installed.", self.absent()
        try:
            self.register()
        except windows_catalog.PluginMissingError as error:
            return str(error), error.remedy
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
        if not self.installed or self._is_known():
            return
        try:
            library = self._library()
            _search_library_folder(library)
            ort.register_execution_provider_library(self.provider, str(library))
        except (ImportError, AttributeError, OSError, RuntimeError, ort.capi.onnxruntime_pybind11_state.Fail) as error:
            raise DeviceError(f"The plugin of {self.title} cannot be loaded: {printable(error, 200)}") from error

    def open(self, graph: GraphSource, told: ort.SessionOptions, options: Mapping[str, str]) -> ort.InferenceSession:
        """A session whose nodes this provider takes as far as it can, the CPU the rest. options: over its own.

        Raises DeviceError where the plugin cannot be loaded, and what onnxruntime raises for the graph.
        """
        self.register()
        own = self.own_options(options)
        if self.installed:
            told.add_provider_for_devices(self._devices()[:1], own)
            return ort.InferenceSession(graph, told, enable_fallback=False)
        return ort.InferenceSession(graph, told, providers=[(self.provider, own)], enable_fallback=False)

    def own_options(self, options: Mapping[str, str]) -> dict[str, str]:
        """What onnxruntime is told: Joinery's own under what a person or a file says."""
        return {**self.options, **options}

    def compile(self, graph: Path, told: ort.SessionOptions, options: Mapping[str, str], target: Path) -> None:
        """Writes what this provider makes of a graph to `target`, its binary beside it. Raises as `open` does."""
        self.register()
        told.add_provider_for_devices(self._devices()[:1], self.own_options(options))
        compiler = ort.ModelCompiler(told, str(graph), embed_compiled_data_into_model=False)
        compiler.compile_to_file(str(target))

    def widest(self) -> int | None:
        """The columns that a run may have where the graph writes its cache in place; None for any."""
        return None

    @cached_property
    def has_memory(self) -> bool:
        """Whether rows of a cache can be kept in memory of its own, else they are copied there for each run; asked of
        one that a session was opened on.
        """
        return self.copies_inputs and bool(self._devices())

    def allocate(self, like: Array, element: np.dtype | int) -> ort.OrtValue:
        """Memory of the provider's own, of the array's shape; element: its type, as onnxruntime takes it."""
        memory = self._devices()[0].memory_info(ort.OrtDeviceMemoryType.DEFAULT)
        return ort.OrtValue.ortvalue_from_shape_and_type(like.shape, element, memory_info=memory)

    def version(self) -> str:
        """Of the package that brought it, else as its plugin says itself, or of the onnxruntime that it is part of."""
        if self._has_package:
            return metadata.version(self.brought_by)
        self.register()
        told = [device.ep_metadata.get("version") for device in self._devices()]
        return str((told and told[0]) or ort.__version__)

    def _devices(self) -> list[ort.OrtEpDevice]:
        return [device for device in ort.get_ep_devices() if device.ep_name == self.provider]

    def _library(self) -> Path:
        """Of the plugin: the package's, which a person chose, before that of Windows ML."""
        if self._has_package:
            return Path(import_module(self.package).get_library_path())
        return windows_catalog.plugin_library(self.provider)

    def _is_known(self) -> bool:
        return bool(self._devices())


def _search_library_folder(library: Path) -> None:
    """Has Windows look for what a plugin's library needs (QnnHtp.dll …) in its own folder, before it is loaded.

    Windows looks beside python.exe and in its system folder otherwise, where there may be another version, or none.
    """
    if sys.platform == "win32":
        os.add_dll_directory(str(library.parent))
