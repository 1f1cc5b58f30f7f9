"""Changes of JSON, of its text and of bytes; each is drawn by `chances` and says what it did."""

from __future__ import annotations

import copy
import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.workflows.interop.mutations import JUNK

Json = Any
_NUMBERS = (-1, 0, 1, 2, 3, 7, 64, 65, 1 << 31, 1 << 53, 1 << 63, 10**30, 0.5, -0.5, 1e-30, 1e30, -1e308,
            float("nan"), float("inf"), float("-inf"), True, "8", [8])  # fmt: skip
_TEXTS = ("", " ", "\x00", "\x1b[31mred", "line\nline\r\ttab", "\ud800", "\ufeffx", "a" * 100_000, "‮evil", "𝔘" * 50,
          "../x", "/etc/passwd", "C:\\x", "%n%s%d", "{0}{x.__class__}", "[bold]", "NaN", "x\u0085y",
          "{{ 1/0 }}")  # fmt: skip


def change_json(data: Json, chances: random.Random) -> tuple[Json, str]:
    """One to three changes of a decoded value, which is changed in place; the value and what was done."""
    root, told = [data], list[str]()
    for _ in range(chances.choice((1, 1, 1, 2, 3))):
        here, key = _place(root, chances)
        way = chances.choice(_WAYS)
        way(root, here, key, chances)
        now = here[key] if _has(here, key) else "gone"
        told.append(f"{way.__name__.strip('_')} {key}: {str(now)[:40]!r}")
    return (root[0] if root else None), ", ".join(told)


def _has(here: Any, key: Any) -> bool:
    return key in here if isinstance(here, dict) else key < len(here)


def _place(root: list[Json], chances: random.Random) -> tuple[Any, Any]:
    """(object or list, key) of a value, found from above: a long table counts no more than a single number."""
    here, key = root, 0
    while isinstance(inside := here[key], dict | list) and inside and chances.random() < 0.85:
        here, key = inside, chances.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
    return here, key


def _take(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    if here is not root:
        del here[key]


def _spoil(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    here[key] = copy.deepcopy(chances.choice(JUNK))


def _number(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    old = here[key]
    if isinstance(old, int | float) and not isinstance(old, bool) and abs(old) < 1 << 40 and chances.random() < 0.4:
        here[key] = chances.choice((old + 1, old - 1, old * 2, old // 2, -old, float(old), old + 0.5, str(old)))
    else:
        here[key] = copy.deepcopy(chances.choice(_NUMBERS))


def _text(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    old = here[key]
    more = (f"{old}x", old[:-1], old.upper(), old[::-1], f"{old}\n", f"../{old}") if isinstance(old, str) else ()
    here[key] = chances.choice((*_TEXTS, *more, *more))


def _flip(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    """A switch the other way; what is none becomes one."""
    here[key] = not here[key] if isinstance(here[key], bool) else chances.choice((True, False, None))


def _swap(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    there, other = _place(root, chances)
    if root not in (here, there):
        here[key], there[other] = copy.deepcopy(there[other]), copy.deepcopy(here[key])


def _copy(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    """What stands elsewhere, here."""
    there, other = _place(root, chances)
    here[key] = copy.deepcopy(there[other])


def _double(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    """An item twice, or a value under another key as well."""
    if isinstance(here, dict):
        here[chances.choice((f"{key}x", str(key).upper(), "x", "", "\ud800"))] = copy.deepcopy(here[key])
    elif here is not root:
        here[key:key] = [copy.deepcopy(here[key])] * chances.choice((1, 1, 2, 1000))


def _rename(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    if isinstance(here, dict):
        here[chances.choice((f"{key}_", str(key)[:-1], "type", "id", "__class__", "\x00"))] = here.pop(key)


def _nest(root: list[Json], here: Any, key: Any, chances: random.Random) -> None:
    for _ in range(chances.choice((1, 2, 150))):
        here[key] = [here[key]] if chances.random() < 0.5 else {str(key): here[key]}


_Way = Callable[[list[Json], Any, Any, random.Random], None]
_WAYS: tuple[_Way, ...] = (_take, _take, _spoil, _spoil, _number, _number, _number, _text, _text, _flip, _swap, _copy,
                           _double, _rename, _nest)  # fmt: skip


def change_text(text: bytes, chances: random.Random) -> tuple[bytes, str]:
    """The text of a JSON file: what no writer of JSON would write."""
    at = chances.randrange(len(text) + 1)
    brace = text.find(b"{", at) + 1
    ways = {
        "a key twice": text[:brace] + b'"version":1,"version":[],"type":"x","type":null,' + text[brace:],
        "two values": text + text,
        "nested": text[:at] + b"[" * 100_000,
        "nested and whole": b'{"x":' * 50_000 + text + b"}" * 50_000,
        "no number": text.replace(b"1", chances.choice((b"NaN", b"-Infinity", b"1e999", b"01", b"9" * 5000, b"1.")), 1),
        "a control character": text[:at] + bytes([chances.randrange(32)]) + text[at:],
        "half a surrogate": text.replace(b'"', b'"\\ud800', 1 + at % 7),
        "UTF-16": text.decode("utf-8", "replace").encode("utf-16"),
        "a mark of bytes": b"\xef\xbb\xbf" + text,
        "Latin-1": text[:at] + b"\xe9\xff" + text[at:],
        "nothing": b"",
        "null": b"null",
    }
    way = chances.choice(list(ways))
    return ways[way], way


def change_bytes(data: bytes, chances: random.Random) -> tuple[bytes, str]:
    """Flipped bits, other bytes, a cut, an insertion, zeros, a part that stands elsewhere too."""
    changed, told = bytearray(data), list[str]()
    for _ in range(chances.choice((1, 1, 2, 4, 16))):
        at, size = chances.randrange(len(changed) + 1), chances.choice((1, 1, 2, 4, 8, 64, 1024))
        way = chances.choice(("flip", "flip", "byte", "cut", "insert", "zero", "ones", "copy", "remove", "number"))
        told.append(f"{way} at {at}")
        if way == "flip" and at < len(changed):
            changed[at] ^= 1 << chances.randrange(8)
        elif way == "byte" and at < len(changed):
            changed[at] = chances.randrange(256)
        elif way == "cut" and len(told) == 1:
            del changed[at:]
        elif way == "insert":
            changed[at:at] = chances.randbytes(size)
        elif way in ("zero", "ones"):
            changed[at : at + size] = bytes([0 if way == "zero" else 255]) * len(changed[at : at + size])
        elif way == "copy":
            start = chances.randrange(len(changed) + 1)
            changed[at : at + size] = changed[start : start + size]
        elif way == "remove":
            del changed[at : at + size]
        elif way == "number":
            whole = chances.choice((0, 1, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 63) - 1, (1 << 64) - 1))
            changed[at : at + 8] = struct.pack("<Q", whole)
    return bytes(changed), ", ".join(told)


def change_file(data: bytes, chances: random.Random) -> tuple[bytes, str]:
    """A JSON file: mostly its values, at times its text or its bytes."""
    way = chances.random()
    if way < 0.1:
        return change_text(data, chances)
    if way < 0.2:
        return change_bytes(data, chances)
    value, told = change_json(json.loads(data), chances)
    return json.dumps(value).encode(), told


def change_path(path: Path, chances: random.Random) -> str:
    """A file of this name, by its kind; what was done."""
    ways = {".json": change_file, ".safetensors": change_safetensors}
    data, told = ways.get(path.suffix, change_bytes)(path.read_bytes(), chances)
    path.write_bytes(data)
    return told


def change_safetensors(data: bytes, chances: random.Random) -> tuple[bytes, str]:
    """The header's JSON, with the length that belongs to it or another; its text; the bytes of the whole."""
    way = chances.random()
    if way < 0.2:
        return change_bytes(data, chances)
    size = struct.unpack_from("<Q", data)[0]
    header, body = data[8 : 8 + size], data[8 + size :]
    if way < 0.3:
        header, told = change_text(header, chances)
    elif way < 0.5:
        header, told = _twist(json.loads(header), chances)
    elif way < 0.6:
        spoilt = bytearray(body)
        at = chances.randrange(0, len(body), 4)
        odd = chances.choice((float("nan"), float("inf"), -float("inf"), 3e38, 0.0))
        spoilt[at : at + 4] = struct.pack("<f", odd)
        body, told = bytes(spoilt), f"{odd} at {at}"
    else:
        value, told = change_json(json.loads(header), chances)
        header = json.dumps(value).encode()
    length = len(header)
    if chances.random() < 0.05:
        length = chances.choice((0, 1, length - 1, length + 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1))
        told += f", and its length is {length}"
    return struct.pack("<Q", length) + header + body, told


def _twist(header: dict[str, Any], chances: random.Random) -> tuple[bytes, str]:
    """A header that is still sound, and says something else."""
    names = [name for name in header if name != "__metadata__"]
    one, two = chances.choice(names), chances.choice(names)
    way = chances.choice(("swap", "turn", "type", "flat", "name", "split"))
    entry = header[one]
    if way == "swap":
        header[one], header[two] = header[two], entry
    elif way == "turn":
        entry["shape"].reverse()
    elif way == "type":
        entry["dtype"] = chances.choice(("I32", "U32", "F32"))
    elif way == "flat":
        entry["shape"] = [*entry["shape"], 1] if chances.random() < 0.5 else [1, *entry["shape"]]
    elif way == "name":
        header[chances.choice((f"{one}x", one.replace("0", "7"), "lm_head.bias", f"model.{one}"))] = header.pop(one)
    elif len(entry["shape"]) == 2 and entry["shape"][1] % 2 == 0:
        entry["dtype"], entry["shape"][1] = "F16", entry["shape"][1] * 2
    return json.dumps(header).encode(), f"{way} {one}"
