"""Recognizes folders that people take for checkpoints, and says which command helps.

folder ──other_folder──▶ a sentence, or "" for a checkpoint and for what is not known
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from workflows.common.errors import printable

_POINTER = b"version https://git-lfs.github.com/spec/v1"
_SMALL = 1 << 20  # bytes of a JSON file that is read here
_PEFT, _GENAI, _MISTRAL = "adapter_config.json", "genai_config.json", "params.json"
_BY_NAME = "`joinery build ORG/NAME --out DIR`"
_LONG = 400  # characters of a path that stands in a command


def other_folder(folder: Path) -> str:
    """What `folder` is in place of a checkpoint, and the command that helps; empty for anything else."""
    names = {path.name for path in folder.iterdir()}
    where = printable(folder, _LONG)
    return next((sentence for kind in _KINDS if (sentence := kind(folder, names, where))), "")


def _lfs_pointers(folder: Path, names: set[str], where: str) -> str:
    pointers = sorted(_pointers(folder, names))
    if not pointers:
        return ""
    more = f" and {len(pointers) - 1} more" if len(pointers) > 1 else ""
    return (
        f"{where} holds pointers of Git LFS in the place of '{printable(pointers[0])}'{more}: run `git lfs pull` in "
        "that folder, and open it again."
    )


def _pointers(folder: Path, names: set[str]) -> Iterator[str]:
    """The files of a checkpoint that are pointers, which begin with one line and are small."""
    for name in names:
        path = folder / name
        if path.suffix in (".safetensors", ".bin", ".json", ".model", ".gguf", ".spm") and path.is_file():
            with path.open("rb") as file:
                if file.read(len(_POINTER)) == _POINTER:
                    yield name


def _hub_cache(folder: Path, names: set[str], where: str) -> str:
    if not {"snapshots", "refs"} <= names or "config.json" in names:
        return ""
    snapshots = [path for path in (folder / "snapshots").iterdir() if path.is_dir()]
    if not snapshots:
        return f"{where} is a folder of the hub's cache without a snapshot: download the model again."
    main = folder / "refs" / "main"
    current = main.read_text("utf-8", "replace").strip() if main.is_file() else ""
    newest = max(snapshots, key=lambda path: (path.name == current, path.stat().st_mtime))
    command = f"joinery build {printable(newest, _LONG)} --out DIR"
    return f"{where} is a folder of the hub's cache: give its snapshot, `{command}`."


def _genai(folder: Path, names: set[str], where: str) -> str:
    if _GENAI not in names or has_weights(names):
        return ""
    return (
        f"{where} holds graphs of onnxruntime-genai, which are built already: `joinery import {where} --out DIR` makes "
        "a bundle of them."
    )


def _adapter(folder: Path, names: set[str], where: str) -> str:
    if _PEFT not in names:
        return ""
    settings = _json(folder / _PEFT)
    if "adapters.safetensors" in names and "peft_type" not in settings:
        base = printable(settings.get("model") or "BASE", 100)
        return (
            f"{where} is an adapter of mlx-lm and not a whole model: merge it with `mlx_lm.fuse --model {base} "
            f"--adapter-path {where} --save-path DIR`, and open DIR."
        )
    named = settings.get("base_model_name_or_path")
    base = printable(named, 100) if isinstance(named, str) and named else "BASE"
    return (
        f"{where} is an adapter and not a whole model: give its base with it, `joinery build {base} --adapter {where} "
        "--out DIR`."
    )


def _original_form(folder: Path, names: set[str], where: str) -> str:
    """What Mistral and Meta publish beside transformers' form."""
    consolidated = sorted(name for name in names if name.startswith("consolidated"))
    if _MISTRAL not in names or "config.json" in names or not consolidated:
        return ""
    maker = "Meta" if consolidated[0].endswith(".pth") else "Mistral"
    return (
        f"{where} has {maker}'s own form ('{_MISTRAL}', '{printable(consolidated[0])}'): build the model in "
        f"transformers' form, with config.json, by its name on the hub, {_BY_NAME}."
    )


def has_weights(names: set[str]) -> bool:
    """Whether there are weights beside graphs: of a whole model, by the names that transformers looks for."""
    whole = (name for name in names if name.startswith(("model", "pytorch_model")))
    return any(name.endswith((".safetensors", ".bin")) for name in whole)


def _json(path: Path) -> dict[str, Any]:
    """A small JSON object; empty where it is none."""
    try:
        with path.open("rb") as file:
            value = json.loads(file.read(_SMALL))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


_KINDS: tuple[Callable[[Path, set[str], str], str], ...] = (
    _lfs_pointers, _hub_cache, _genai, _adapter, _original_form,
)  # fmt: skip
