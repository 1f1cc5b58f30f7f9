"""The formats of 4-bit weights, widths of prompt runs and numbers of threads that `joinery tune` has timed.

    joinery tune ──Tuning──▶ tunings.json ─┬─fastest_format, tuned_width──▶ defaults of int4 builds for the CPU
                                           └─tuned_threads──▶ sessions that open on this processor

A format serves if it rounds no coarser than the target's does. Without a tuning the instructions in the processor's
name decide. What is chosen stands in the bundle's recipe, so that a bundle's tokens do not change when its processor is
tuned again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from workflows.common.errors import RequestError, printable
from workflows.common.files import write_atomically
from workflows.common.paths import home, make_folder
from workflows.common.strict_json import InvalidJsonError, read_json
from workflows.processor.cores import processor_name, usable_cores
from workflows.wire.codec import PayloadMismatch, read

FILE = "tunings.json"
DEFAULT_BLOCK, DEFAULT_SYMMETRIC = 64, False
_AVX2_BLOCK, _AVX2_SYMMETRIC = 32, True  # on AMD 0.87 of the default's time with AVX2 alone, 1.16 with AVX-512
_BLOCKS = (16, 32, 64, 128)  # those of a recipe
_COARSER = 1.01  # an error that counts as the default's
_WORTH = 0.97  # of the default's step: less is noise
_LONGEST_RUN, _SHORT_RUN = 3_000, 128  # milliseconds, and the tokens of a run that may take longer


@dataclass(frozen=True)
class FormatTime:
    """error: of rounded normal numbers, relative. step_ms: of all products of one token; chunk_ms: of the layers' for
    a chunk.
    """

    block_size: int
    symmetric: bool
    error: float
    step_ms: float
    chunk_ms: float

    def is_of(self, block_size: int, symmetric: bool) -> bool:
        return (self.block_size, self.symmetric) == (block_size, symmetric)

    @property
    def title(self) -> str:
        """`blocks of 64 with zero points`."""
        return f"blocks of {self.block_size}{'' if self.symmetric else ' with zero points'}"

    def settings(self) -> dict[str, bool | int]:
        """As a recipe's `quantize` has them."""
        return {"block_size": self.block_size, "symmetric": self.symmetric}


@dataclass(frozen=True)
class ThreadTime:
    """step_ms, chunk_ms: as of FormatTime, in the fastest format with so many threads."""

    threads: int
    step_ms: float
    chunk_ms: float


@dataclass(frozen=True)
class WidthTime:
    """token_ms: of all products of a layer, for each of the `tokens` of a prompt that go through them together."""

    tokens: int
    token_ms: float


@dataclass(frozen=True)
class Tuning:
    """What was timed on one processor. runtime: onnxruntime's version. weights: what the products' sizes are of.

    others: the share of the processor that other processes used meanwhile; above a tenth the times are no measure.
    threads: the last one has a thread for each core that could be used; older results have none, and no widths.
    """

    processor: str
    runtime: str
    weights: str
    formats: list[FormatTime]
    others: float = 0.0
    threads: list[ThreadTime] = field(default_factory=list)
    widths: list[WidthTime] = field(default_factory=list)

    @property
    def default(self) -> FormatTime:
        """That of builds without a tuning."""
        return self._of(*_default_blocks(self.processor))

    def _of(self, block_size: int, symmetric: bool) -> FormatTime:
        return next(one for one in self.formats if one.is_of(block_size, symmetric))

    def fastest(self) -> FormatTime:
        """The format with the fastest step of those that round no coarser than the target's, if it saves enough."""
        usual, bar = self.default, self._of(DEFAULT_BLOCK, DEFAULT_SYMMETRIC).error * _COARSER
        fine = (one for one in self.formats if one.error <= bar)
        best = min(fine, key=lambda one: (one.step_ms, one.chunk_ms))
        return best if best.step_ms <= usual.step_ms * _WORTH else usual

    def fastest_threads(self) -> int | None:
        """The number of threads with the fastest step, if it saves enough; None for a thread for each core."""
        if not self.threads:
            return None
        usual, best = self.threads[-1], min(self.threads, key=lambda one: (one.step_ms, one.chunk_ms))
        return best.threads if best.step_ms <= usual.step_ms * _WORTH else None

    def fastest_width(self) -> int | None:
        """The tokens of a prompt's run: the fewest with which a token takes as long as with the fastest width.

        Progress is seen after each run: wide ones that take seconds do not count. None where no widths were timed.
        """
        short = [one for one in self.widths if one.tokens * one.token_ms <= _LONGEST_RUN or one.tokens <= _SHORT_RUN]
        least = min((one.token_ms for one in short), default=0.0)
        return next((one.tokens for one in short if one.token_ms * _WORTH <= least), None)


def _default_blocks(processor: str) -> tuple[int, bool]:
    """The block size and the symmetry of a processor that was not tuned, by its name, which has its instructions."""
    instructions = {*processor.rpartition(", ")[2].split()}
    measured = processor.startswith("AMD") and instructions == {"avx2"}  # others with AVX2 may be unlike it
    return (_AVX2_BLOCK, _AVX2_SYMMETRIC) if measured else (DEFAULT_BLOCK, DEFAULT_SYMMETRIC)


def runtime_version() -> str:
    """The version of onnxruntime's package, "" where another package provides it."""
    try:
        return version("onnxruntime")
    except PackageNotFoundError:
        return ""


def read_tunings(file: Path | None = None) -> list[Tuning]:
    """The tunings in `file`, by default the user's own, in which there may be none. Raises RequestError."""
    path = file or home() / FILE
    if file is None and not path.is_file():
        return []
    try:
        return _checked(read(list[Tuning], read_json(path.read_text("utf-8"))))
    except OSError as error:
        raise RequestError(f"{printable(path)} cannot be read: {error.strerror}.") from error
    except (InvalidJsonError, UnicodeDecodeError, PayloadMismatch) as error:
        raise RequestError(
            f"{printable(path)} holds no tunings ({printable(error, 120)}): remove it, and run joinery tune."
        ) from error


def _checked(tunings: list[Tuning]) -> list[Tuning]:
    for place, tuning in enumerate(tunings):
        needed = (DEFAULT_BLOCK, DEFAULT_SYMMETRIC), _default_blocks(tuning.processor)
        if not all(any(one.is_of(*blocks) for one in tuning.formats) for blocks in needed):
            raise PayloadMismatch("lacks the default format in its", "formats")
        if odd := _odd_entry(tuning):
            raise PayloadMismatch("has an impossible value in its", f"[{place}].{odd}")
    return tunings


def _odd_entry(tuning: Tuning) -> str:
    """Where a value stands that nobody can measure; sessions and builds would fail of it. Empty for none."""
    most = tuning.threads[-1].threads if tuning.threads else 0
    entries: dict[str, list[tuple[bool, tuple[float, ...]]]] = {
        "formats": [(one.block_size in _BLOCKS, (one.error, one.step_ms, one.chunk_ms)) for one in tuning.formats],
        "threads": [(1 <= one.threads <= most, (one.step_ms, one.chunk_ms)) for one in tuning.threads],
        "widths": [(one.tokens >= 1, (one.token_ms,)) for one in tuning.widths],
    }
    for name, values in entries.items():
        for place, (fits, numbers) in enumerate(values):
            if not (fits and all(0 <= number < math.inf for number in numbers)):
                return f"{name}[{place}]"
    return ""


def save_tunings(tunings: list[Tuning], file: Path | None = None) -> Path:
    """Adds `tunings` to those in `file`, by default the user's own, in the place of older ones of their processors."""
    path = file or home() / FILE
    kept = {(one.processor, one.runtime): one for one in (read_tunings(path) if path.is_file() else [])}
    kept |= {(one.processor, one.runtime): one for one in tunings}
    if file is None:
        make_folder(path.parent)
    write_atomically(path, json.dumps([asdict(one) for one in kept.values()], indent=1).encode())
    return path


def _own_tuning() -> Tuning | None:
    here = processor_name(), runtime_version()
    return next((one for one in read_tunings() if (one.processor, one.runtime) == here), None)


def fastest_format(processor: str = "") -> Mapping[str, bool | int]:
    """Settings of the format that is fastest on this processor; where it was not tuned, those of its instructions.

    processor: a part of another one's name. Raises RequestError where none or several are called so.
    """
    found = tuning_for(processor) if processor else _own_tuning()
    if found is not None:
        return found.fastest().settings()
    block_size, symmetric = _default_blocks(processor_name())
    return {"block_size": block_size, "symmetric": symmetric}


def tuned_width(processor: str = "") -> int | None:
    """The tokens of a prompt that are fastest together on this processor; None where none were timed.

    processor: as of fastest_format. Raises RequestError.
    """
    found = tuning_for(processor) if processor else _own_tuning()
    return found.fastest_width() if found else None


def tuned_threads() -> int | None:
    """The threads with which products are fastest on this processor; None for a thread for each core.

    A result counts while this process may use as many cores as then. Raises RequestError.
    """
    found = _own_tuning()
    return found.fastest_threads() if found and found.threads and found.threads[-1].threads == usable_cores() else None


def tuning_for(name: str) -> Tuning:
    """What was timed on the processor whose name has `name` in it. Raises RequestError for none or several."""
    tunings = read_tunings()
    found = {one.processor: one for one in tunings if name.lower() in one.processor.lower()}
    if len(found) != 1:
        known = "; ".join(sorted({one.processor for one in tunings})) or "none"
        what = "Several tuned processors have" if found else "No tuned processor has"
        raise RequestError(f"{what} {printable(name)!r} in the name; known: {printable(known, 300)}.")
    return next(iter(found.values()))
