"""Reads a sound file to mono samples at a model's rate.

file ──container──▶ known and complete ──header──▶ within the limits ──blocks──▶ channels averaged ──Resampler──▶ Sound

libsndfile decodes it, block by block; beside a block and the result nothing of the sound is in memory.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from workflows.common.errors import MediaError, PackageError, printable
from workflows.common.files import special_file_kind
from workflows.media.sound.resampling import Resampler, Samples

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


MOST_HOURS = 4.0
"""The longest sound that is read: 16,000 samples a second of float32 take 0.86 GiB then."""
RATES = range(1_000, 384_001)
"""The sampling rates in Hz that are read."""
_LARGEST = 1e30  # of a sample: the filter's sums of such stay finite
_BLOCK = 1 << 18  # values of all channels together


@dataclass(frozen=True)
class Sound:
    """samples: float32 [n], mono, at `rate` Hz. duration: seconds. The others are of the file."""

    samples: Samples
    rate: int
    duration: float
    original_rate: int
    original_channels: int


def read_sound(source: Path | bytes, rate: int, most_hours: float = MOST_HOURS) -> Sound:
    """The sound of a file, or of a file's bytes, at `rate` Hz. Samples are as stored: −1…1, or beyond in float files.

    Raises MediaError for a file that is no sound, that is empty, damaged or cut off, that has NaN, infinite or absurd
    samples, or that states more than `most_hours`.
    """
    if rate not in RATES:
        raise MediaError(f"Sound cannot be converted to {rate:,} Hz: {RATES.start:,} to {RATES.stop - 1:,} Hz can be.")
    with _opened(source) as (file, name):
        check_container(file, name)
        with _decoder(file, name) as decoder:
            _check_header(decoder, name, most_hours)
            samples = _decode(decoder, rate, name)
            return Sound(samples, rate, decoder.frames / decoder.samplerate, decoder.samplerate, decoder.channels)


@contextmanager
def _opened(source: Path | bytes) -> Iterator[tuple[BinaryIO, str]]:
    """The file and its name for messages."""
    if isinstance(source, bytes):
        yield io.BytesIO(source), "The sound"
        return
    name = f"The sound file {printable(source.name)}"
    if kind := special_file_kind(source):
        raise MediaError(f"{name} is {kind}: give a sound file ({READABLE}).")
    try:
        file = source.open("rb")
    except OSError as error:
        raise MediaError(f"{name} cannot be read: {error.strerror}.") from None
    with file:
        yield file, name


class _SoundStream:
    """What soundfile reads from. It has no name: one that ends in .raw would be taken for a file without a header."""

    def __init__(self, file: BinaryIO) -> None:
        self.read, self.tell, self._seek = file.read, file.tell, file.seek

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Stays where it is for an impossible place, to which damaged headers lead: libsndfile sees and reports it.

        An exception would be lost in the decoder, and printed.
        """
        try:
            return self._seek(offset, whence)
        except (OSError, ValueError, OverflowError):
            return self.tell()


@contextmanager
def _decoder(file: BinaryIO, name: str) -> Iterator[Any]:
    """An open `soundfile.SoundFile`; its errors become MediaError, also those of reading from it."""
    try:
        import soundfile  # loads libsndfile, which pictures do not need
    except OSError as error:
        raise PackageError(
            f"The package soundfile cannot load libsndfile ({printable(error)}): "
            "pip install --force-reinstall soundfile."
        ) from None
    try:
        with soundfile.SoundFile(_SoundStream(file)) as decoder:
            yield decoder
    except soundfile.LibsndfileError as error:
        reason = printable(error.error_string).rstrip(".").replace(". ", "; ")
        raise MediaError(f"{name} is damaged or cut off ({reason}): copy or download it again.") from None


def _check_header(decoder: Any, name: str, most_hours: float) -> None:
    """What the file says of itself, before anything is decoded."""
    if decoder.samplerate not in RATES:
        raise MediaError(
            f"{name} has a sampling rate of {decoder.samplerate:,} Hz: "
            f"rates from {RATES.start:,} to {RATES.stop - 1:,} Hz can be read."
        )
    if not decoder.frames:
        raise MediaError(f"{name} holds no sound: its length is zero.")
    if decoder.frames >= 1 << 62:  # libsndfile's number for a length that is not known
        raise MediaError(f"{name} does not state its length: convert it to wav.")
    if decoder.frames > most_hours * 3600 * decoder.samplerate:
        hours = decoder.frames / decoder.samplerate / 3600
        raise MediaError(f"{name} lasts {hours:,.1f} hours, and at most {most_hours:g} are read: cut it into parts.")


def _decode(decoder: Any, rate: int, name: str) -> Samples:
    """All samples: channels averaged, at `rate`."""
    resampler = Resampler(decoder.samplerate, rate)
    result = np.empty(-(-decoder.frames * rate // decoder.samplerate), np.float32)
    weights = np.full(decoder.channels, 1 / decoder.channels, np.float32)
    end = done = 0
    frames = max(1, _BLOCK // decoder.channels)
    while done < decoder.frames:
        block = decoder.read(min(frames, decoder.frames - done), dtype="float32", always_2d=True)
        if not len(block):
            raise MediaError(
                f"{name} is cut off: {done / decoder.samplerate:,.2f} of its "
                f"{decoder.frames / decoder.samplerate:,.2f} seconds are there, so copy or download it again."
            )
        with np.errstate(invalid="ignore", over="ignore"):  # checked next
            mono = block[:, 0] if decoder.channels == 1 else block @ weights  # [frames]; a mean of rows of two is slow
            usable = np.abs(mono) < _LARGEST  # not so for NaN
        if not usable.all():
            place = f"{(done + int(np.argmin(usable))) / decoder.samplerate:,.2f}"
            raise MediaError(
                f"{name} has a sample that is not finite or too large, at {place} seconds: export it again."
            )
        done += len(block)
        part = resampler.push(mono)
        result[end : end + len(part)] = part
        end += len(part)
    result[end:] = resampler.finish()
    return result
