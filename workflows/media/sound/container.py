"""Looks at a sound file before its decoder does: which kind it is, and whether its end is missing.

libsndfile reads a cut WAV, AIFF or Ogg file to where it ends and reports nothing; cut FLAC and MP3 files it notices.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from workflows.common.errors import MediaError

READABLE = "wav, flac, ogg, mp3 or aiff"
_STREAM = 0x7FFFF000  # from here on a size in a header means that its writer did not know it
_PAGE = 65_307  # the largest page of an Ogg file in bytes
_LAST_PAGE = 4  # a bit of a page's header


def check_container(file: BinaryIO, name: str) -> None:
    """Raises MediaError where the file is no sound file of a known kind, or where its end is missing.

    file: seekable; it is at its start afterwards. name: for messages, printable.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(12)
    if not size:
        raise MediaError(f"{name} is empty: give a sound file ({READABLE}).")
    if head[:4] == b"RIFF" and head[8:] == b"WAVE":
        whole = _has_all_of(file, b"data", size, "little")
    elif head[:4] == b"FORM" and head[8:] in (b"AIFF", b"AIFC"):
        whole = _has_all_of(file, b"SSND", size, "big")
    elif head[:4] == b"OggS":
        whole = _has_last_page(file, size)
    elif head[:4] in (b"fLaC", b"RF64") or head[:3] == b"ID3" or (head[:1] == b"\xff" and head[1:2] >= b"\xe0"):
        whole = True
    else:
        raise MediaError(f"{name} is not a sound file that can be read: give a file of the kind {READABLE}.")
    file.seek(0)
    if not whole:
        raise MediaError(f"{name} is cut off: its end is missing, so copy or download it again.")


def _has_all_of(file: BinaryIO, wanted: bytes, size: int, order: str) -> bool:
    """Whether the chunk `wanted` ends within the file; True without such a chunk, which is the decoder's to report."""
    place = 12
    while place + 8 <= size:
        file.seek(place)
        header = file.read(8)
        length = int.from_bytes(header[4:], "little" if order == "little" else "big")
        if header[:4] == wanted:
            return place + 8 + length <= size or length >= _STREAM
        place += 8 + length + length % 2
    return True


def _has_last_page(file: BinaryIO, size: int) -> bool:
    """Whether the last page of an Ogg file is marked as such, and is complete."""
    file.seek(max(0, size - _PAGE))
    tail = file.read(_PAGE)
    place = tail.rfind(b"OggS")
    page = tail[place:]
    if place < 0 or len(page) < 27 or len(page) < 27 + page[26]:
        return False
    return bool(page[5] & _LAST_PAGE) and len(page) >= 27 + page[26] + sum(page[27 : 27 + page[26]])
