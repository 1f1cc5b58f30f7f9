"""Plugins that Windows provides: the catalog of Windows ML, where its package `windowsml` is installed.

    EpCatalog().find_all_providers() ──by name──▶ ready_state ──▶ ensure_ready() ──▶ library_path

Making a plugin ready downloads it where it is not on the machine, so that happens only by request: `python -m
workflows.runtime.providers.fetch NAME`. Written from the package windowsml 2.5.96 and its documentation
(https://learn.microsoft.com/windows/ai/new-windows-ml/initialize-execution-providers); never run by the project.
onnxruntime must be imported before windowsml, or Windows loads the older one of its system folder.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol

import onnxruntime  # noqa: F401 - see above

from workflows.common.errors import DeviceError, printable

PACKAGE = "windowsml"


class PluginState(Protocol):
    """Ready, NotReady (installed, and not yet for this process) or NotPresent (to be downloaded)."""

    @property
    def name(self) -> str: ...


class CatalogPlugin(Protocol):
    """A plugin in the catalog."""

    @property
    def name(self) -> str: ...

    @property
    def ready_state(self) -> PluginState: ...

    @property
    def library_path(self) -> str: ...

    def ensure_ready(self) -> None: ...


class PluginMissingError(DeviceError):
    """A plugin that the catalog lacks, or offers only for download; `remedy` says how to get it."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def has_catalog() -> bool:
    """Whether the catalog's package is installed."""
    return importlib.util.find_spec(PACKAGE) is not None


def plugin_library(provider: str) -> Path:
    """The library of an installed plugin. Raises PluginMissingError for others, DeviceError for errors of Windows."""
    found = _find_plugin(provider)
    if found.ready_state.name == "NotPresent":
        raise PluginMissingError(
            f"Windows ML has the plugin of {provider}, and it is not on this machine yet.",
            f"Have Windows download it: python -m workflows.runtime.providers.fetch {provider}.",
        )
    return _ready_library(found)


def download_plugin(provider: str) -> Path:
    """The library of a plugin, which Windows may download first; that takes minutes."""
    return _ready_library(_find_plugin(provider))


def _find_plugin(provider: str) -> CatalogPlugin:
    offered = _catalog_plugins()
    for one in offered:
        if one.name == provider:
            return one
    names = ", ".join(printable(one.name) for one in offered) or "none"
    raise PluginMissingError(
        f"Windows ML has no plugin of {provider} for this machine; it has {names}.", "Update Windows and its drivers."
    )


@cache
def _catalog_plugins() -> Sequence[CatalogPlugin]:
    """The plugins that the catalog offers for this machine."""
    try:
        catalog = import_module(PACKAGE).EpCatalog()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(catalog))  # closing it ends the process with some NPUs' drivers
        return tuple(catalog.find_all_providers())
    except (ImportError, AttributeError, OSError, RuntimeError) as error:
        raise DeviceError(f"The catalog of Windows ML cannot be read: {printable(error, 200)}") from error


def _ready_library(one: CatalogPlugin) -> Path:
    try:
        one.ensure_ready()
        library = one.library_path
    except (OSError, RuntimeError) as error:
        raise DeviceError(f"Windows cannot make {one.name} ready: {printable(error, 200)}") from error
    if not library:
        raise DeviceError(f"Windows ML names no library of {one.name}: update Windows.")
    return Path(library)
