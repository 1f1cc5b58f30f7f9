"""Third-party code that a bundle may name: entry points of installed distributions, run with the user's consent.

    pipeline.json: library, entry_point ──metadata──▶ InstalledPlugin ──allowed?──▶ load: import from its own files

Consent is for one version of a distribution. Code without consent is never imported, nor is a module of the same name
in the current folder.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, EntryPoint, distributions
from importlib.util import module_from_spec
from pathlib import Path

from workflows.common.errors import JoineryError, RequestError, normalized_name, printable
from workflows.common.files import write_atomically
from workflows.common.paths import home

GROUP = "joinery.plugins"
_OWN = "joinery"  # its modules are imported already


@dataclass(frozen=True)
class InstalledPlugin:
    """An entry point. library, version: its distribution. target: `module:object`."""

    library: str
    version: str
    entry_point: str
    target: str
    allowed: bool


def installed() -> list[InstalledPlugin]:
    """Every installed plugin, none of them imported. Raises RequestError for a damaged list of allowed plugins."""
    allowed = _allowed()
    plugins = [
        _plugin(one, entry, allowed) for one in _distributions() for entry in one.entry_points.select(group=GROUP)
    ]
    return sorted(plugins, key=lambda one: (one.library, one.entry_point))


def allow(library: str) -> str:
    """Allows a distribution's installed version and returns it. Raises RequestError if it has no plugins here."""
    version = next(
        (one.version for one in installed() if normalized_name(one.library) == normalized_name(library)), None
    )
    if version is None:
        raise RequestError(f"No {printable(library)} with plugins is installed: see `joinery plugins list`.")
    _write(_allowed() | {normalized_name(library): version})
    return version


def forbid(library: str) -> None:
    """Withdraws the consent for a distribution. Raises RequestError if there was none."""
    allowed = _allowed()
    if allowed.pop(normalized_name(library), None) is None:
        raise RequestError(f"The plugins of {printable(library)} were not allowed to run: see `joinery plugins list`.")
    _write(allowed)


def load(library: str, entry_point: str) -> object:
    """The object of an entry point, imported from the files of its distribution.

    Raises RequestError, before any import, if the plugin is not installed or not allowed or its module is not among
    its distribution's files; JoineryError if its import fails.
    """
    what = f"the plugin {printable(entry_point)} of {printable(library)}"
    for one in _distributions():
        for entry in one.entry_points.select(group=GROUP, name=entry_point):
            if normalized_name(one.name) != normalized_name(library):
                continue
            if not _plugin(one, entry, _allowed()).allowed:
                raise RequestError(
                    f"{what[0].upper()}{what[1:]} may not run: look at its code, then allow version "
                    f"{printable(one.version)} with `joinery plugins allow {printable(library)}`."
                )
            return _imported(one, entry, what)
    raise RequestError(f"{what[0].upper()}{what[1:]} is not installed: see `joinery plugins list`.")


def _plugin(one: Distribution, entry: EntryPoint, allowed: dict[str, str]) -> InstalledPlugin:
    version = allowed.get(normalized_name(one.name))
    return InstalledPlugin(
        one.name, one.version, entry.name, entry.value, version is not None and version == one.version
    )


def _distributions() -> Iterator[Distribution]:
    """The distributions on the import path without the current folder, the first of each name."""
    here, seen = Path.cwd(), set[str]()
    path = [one for one in sys.path if one and Path(one).resolve() != here]
    for one in distributions(path=path):
        if normalized_name(one.name) not in seen:
            seen.add(normalized_name(one.name))
            yield one


def _imported(one: Distribution, entry: EntryPoint, what: str) -> object:
    top = entry.module.partition(".")[0]
    try:
        if normalized_name(one.name) != _OWN or top != "workflows":
            _import_top(top, Path(str(one.locate_file(""))).resolve(), what)
        loaded: object = importlib.import_module(entry.module)
        for name in filter(None, (entry.attr or "").split(".")):
            loaded = getattr(loaded, name)
    except RequestError:
        raise
    except Exception as error:  # third-party code may raise anything
        raise JoineryError(f"The import of {what} failed: {printable(error, 160).rstrip('.')}.") from error
    return loaded


def _import_top(top: str, root: Path, what: str) -> None:
    """Imports the package or module from `root`, even if another one of its name comes first on the path."""
    known = sys.modules.get(top)
    spec = PathFinder.find_spec(top, [str(root)])
    if spec is None or spec.loader is None:
        raise RequestError(f"The module {printable(top)} of {what} is not among its files: install it anew.")
    if known is not None:
        if getattr(known.__spec__, "origin", None) != spec.origin:
            raise RequestError(f"Another module {printable(top)} than that of {what} is in use: rename one of them.")
        return
    module = module_from_spec(spec)
    sys.modules[top] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[top]
        raise


def _allowed_file() -> Path:
    return home() / "plugins.json"


def _allowed() -> dict[str, str]:
    """Distribution → the allowed version."""
    if not _allowed_file().exists():
        return {}
    try:
        allowed = dict(json.loads(_allowed_file().read_text("utf-8"))["allowed"])
    except (ValueError, TypeError, KeyError):
        raise RequestError(f"{_allowed_file()} cannot be read: remove it, and allow plugins anew.") from None
    return {str(name): str(version) for name, version in allowed.items()}


def _write(allowed: dict[str, str]) -> None:
    write_atomically(_allowed_file(), json.dumps({"allowed": dict(sorted(allowed.items()))}, indent=2).encode() + b"\n")
