"""Files that flags of a command name: UTF-8 text and JSON."""

from __future__ import annotations

from pathlib import Path

from workflows.common.errors import PromptError, RequestError
from workflows.common.files import special_file_kind
from workflows.common.strict_json import InvalidJsonError, read_json

_MAX_BYTES = 64 << 20


def read_text(path: Path, what: str) -> str:
    """The text of a UTF-8 file. what: the file's name in messages. Raises PromptError where it cannot be read."""
    if kind := special_file_kind(path):
        raise PromptError(f"The {what} file {path} is {kind}, which may have no end: give a file.")
    if path.is_file() and path.stat().st_size > _MAX_BYTES:
        raise PromptError(f"The {what} file {path} is larger than {_MAX_BYTES >> 20} MiB: no model reads so much.")
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise PromptError(f"The {what} file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise PromptError(f"The {what} file {path} is not UTF-8 text.") from None


def read_value(path: Path, what: str) -> object:
    """The value of a JSON file. Raises PromptError where it cannot be read, RequestError where it is not JSON."""
    try:
        value: object = read_json(read_text(path, what))
    except InvalidJsonError as error:
        raise RequestError(f"The {what} file {path} {error}: mend it, or give another.") from None
    return value
