"""Other people's code that a bundle may ask for: entry points of installed distributions, run once a person allows it.

    pipeline.json: library, entry_point ──metadata──▶ Plugin ──allowed?──▶ load: imported, from its own files alone

Consent is for a distribution and its version, for another version is other code. What was not allowed is not imported,
and neither is what lies under the same name in the current folder.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, EntryPoint, distributions
from importlib.util import module_from_spec
from pathlib import Path

from workflows.common.errors import JoineryError, RequestError, printable
from workflows.common.files import write_atomically
from workflows.common.paths import home

GROUP = "joinery.plugins"
_OWN = "joinery"  # whose modules are here already, wherever they were installed from


@dataclass(frozen=True)
class InstalledPlugin:
    """An entry point. library, version: of its distribution. target: `module:object`."""

    library: str
    version: str
    entry_point: str
    target: str
    allowed: bool


def installed() -> list[InstalledPlugin]:
    """Every installed plugin, none imported. Raises RequestError for a damaged list of what may run."""
    allowed = _allowed()
    found = [_plugin(one, entry, allowed) for one in _distributions() for entry in one.entry_points.select(group=GROUP)]
    return sorted(found, key=lambda one: (one.library, one.entry_point))


def allow(library: str) -> str:
    """Lets the plugins of a distribution run, in the version that is installed, which it gives.

    Raises RequestError where it is not installed or has none.
    """
    found = [one for one in installed() if _normalized_name(one.library) == _normalized_name(library)]
    if not found:
        raise RequestError(f"No {printable(library)} with plugins is installed: see `joinery plugins list`.")
    _write(_allowed() | {_normalized_name(library): found[0].version})
    return found[0].version


def forbid(library: str) -> None:
    """Lets the plugins of a distribution run no more. Raises RequestError where they were not allowed to."""
    allowed = _allowed()
    if allowed.pop(_normalized_name(library), None) is None:
        raise RequestError(f"The plugins of {printable(library)} were not allowed to run: see `joinery plugins list`.")
    _write(allowed)


def load(library: str, entry_point: str) -> object:
    """What an entry point names, imported from the files of its distribution.

    Raises RequestError, before anything is imported, where it is not installed or not allowed, or its module is not
    among its distribution's files; JoineryError where its import fails.
    """
    what = f"the plugin {printable(entry_point)} of {printable(library)}"
    for one in _distributions():
        for entry in one.entry_points.select(group=GROUP, name=entry_point):
            if _normalized_name(one.name) != _normalized_name(library):
                continue
            if not _plugin(one, entry, _allowed()).allowed:
                raise RequestError(
                    f"{what[0].upper()}{what[1:]} may not run: look at its code, then allow version "
                    f"{printable(one.version)} with `joinery plugins allow {printable(library)}`."
                )
            return _imported(one, entry, what)
    raise RequestError(f"{what[0].upper()}{what[1:]} is not installed: see `joinery plugins list`.")


def _plugin(one: Distribution, entry: EntryPoint, allowed: dict[str, str]) -> InstalledPlugin:
    version = allowed.get(_normalized_name(one.name))
    return InstalledPlugin(
        one.name, one.version, entry.name, entry.value, version is not None and version == one.version
    )


def _distributions() -> Iterator[Distribution]:
    """The first of each name, as Python finds them, but for those of the current folder."""
    here, seen = Path.cwd(), set[str]()
    path = [one for one in sys.path if one and Path(one).resolve() != here]
    for one in distributions(path=path):
        if _normalized_name(one.name) not in seen:
            seen.add(_normalized_name(one.name))
            yield one


def _imported(one: Distribution, entry: EntryPoint, what: str) -> object:
    top = entry.module.partition(".")[0]
    try:
        if _normalized_name(one.name) != _OWN or top != "workflows":
            _import_top(top, Path(str(one.locate_file(""))).resolve(), what)
        found: object = importlib.import_module(entry.module)
        for name in (entry.attr or "").split("."):
            found = getattr(found, name) if name else found
    except RequestError:
        raise
    except Exception as error:  # a stranger's code may raise anything
        raise JoineryError(f"The import of {what} failed: {printable(error, 160).rstrip('.')}.") from error
    return found


def _import_top(top: str, root: Path, what: str) -> None:
    """Imports the package or module from `root`, whatever else has its name."""
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


def _normalized_name(name: str) -> str:
    """A distribution's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _allowed_file() -> Path:
    return home() / "plugins.json"


def _allowed() -> dict[str, str]:
    """Distribution → the version that may run."""
    if not _allowed_file().exists():
        return {}
    try:
        said = json.loads(_allowed_file().read_text("utf-8"))
        found = dict(said["allowed"])
    except (ValueError, TypeError, KeyError):
        raise RequestError(f"{_allowed_file()} cannot be read: remove it, and allow plugins anew.") from None
    return {str(name): str(version) for name, version in found.items()}


def _write(allowed: dict[str, str]) -> None:
    write_atomically(_allowed_file(), json.dumps({"allowed": dict(sorted(allowed.items()))}, indent=2).encode() + b"\n")
