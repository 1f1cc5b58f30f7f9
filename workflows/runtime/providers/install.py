"""Installs and removes a provider's plugin in this environment, by pip in a process that can be stopped.

    describe_plugin("qnn") ──▶ package, version, hashes, sources, environment: what the person confirms
    install_plugin("qnn") ──starts──▶ pip install -r onnxruntime-qnn.txt ──its lines──▶ report │ DeviceError

Only the plugin is installed, from a file whose hash resources/plugins lists, without its dependencies: these are an
onnxruntime, and the installed one, which Joinery was tested with, must stay. A broken or partly installed plugin is
reinstalled.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import resources
from pathlib import Path

from workflows.common.build_part_finder import is_frozen
from workflows.common.errors import DeviceError, printable
from workflows.process.pip import QUIET, WRONG_HASH, last_complaint, package_indexes, run_pip
from workflows.process.subprocesses import ProcessResult
from workflows.runtime.providers.registry import PROVIDERS
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.devices import PluginReport

PLUGIN_VERSIONS = {"onnxruntime-qnn": "2.7.0", "onnxruntime-ep-webgpu": "0.4.0"}
"""The tested versions, as in resources/plugins."""
_INSTALL = ("install", "--require-hashes", "--no-deps", "--force-reinstall", "--only-binary=:all:", *QUIET)


def describe_plugin(name: str) -> PluginReport:
    """What installing the plugin of the provider called `name` would install, from where, and into which environment.

    Raises DeviceError for a provider without a plugin, and an environment without pip.
    """
    package = _package_of(name)
    sources = package_indexes()
    with _lock_of(package) as lock:
        hashes = re.findall(r"--hash=(\S+)", lock.read_text("utf-8"))
    return PluginReport(name, package, PLUGIN_VERSIONS[package], hashes, sources, sys.prefix)


def install_plugin(
    name: str, report: Callable[[Event], None] = lambda _: None, cancelled: Callable[[], bool] = lambda: False
) -> None:
    """Installs the plugin of the provider called `name`.

    Raises DeviceError for a provider without a plugin, an environment without pip, and what pip refuses; Cancelled.
    """
    package = _package_of(name)
    with _lock_of(package) as lock:
        ended = run_pip([*_INSTALL, "-r", str(lock)], _reporter("install", report), cancelled)
    if ended.failure and WRONG_HASH in ended.log:
        raise DeviceError(
            f"pip received a file for {package}=={PLUGIN_VERSIONS[package]} whose hash is none of those that Joinery "
            "was tested with, and installed nothing: check where pip gets its packages from."
        )
    _raise_if_failed(ended, f"install {package}=={PLUGIN_VERSIONS[package]}")


def remove_plugin(
    name: str, report: Callable[[Event], None] = lambda _: None, cancelled: Callable[[], bool] = lambda: False
) -> None:
    """Removes the plugin of the provider called `name`. Raises as `install_plugin` does."""
    package = _package_of(name)
    ended = run_pip(["uninstall", "--yes", *QUIET, package], _reporter("uninstall", report), cancelled)
    _raise_if_failed(ended, f"remove {package}")


def _package_of(name: str) -> str:
    provider = PROVIDERS.get(name)
    if provider is None or provider.brought_by not in PLUGIN_VERSIONS:
        known = ", ".join(one.name for one in PROVIDERS.values() if one.brought_by in PLUGIN_VERSIONS)
        raise DeviceError(f"There is no plugin to install for {printable(name)!r}: there are plugins for {known}.")
    if importlib.util.find_spec("pip") is None:
        wanted = f"{provider.brought_by}=={PLUGIN_VERSIONS[provider.brought_by]}"
        if is_frozen():
            raise DeviceError(
                f"This program takes no plugins: install Joinery for Python, `python3 -m pip install joinery {wanted}`."
            )
        raise DeviceError(f"This environment has no pip: install {wanted} with the tool that made the environment.")
    return provider.brought_by


def _lock_of(package: str) -> AbstractContextManager[Path]:
    return resources.as_file(resources.files("resources") / "plugins" / f"{package}.txt")


def _reporter(stage: str, report: Callable[[Event], None]) -> Callable[[str], None]:
    return lambda line: report(ProgressEvent(stage=stage, message=printable(line, 200)))


def _raise_if_failed(ended: ProcessResult, what: str) -> None:
    if ended.failure:
        raise DeviceError(f"pip could not {what}: {printable(last_complaint(ended.log), 200) or ended.failure}")
