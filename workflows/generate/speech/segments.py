"""Divides the tokens of one window at its time stamps, and tells where the next window begins.

As transformers divides them (generation_whisper.py, `_retrieve_segment`): a segment ends where one time stamp follows
another; what comes after the last pair is heard again by the next window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TimeScale:
    """frames: of one window. precision: seconds between two time stamps. stride: frames between two time stamps.

    first: the token of time 0; None for a model without times.
    """

    frames: int
    precision: float
    stride: int
    first: int | None

    def seconds(self, frames: int) -> float:
        """The time at which a frame begins."""
        return frames * self.precision / self.stride

    def is_time(self, token: int) -> bool:
        """Whether a token is a time stamp."""
        return self.first is not None and token >= self.first


@dataclass(frozen=True)
class TokenSegment:
    """Tokens with their times, in seconds from the beginning of the recording."""

    start: float
    end: float
    tokens: tuple[int, ...]


def find_segments(tokens: Sequence[int], scale: TimeScale, seek: int, frames: int) -> tuple[list[TokenSegment], int]:
    """The segments of a window's tokens (without the end token), and how many frames the next window is away.

    seek: the frame at which the window begins. frames: those of it that are of the recording.
    """
    offset, first = scale.seconds(seek), scale.first
    is_time = [first is not None and token >= first for token in tokens]
    ends = [i + 1 for i in range(len(tokens) - 1) if is_time[i] and is_time[i + 1]]
    if not ends or first is None:
        last = _last_time(tokens, is_time, first)
        length = int(frames / scale.stride) if last is None else last
        return [TokenSegment(offset, offset + length * scale.precision, tuple(tokens))], frames
    closed = is_time[-2:] == [False, True]
    if closed:
        ends.append(len(tokens))
    else:
        ends[-1] += 1  # with the time stamp at which the next window begins
    segments, begin = list[TokenSegment](), 0
    for number, end in enumerate(ends, 1):
        part = tokens[begin:end]
        last_one = part[-1 if number < len(ends) or closed else -2]
        times = [offset + (token - first) * scale.precision for token in (part[0], last_one)]
        segments.append(TokenSegment(times[0], times[1], tuple(part)))
        begin = end
    return segments, frames if closed else (tokens[begin - 2] - first) * scale.stride


def _last_time(tokens: Sequence[int], is_time: Sequence[bool], first: int | None) -> int | None:
    """The index of the last time stamp, unless there is none or it is time 0."""
    times = [token for token, there in zip(tokens, is_time, strict=True) if there]
    return times[-1] - first if times and first is not None and times[-1] != first else None
