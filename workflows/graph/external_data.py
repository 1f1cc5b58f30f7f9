"""Where a tensor's bytes lie when they are not in the graph's file, and which places are allowed.

A location is relative to the graph's folder, inside it, and no link; but for the hub's own cache, whose snapshots are
links to its blobs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath, PureWindowsPath

import onnx

from workflows.common.errors import GraphError, printable
from workflows.common.files import has_symlink, special_file_kind


@dataclass(frozen=True)
class ExternalLocation:
    """A file in the graph's folder, the first byte, and the bytes (0: to be told from shape and type)."""

    location: str
    offset: int = 0
    length: int = 0


def external_location(tensor: onnx.TensorProto) -> ExternalLocation:
    """Where an external tensor says that it lies. Raises GraphError for an offset or length that is no number."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    try:
        return ExternalLocation(
            entries.get("location", ""), int(entries.get("offset", 0)), int(entries.get("length", 0))
        )
    except ValueError:
        raise GraphError(f"The place of the initializer {printable(tensor.name)} is no number: get it anew.") from None


def check_location(folder: Path, location: str, graph: str) -> Path:
    """The path of a weight file. Raises GraphError where it is outside the graph's folder, a link or no file at all."""
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
