"""Reads JSON from untrusted files and rejects documents with more than one meaning.

text ──read_json──▶ a value │ InvalidJsonError, whose words say what of the file is wrong
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn

from workflows.common.errors import printable

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # half of a pair, or alone


class InvalidJsonError(ValueError):
    """The reason, as the predicate of a sentence on a file: "is not JSON", "has the key 'x' twice, which …"."""


def read_json(text: str | bytes, *, endless: bool = True) -> Any:
    """The value of a JSON text; bytes are UTF-8. endless: whether NaN and Infinity are accepted, as Python does.

    Raises InvalidJsonError for text that is not JSON or nests too deeply, for an object with a key twice (readers
    differ in which one they take), and for an unpaired surrogate, which no file can hold.
    """
    try:
        text = text if isinstance(text, str) else text.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=None if endless else _refuse)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except InvalidJsonError:
        raise
    except UnicodeEncodeError:
        raise InvalidJsonError("holds half a character") from None
    except (ValueError, RecursionError):
        raise InvalidJsonError("is not JSON") from None
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InvalidJsonError(f"has the key '{printable(twice, 60)}' twice, which leaves open what it means")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)
