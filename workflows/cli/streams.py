"""The standard streams of a command: control characters escaped on terminals, unchanged text on pipes.

    text ──write──▶ StandardStream ──on a terminal: control characters as \\uXXXX──▶ file descriptor 1 or 2
    text ──Console (console.py)──▶ each segment so, its style unchanged──▶ StandardStream.styled ──▶ the same descriptor

Text of a model, a file or a driver may have escape sequences, which would move a terminal's cursor, change its title or
reverse text. There every control character except line feed and tab is printed as its number.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from workflows.common.errors import OutputError
from workflows.process.subprocesses import claim_stdout

# C0 without tab and line feed, DEL, C1, and the Unicode controls of text direction
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def escape_controls(text: str) -> str:
    """`text` with each control character as \\uXXXX, which JSON reads as the same character."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class StandardStream(io.TextIOWrapper):
    """Standard output or standard error.

    styled: the same stream for a Console, which does not escape the console's own sequences. Writing to standard output
    raises BrokenPipeError if the reader has closed it, and OutputError for other failures; what cannot be written to
    standard error is dropped.
    """

    def __init__(self, buffer: io.BufferedWriter, encoding: str, is_output: bool, is_styled: bool = False) -> None:
        self._is_output, self._is_terminal = is_output, buffer.isatty()
        self._escapes = self._is_terminal and not is_styled
        newline = None if self._is_terminal else "\n"
        super().__init__(buffer, encoding, "backslashreplace", newline, write_through=True)
        self.styled = self if is_styled else StandardStream(buffer, encoding, is_output, is_styled=True)

    def write(self, text: str) -> int:
        """Writes all of `text`; flushes every line on a terminal."""
        with self._checked():
            super().write(escape_controls(text) if self._escapes else text)
            if not self._is_output or (self._is_terminal and "\n" in text):
                super().flush()
        return len(text)

    def flush(self) -> None:
        if not self.closed:
            with self._checked():
                super().flush()

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.discard()
            if self._is_output and isinstance(error, BrokenPipeError):
                raise
            if self._is_output:
                raise OutputError(
                    f"Standard output cannot be written: {error.strerror}; send it where there is room."
                ) from error

    def discard(self) -> None:
        """Redirects the descriptor to the null device."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def print_line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def open_streams() -> None:
    """Makes `sys.stdout` and `sys.stderr` each a StandardStream; descriptor 1 becomes standard error, for drivers.

    Closed streams become the null device, so that no file opened later gets their numbers. Raises OutputError if
    standard output is closed.
    """
    has_output, encoding = sys.stdout is not None, sys.stdout.encoding if sys.stdout is not None else "utf-8"
    for number, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        _reopen(number, mode)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = StandardStream(open(2, "wb", closefd=False), encoding, is_output=False)  # noqa: SIM115
    if has_output and sys.stdout.isatty():  # a driver's extra line does no harm there
        sys.stdout = StandardStream(_binary_buffer(sys.stdout.buffer), encoding, is_output=True)
    else:
        sys.stdout = StandardStream(_binary_buffer(claim_stdout(encoding).detach()), encoding, is_output=True)
    if not has_output:
        raise OutputError("Standard output is closed, and what this command prints goes there: give it a file.")


def _binary_buffer(stream: object) -> io.BufferedWriter:
    """A stream's buffer; a new one if Python runs unbuffered."""
    if isinstance(stream, io.BufferedWriter):
        return stream
    assert isinstance(stream, io.RawIOBase)
    return io.BufferedWriter(stream)


def _reopen(number: int, mode: int) -> None:
    """Opens the null device as a descriptor that is closed."""
    try:
        os.fstat(number)
    except OSError:
        opened = os.open(os.devnull, mode)  # the lowest free descriptor, which may be this one
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
