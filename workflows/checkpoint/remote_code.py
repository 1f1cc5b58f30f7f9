"""The Python that a checkpoint would run, found without running any of it.

    auto_map in the configs ──▶ "modeling_x.Class" ──▶ modeling_x.py ──relative imports──▶ {file: SHA-256}

Consent is given for contents, not for names: the hashes are what a person agrees to.
"""

from __future__ import annotations

import re
from pathlib import Path

from workflows.checkpoint.configuration import CODE_CONFIGS, read_optional, walk
from workflows.checkpoint.files import exists, read_bytes, regular_file, sha256
from workflows.common.errors import CheckpointError, printable

CODE_LIMIT = 1 << 20
CUSTOM_GENERATE = "custom_generate/generate.py"
_CLASS = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,127})\.[A-Za-z_][A-Za-z0-9_]{0,127}")
# Read by line and in linear time (possessive, bounded): the text is a stranger's.
_IMPORT = re.compile(r"^[^\S\n]*+import\s++(\.++)([\w.]++)", re.MULTILINE)
_FROM = re.compile(
    r"(?:^|;|:)[^\S\n]*+from[^\S\n]*+(\.++)[^\S\n]*+([\w.]*)[^\S\n]*+(?<![\w])import\b[^\S\n]*+"
    r"(?:\(([^)]{0,4000})\)|([^\n;#(]*+))",
    re.MULTILINE,
)
_MEMBER = re.compile(r"(?:^|,)\s*+(\w++)")
_COMMENT = re.compile(r"#[^\n]*+")


def remote_code(folder: Path) -> dict[str, str]:
    """Each file that the configs' auto_map, or an import from such a file, would run: its name and its SHA-256."""
    modules = {module for name in CODE_CONFIGS for module in auto_map_modules(read_optional(folder, name), name)}
    pending = sorted(f"{module}.py" for module in modules)
    if pending and exists(folder, CUSTOM_GENERATE):
        pending.append(CUSTOM_GENERATE)
    found: dict[str, str] = {}
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found[name] = sha256(regular_file(folder, name))
        pending.extend(_imported_files(folder, name))
    return dict(sorted(found.items()))


def auto_map_modules(config: dict[str, object], name: str) -> set[str]:
    """The modules that the auto_map of a decoded config names, at any depth; raises for one of another repository."""
    modules: set[str] = set()
    for key, value in walk(config):
        if key == "auto_map" and value:
            modules |= {_module(reference, name) for reference in _references(value, name)}
        elif key == "custom_pipelines" and isinstance(value, dict):
            implementations = [task.get("impl") for task in value.values() if isinstance(task, dict)]
            modules |= {_module(implementation, name) for implementation in implementations if implementation}
    return modules


def _references(value: object, name: str) -> list[object]:
    """The class references of an auto_map: a table, or (old tokenizers) a list; None stands for no class."""
    if not isinstance(value, dict | list):
        raise CheckpointError(f"'{printable(name)}' has an auto_map that is no table; get the checkpoint again.")
    values = list(value.values()) if isinstance(value, dict) else value
    flat = [one for entry in values for one in (entry if isinstance(entry, list) else [entry])]
    return [one for one in flat if one is not None]


def _module(reference: object, name: str) -> str:
    if isinstance(reference, str) and "--" in reference:
        raise CheckpointError(
            f"'{printable(name)}' wants to run '{printable(reference)}', the code of another repository, which is "
            "refused; copy that code into the checkpoint's folder and name it there."
        )
    match = _CLASS.fullmatch(reference) if isinstance(reference, str) else None
    if match is None:
        raise CheckpointError(
            f"'{printable(name)}' names the code '{printable(reference)}', which is not of the form module.Class; "
            "the checkpoint is refused."
        )
    return match[1]


def _imported_files(folder: Path, name: str) -> list[str]:
    """The files of the folder that a module imports relatively."""
    text = read_bytes(folder, name, CODE_LIMIT).decode("utf-8", errors="replace")
    text = text.replace("\r\n", "\n").replace("\\\n", " ")
    found: list[str] = []
    for match in _IMPORT.finditer(text):
        found += _targets(folder, name, match[1], match[2], [])
    for match in _FROM.finditer(text):
        members = _MEMBER.findall(_COMMENT.sub("", match[3] or match[4] or ""))
        found += _targets(folder, name, match[1], match[2], members)
    return found


def _targets(folder: Path, name: str, dots: str, module: str, members: list[str]) -> list[str]:
    """The files behind `from <dots><module> import <members>` as it stands in the file `name`."""
    parts = name.split("/")[:-1]
    if len(dots) - 1 > len(parts):
        raise CheckpointError(f"'{printable(name)}' imports from outside the checkpoint's folder, which is refused.")
    base = parts[: len(parts) - (len(dots) - 1)] + [part for part in module.split(".") if part]
    as_file = "/".join(base) + ".py"
    packages = ["/".join([*base[:depth], "__init__.py"]) for depth in range(1, len(base) + 1)]
    inner = ["/".join([*base, f"{member}.py"]) for member in members]
    found = [file for file in (*packages, *inner) if exists(folder, file)]
    if module and exists(folder, as_file):
        found.append(as_file)
    if module and not exists(folder, as_file) and not exists(folder, packages[-1]):
        raise CheckpointError(
            f"'{printable(name)}' imports '{printable(as_file)}', which is missing; get the checkpoint again."
        )
    return found
