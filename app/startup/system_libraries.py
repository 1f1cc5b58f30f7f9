"""Finds the system libraries that Qt needs and the system lacks, before Qt is imported: Qt would abort the process.

    environment ──▶ Qt platforms that apply ──▶ their libraries ──▶ loaded, or one sentence with the command

resources/libraries.json names the package of each library, also for installer/bootstrap.py.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import resources

Load = Callable[[str], object]
Packages = dict[str, dict[str, dict[str, str]]]
"""Platform (or `base`) → library → package manager → package."""


def packages() -> Packages:
    """The content of resources/libraries.json."""
    text = (Path(resources.__file__).parent / "libraries.json").read_text("utf-8")
    result: Packages = json.loads(text)
    return result


def platforms(env: Mapping[str, str]) -> list[str]:
    """The Qt platforms, `xcb` and `wayland`, that may open the window; one of them is enough."""
    requested = env.get("QT_QPA_PLATFORM", "")
    if requested:
        names = [name.partition(":")[0].partition("-")[0] for name in requested.split(";")]
        return [name for name in names if name in ("xcb", "wayland")]
    displays = (("xcb", "DISPLAY"), ("wayland", "WAYLAND_DISPLAY"))
    return [name for name, variable in displays if env.get(variable)]


def unloadable(names: Iterable[str], load: Load) -> list[str]:
    """The libraries that the system cannot load."""
    missing = []
    for name in names:
        try:
            load(name)
        except OSError:
            missing.append(name)
    return missing


def missing(env: Mapping[str, str], load: Load) -> dict[str, dict[str, str]]:
    """The libraries that the window needs and the system lacks, each with its packages."""
    known = packages()
    missing_by_platform = {name: unloadable(known[name], load) for name in platforms(env)}
    fewest = min(missing_by_platform.values(), key=len, default=[])  # one platform is enough
    wanted = {**known["base"], **known["xcb"], **known["wayland"]}
    return {name: wanted[name] for name in (*unloadable(known["base"], load), *fewest)}


def command(libraries: Mapping[str, Mapping[str, str]], which: Callable[[str], str | None]) -> str:
    """The command that installs them with apt or dnf, or the packages' names where there is neither."""
    for manager, line in (("apt", "sudo apt install"), ("dnf", "sudo dnf install")):
        if which(manager):
            return f"run `{line} {' '.join(sorted({one[manager] for one in libraries.values()}))}`"
    names = ", ".join(sorted({one["apt"] for one in libraries.values()}))
    return f"install what Debian calls {names} with your system's package manager"


def missing_libraries_message(
    env: Mapping[str, str], load: Load = ctypes.CDLL, which: Callable[[str], str | None] = shutil.which
) -> str:
    """Why the window cannot open on this Linux, with the remedy; empty where it can."""
    if not sys.platform.startswith("linux"):
        return ""
    libraries = missing(env, load)
    if libraries:
        return f"The window needs {', '.join(libraries)}: {command(libraries, which)}, then start joinery again."
    if not platforms(env) and not env.get("QT_QPA_PLATFORM"):
        return "There is no display to open the window on: set DISPLAY, or use joinery's commands (joinery --help)."
    return ""
