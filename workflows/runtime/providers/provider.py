"""An execution provider: whether it can be used here, and how a session is opened on it without a silent fallback.

A provider is part of onnxruntime's build, or a plugin: a package whose library must be registered first. The nodes that
it runs are read from the session afterwards (assignment.py), for `get_providers` also lists one that runs none.
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

    name: what a person calls it. provider: onnxruntime's name. package: the module of its plugin; "" for one that is
    part of a build. brought_by: what a person installs to get it. copies_inputs: whether it copies inputs when they are
    bound, so that changing ones must be bound again before each run. options: Joinery's defaults. compiles: whether it
    compiles contexts ahead of time. sharing: the options by which contexts share weights. in_catalog: whether Windows
    ML may offer its plugin.
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
        """Whether the plugin's package, or the catalog of Windows ML, is installed."""
        return self._has_package or (self.in_catalog and windows_catalog.has_catalog())

    @property
    def _has_package(self) -> bool:
        return bool(self.package) and importlib.util.find_spec(self.package) is not None

    def unusable(self, reason: str, remedy: str = "") -> Device:
        """The device, marked as unusable for `reason`."""
        install = self.brought_by if self.package and remedy in (self.absent(), self.reinstallation_hint()) else ""
        return replace(self._device(), reason=reason, remedy=remedy, install=install)

    def _device(self) -> Device:
        """The device as known before anything is loaded."""
        removable = self.brought_by if self._has_package else ""
        return Device(self.name, self.title, self.provider, self.kind, uninstall=removable)

    def absent(self) -> str:
        """How to install a missing plugin."""
        return f"Install it: pip install {self.brought_by}."

    def reinstallation_hint(self) -> str:
        """How to repair a broken plugin."""
        if self.in_catalog and not self._has_package:
            return "Update Windows and its drivers."
        return f"Reinstall it: pip install --force-reinstall {self.brought_by}."

    def find(self) -> Device:
        """The device, usable or with reason and remedy. Loads the plugin's library, where there is one."""
        why, remedy = self._lacks()
        if why:
            return self.unusable(why, remedy)
        vendor, memory = self.facts()
        return replace(self._device(), vendor=vendor, memory_bytes=memory, usable=True, compiles=self.compiles)

    def facts(self) -> tuple[str, int | None]:
        """The vendor, and bytes of memory; None where unknown."""
        devices = self._devices()
        return (str(devices[0].ep_vendor) if devices else "", None)

    def _lacks(self) -> tuple[str, str]:
        """Why the provider cannot be used, and the remedy; both empty where it can."""
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
            return str(error), self.reinstallation_hint()
        if not self._devices():
            return f"{self.title} finds no device that it can use on this machine.", self.missing_device()
        return "", ""

    def missing_device(self) -> str:
        """The remedy where the plugin is installed and finds no device."""
        return "Update the driver of the device."

    def register(self) -> None:
        """Registers the plugin with onnxruntime, once per process. Raises DeviceError where it cannot be loaded."""
        if not self.installed or self._devices():
            return
        try:
            library = _library_of(self)
            _search_library_folder(library)
            ort.register_execution_provider_library(self.provider, str(library))
        except (ImportError, AttributeError, OSError, RuntimeError, ort.capi.onnxruntime_pybind11_state.Fail) as error:
            raise DeviceError(f"The plugin of {self.title} cannot be loaded: {printable(error, 200)}") from error

    def open(
        self, graph: GraphSource, session_options: ort.SessionOptions, options: Mapping[str, str]
    ) -> ort.InferenceSession:
        """A session whose nodes run on this provider where it can, and on the CPU otherwise. options: over its own.

        Raises DeviceError where the plugin cannot be loaded, and what onnxruntime raises for the graph.
        """
        self.register()
        own = self.own_options(options)
        if self.installed:
            session_options.add_provider_for_devices(self._devices()[:1], own)
            return ort.InferenceSession(graph, session_options, enable_fallback=False)
        return ort.InferenceSession(graph, session_options, providers=[(self.provider, own)], enable_fallback=False)

    def own_options(self, options: Mapping[str, str]) -> dict[str, str]:
        """The options for onnxruntime: Joinery's defaults under those of file and person."""
        return {**self.options, **options}

    def compile(
        self, graph: Path, session_options: ort.SessionOptions, options: Mapping[str, str], target: Path
    ) -> None:
        """Compiles a graph to a context file `target`, with its binary beside it. Raises what `open` raises."""
        self.register()
        session_options.add_provider_for_devices(self._devices()[:1], self.own_options(options))
        compiler = ort.ModelCompiler(session_options, str(graph), embed_compiled_data_into_model=False)
        compiler.compile_to_file(str(target))

    def widest(self) -> int | None:
        """The most columns of a run where the graph writes its cache in place; None for any."""
        return None

    @cached_property
    def has_memory(self) -> bool:
        """Whether cache rows can stay in the provider's own memory; else they are copied there for each run.

        Only valid once a session was opened on it.
        """
        return self.copies_inputs and bool(self._devices())

    def allocate(self, like: Array, element: np.dtype | int) -> ort.OrtValue:
        """A value in the provider's own memory, of the array's shape. element: its type, as onnxruntime takes it."""
        memory = self._devices()[0].memory_info(ort.OrtDeviceMemoryType.DEFAULT)
        return ort.OrtValue.ortvalue_from_shape_and_type(like.shape, element, memory_info=memory)

    def version(self) -> str:
        """The version of its package, else of its plugin, else of the onnxruntime build that contains it."""
        if self._has_package:
            return metadata.version(self.brought_by)
        self.register()
        versions = [device.ep_metadata.get("version") for device in self._devices()]
        return str((versions and versions[0]) or ort.__version__)

    def _devices(self) -> list[ort.OrtEpDevice]:
        return [device for device in ort.get_ep_devices() if device.ep_name == self.provider]


def _library_of(provider: Provider) -> Path:
    """The library of a plugin: of its package, which a person chose, before that of Windows ML."""
    if provider._has_package:
        return Path(import_module(provider.package).get_library_path())
    return windows_catalog.plugin_library(provider.provider)


def _search_library_folder(library: Path) -> None:
    """Makes Windows search a plugin library's folder for its dependencies (QnnHtp.dll …), before it is loaded.

    Otherwise Windows searches beside python.exe and in its system folder, where there may be another version, or none.
    """
    if sys.platform == "win32":
        os.add_dll_directory(str(library.parent))
