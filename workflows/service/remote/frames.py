"""Frames on a byte stream: a byte for the kind, four for the length, then the content.

CONTROL  JSON: a request to the agent, or its answer          INPUT   what the child there reads
DATA     a part of a file                                     OUTPUT, ERRORS  what it writes
ALIVE    a sign of life; from the agent JSON with the child's memory and whether it works

The connection is the system's ssh, with the user's configuration, agents, jump hosts and hardware keys. paramiko (7 MB
with what it needs) reads a part of these, asyncssh is under EPL or GPL, and either would need frames in its stream.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

CONTROL, DATA, INPUT, OUTPUT, ERRORS, ALIVE = b"C", b"D", b"I", b"O", b"E", b"H"
MARKER = b"\0joinery-agent\0"
"""What the agent writes first: a login shell may print a message before it."""
BLOCK = 1 << 18
"""Bytes of one DATA frame."""
SILENCE_S = 8.0
"""Seconds without a frame after which each end takes the connection for broken."""
ALIVE_EVERY_S = 1.0
_HEAD = struct.Struct(">cI")
_LONGEST = 1 << 28


class Frame(NamedTuple):
    """One frame."""

    kind: bytes
    content: bytes

    def json(self) -> dict[str, Any]:
        """The content of a CONTROL or ALIVE frame."""
        value = json.loads(self.content)
        if not isinstance(value, dict):
            raise ValueError("a frame must hold an object")
        return value


def write_frame(file: BinaryIO, kind: bytes, content: bytes | memoryview = b"") -> None:
    """Writes one frame and flushes. Raises OSError, and ValueError if the file is closed."""
    file.write(_HEAD.pack(kind, len(content)))
    file.write(content)
    file.flush()


def write_control(file: BinaryIO, message: Mapping[str, object], kind: bytes = CONTROL) -> None:
    """Writes a message as JSON. Raises as write_frame does."""
    write_frame(file, kind, json.dumps(message).encode())


def read_frame(file: BinaryIO) -> Frame | None:
    """The next frame; None at the end of the stream, also within a frame. Raises ValueError for what is no frame."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    kind, length = _HEAD.unpack(head)
    if kind not in (CONTROL, DATA, INPUT, OUTPUT, ERRORS, ALIVE) or length > _LONGEST:
        raise ValueError("the stream holds no frame")
    content = file.read(length)
    return Frame(kind, content) if len(content) == length else None
