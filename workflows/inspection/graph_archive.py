"""Archives of similar files: a .tar.xz whose dictionary spans at least two of them.

    {name: bytes} ──write_archive──▶ file ──read_archive──▶ {name: bytes}

The same contents give the same bytes: the archive has no times and no owners.
"""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Mapping
from pathlib import Path

from workflows.common.errors import GraphError, printable

READ_LIMIT = 1 << 30
_PRESET = 3  # a sixth of the time of those above, for a twentieth more bytes
_DICTIONARY = (1 << 16, 1 << 26)  # bytes, at least and at most: a larger one takes time to set up


def write_archive(path: Path, files: Mapping[str, bytes]) -> None:
    """Writes `files`, in their order, to `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        lzma.open(path, "wb", filters=[_filter(max(map(len, files.values()), default=0))]) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def _filter(longest: int) -> dict[str, int]:
    """Returns the LZMA filter whose dictionary still contains the whole previous file at the end of the current one."""
    least, most = _DICTIONARY
    return {"id": lzma.FILTER_LZMA2, "preset": _PRESET, "dict_size": min(max(2 * longest, least), most)}


def read_archive(path: Path) -> dict[str, bytes]:
    """Reads all files. Raises GraphError if the archive is damaged or unpacks to more than READ_LIMIT bytes."""
    found: dict[str, bytes] = {}
    left = READ_LIMIT
    try:
        with tarfile.open(path, "r|xz") as archive:
            for entry in archive:
                left -= entry.size
                file = archive.extractfile(entry)
                if left < 0 or file is None:
                    raise GraphError(
                        f"{printable(path.name)} exceeds the size limit of a graph archive: build the bundle again."
                    )
                found[entry.name] = file.read()
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise GraphError(f"{printable(path.name)} is damaged ({printable(error)}): build the bundle again.") from None
    return found
