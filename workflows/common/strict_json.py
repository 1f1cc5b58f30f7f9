"""JSON that somebody else wrote: it has one meaning, or none.

text ──read_json──▶ a value │ InvalidJsonError, whose words say what of the file is wrong
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from workflows.common.errors import printable

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # the other half may follow, or not


class InvalidJsonError(ValueError):
    """Why it is none, as what is said of a file: "is not JSON", "has the key 'x' twice, which …"."""


def read_json(text: str | bytes, *, endless: bool = True) -> Any:
    """The value, of UTF-8 where bytes are given. endless: whether NaN and Infinity, which Python takes, are numbers.

    Raises InvalidJsonError for what is no JSON, nests deeper than can be followed, has a key twice in one object (of two
    readers of such a file one takes the first, the other the last), or holds half a character, which no file can.
    """
    try:
        text = text if isinstance(text, str) else text.decode("utf-8-sig")
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=None if endless else _refuse)
        if _SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except InvalidJsonError:
        raise
    except UnicodeEncodeError:
        raise InvalidJsonError("holds half a character") from None
    except (ValueError, RecursionError):
        raise InvalidJsonError("is not JSON") from None
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InvalidJsonError(f"has the key '{printable(twice, 60)}' twice, which leaves open what it means")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(name)
