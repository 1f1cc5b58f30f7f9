"""External data: the file and offset of a tensor's bytes outside the graph's file, and which locations are allowed.

A location is a path relative to the graph's folder, inside it, and not a link, except in the hub's cache, whose
snapshots are links to its blobs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath, PureWindowsPath

import onnx

from workflows.common.errors import GraphError, printable
from workflows.common.files import has_symlink, special_file_kind


@dataclass(frozen=True)
class ExternalLocation:
    """A file in the graph's folder, the offset of the first byte, and the length (0: computed from shape and type)."""

    location: str
    offset: int = 0
    length: int = 0


def external_location(tensor: onnx.TensorProto) -> ExternalLocation:
    """Reads the location of an external tensor. Raises GraphError if its offset or length is not a number."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    try:
        return ExternalLocation(
            entries.get("location", ""), int(entries.get("offset", 0)), int(entries.get("length", 0))
        )
    except ValueError:
        raise GraphError(
            f"The location of the initializer {printable(tensor.name)} is not a number: "
            "download or export the model again."
        ) from None


def check_location(folder: Path, location: str, graph: str) -> Path:
    """Returns a weight file's path. Raises GraphError if it is outside the graph's folder, a link or no file."""
    shown, windows = printable(location), PureWindowsPath(location)
    outside = f"{graph} keeps weights in {shown}, outside its own folder: such a file is not opened."
    # "C:x", "\\host\x" and "NUL" are places elsewhere on Windows, whatever this system makes of them
    if windows.drive or windows.root or ".." in windows.parts or "\0" in location or windows.is_reserved():
        raise GraphError(outside)
    name = PurePath(*windows.parts)
    if has_symlink(folder, name):
        raise GraphError(f"{graph} keeps weights in {shown}, a symbolic link: such a file is not opened.")
    path = folder / name
    if location and (kind := special_file_kind(path)):
        raise GraphError(f"{graph} keeps weights in {shown}, {kind} where a file should be: it is not opened.")
    return path
