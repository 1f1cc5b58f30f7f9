"""What of the system Qt would miss, found before Qt is imported: it would end the process with words of its own.

    environment ──▶ which of Qt's platforms ──▶ their libraries ──▶ loaded, or one sentence with the command

resources/libraries.json says which package has a library, here and in installer/bootstrap.py.
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
    """What resources/libraries.json holds."""
    text = (Path(resources.__file__).parent / "libraries.json").read_text("utf-8")
    found: Packages = json.loads(text)
    return found


def platforms(env: Mapping[str, str]) -> list[str]:
    """Those of Qt's platforms, `xcb` and `wayland`, that may open the window; any one will do."""
    asked = env.get("QT_QPA_PLATFORM", "")
    if asked:
        names = [name.partition(":")[0].partition("-")[0] for name in asked.split(";")]
        return [name for name in names if name in ("xcb", "wayland")]
    displays = (("xcb", "DISPLAY"), ("wayland", "WAYLAND_DISPLAY"))
    return [name for name, variable in displays if env.get(variable)]


def unloadable(names: Iterable[str], load: Load) -> list[str]:
    """Those that the system does not load."""
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
    lacking = {name: unloadable(known[name], load) for name in platforms(env)}
    fewest = min(lacking.values(), key=len, default=[])  # one platform is enough
    wanted = {**known["base"], **known["xcb"], **known["wayland"]}
    return {name: wanted[name] for name in (*unloadable(known["base"], load), *fewest)}


def command(lacking: Mapping[str, Mapping[str, str]], which: Callable[[str], str | None]) -> str:
    """What installs them: a command line of apt or dnf, or the packages' names where there is neither."""
    for manager, line in (("apt", "sudo apt install"), ("dnf", "sudo dnf install")):
        if which(manager):
            return f"run `{line} {' '.join(sorted({one[manager] for one in lacking.values()}))}`"
    names = ", ".join(sorted({one["apt"] for one in lacking.values()}))
    return f"install what Debian calls {names} with your system's package manager"


def missing_libraries_message(
    env: Mapping[str, str], load: Load = ctypes.CDLL, which: Callable[[str], str | None] = shutil.which
) -> str:
    """Why the window cannot open on this Linux, as one sentence with the remedy; empty where it can."""
    if not sys.platform.startswith("linux"):
        return ""
    lacking = missing(env, load)
    if lacking:
        return f"The window needs {', '.join(lacking)}: {command(lacking, which)}, then start joinery again."
    if not platforms(env) and not env.get("QT_QPA_PLATFORM"):
        return "There is no display to open the window on: set DISPLAY, or use joinery's commands (joinery --help)."
    return ""
