"""Lists the Python files that a checkpoint would run, without running any of them.

    auto_map in the configs ──▶ "modeling_x.Class" ──▶ modeling_x.py ──relative imports──▶ {file: SHA-256}

A person consents to contents, not to names: consent is stored as these hashes.
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
# Line by line and in linear time (possessive, bounded quantifiers): the text is untrusted.
_IMPORT = re.compile(r"^[^\S\n]*+import\s++(\.++)([\w.]++)", re.MULTILINE)
_FROM = re.compile(
    r"(?:^|;|:)[^\S\n]*+from[^\S\n]*+(\.++)[^\S\n]*+([\w.]*)[^\S\n]*+(?<![\w])import\b[^\S\n]*+"
    r"(?:\(([^)]{0,4000})\)|([^\n;#(]*+))",
    re.MULTILINE,
)
_MEMBER = re.compile(r"(?:^|,)\s*+(\w++)")
_COMMENT = re.compile(r"#[^\n]*+")


def remote_code(folder: Path) -> dict[str, str]:
    """Returns the files that the configs' auto_map, or an import in such a file, would run: name → SHA-256."""
    modules = {module for name in CODE_CONFIGS for module in auto_map_modules(read_optional(folder, name), name)}
    pending = sorted(f"{module}.py" for module in modules)
    if pending and exists(folder, CUSTOM_GENERATE):
        pending.append(CUSTOM_GENERATE)
    hashes: dict[str, str] = {}
    while pending:
        name = pending.pop()
        if name in hashes:
            continue
        hashes[name] = sha256(regular_file(folder, name))
        pending.extend(_imported_files(folder, name))
    return dict(sorted(hashes.items()))


def auto_map_modules(config: dict[str, object], name: str) -> set[str]:
    """Returns the modules in a config's auto_map, at any depth. Raises CheckpointError for another repository's."""
    modules: set[str] = set()
    for key, value in walk(config):
        if key == "auto_map" and value:
            modules |= {_module(reference, name) for reference in _references(value, name)}
        elif key == "custom_pipelines" and isinstance(value, dict):
            implementations = [task.get("impl") for task in value.values() if isinstance(task, dict)]
            modules |= {_module(implementation, name) for implementation in implementations if implementation}
    return modules


def _references(value: object, name: str) -> list[object]:
    """Returns the class references of an auto_map: an object, or (old tokenizers) a list; None stands for no class."""
    if not isinstance(value, dict | list):
        raise CheckpointError(f"'{printable(name)}' has an auto_map that is not an object; get the checkpoint again.")
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
    """Returns the files of the folder that a module imports relatively."""
    text = read_bytes(folder, name, CODE_LIMIT).decode("utf-8", errors="replace")
    text = text.replace("\r\n", "\n").replace("\\\n", " ")
    files: list[str] = []
    for match in _IMPORT.finditer(text):
        files += _targets(folder, name, match[1], match[2], [])
    for match in _FROM.finditer(text):
        members = _MEMBER.findall(_COMMENT.sub("", match[3] or match[4] or ""))
        files += _targets(folder, name, match[1], match[2], members)
    return files


def _targets(folder: Path, name: str, dots: str, module: str, members: list[str]) -> list[str]:
    """Resolves `from <dots><module> import <members>` in the file `name` to files of the folder."""
    parts = name.split("/")[:-1]
    if len(dots) - 1 > len(parts):
        raise CheckpointError(f"'{printable(name)}' imports from outside the checkpoint's folder, which is refused.")
    base = parts[: len(parts) - (len(dots) - 1)] + [part for part in module.split(".") if part]
    as_file = "/".join(base) + ".py"
    packages = ["/".join([*base[:depth], "__init__.py"]) for depth in range(1, len(base) + 1)]
    inner = ["/".join([*base, f"{member}.py"]) for member in members]
    files = [file for file in (*packages, *inner) if exists(folder, file)]
    if module and exists(folder, as_file):
        files.append(as_file)
    if module and not exists(folder, as_file) and not exists(folder, packages[-1]):
        raise CheckpointError(
            f"'{printable(name)}' imports '{printable(as_file)}', which is missing; get the checkpoint again."
        )
    return files
