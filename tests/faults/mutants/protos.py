"""Changes of a protobuf message by what its fields are, whatever it says: for ONNX models.

message ──a random walk from above──▶ a field of some message in it ──▶ cleared, doubled, moved, another value
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import onnx

from tests.faults.mutants.edits import change_bytes

_WHOLE = (0, 1, -1, 2, 3, 7, 10, 11, 16, 64, 99, 1 << 20, (1 << 31) - 1, -(1 << 31), (1 << 63) - 1, -(1 << 63))
_REAL = (0.0, 1.0, -1.0, 1e-30, 1e30, float("nan"), float("inf"))
_TEXTS = ("", "x", "../x", "/etc/passwd", "..", "weights.data", "-5", "99999999999999", "Loop", "If", "Concat",
          "MatMul",
          "com.microsoft", "a" * 10_000, "%n%s", "\x1b[31m", "é\u202e", "[bold]", "past_key_values.0.key")  # fmt: skip

_IDLE = {"doc_string", "producer_name", "producer_version", "metadata_props", "model_version", "value_info"}
"""What no runtime reads is changed seldom."""


def change_model(data: bytes, chances: random.Random) -> tuple[bytes, str]:
    """A model's file: mostly its fields, at times its bytes."""
    if chances.random() < 0.15:
        return change_bytes(data, chances)
    model, told = onnx.ModelProto(), list[str]()
    model.ParseFromString(data)
    texts = sorted(set(_texts(model)))
    for _ in range(chances.choice((1, 1, 1, 2, 3))):
        told.append(_change(model, chances, texts))
    return model.SerializeToString(), ", ".join(told)


def _texts(message: Any) -> Iterator[str]:
    """Every text in a message, which are its names."""
    for field, value in message.ListFields():
        for one in value if _repeats(field) else [value]:
            if field.type == field.TYPE_MESSAGE:
                yield from _texts(one)
            elif field.type == field.TYPE_STRING and len(one) < 200:
                yield one


def _repeats(field: Any) -> bool:
    return bool(field.is_repeated)


def _change(model: Any, chances: random.Random, texts: list[str]) -> str:
    message, field = _place(model, chances)
    if _repeats(field):
        return f"{field.name}: {_change_list(message, field, chances, texts)}"
    if chances.random() < 0.25:
        message.ClearField(field.name)
        return f"{field.name} is gone"
    if field.type == field.TYPE_MESSAGE:  # there, and says nothing
        getattr(message, field.name).Clear()
        getattr(message, field.name).SetInParent()
        return f"{field.name} is empty"
    setattr(message, field.name, _value(field, getattr(message, field.name), chances, texts))
    return f"{field.name} is {str(getattr(message, field.name))[:40]!r}"


def _place(message: Any, chances: random.Random) -> tuple[Any, Any]:
    """A message within and one of its fields: one that is set, or at times any."""
    while True:
        fields = [field for field, _ in message.ListFields()]
        if not fields or chances.random() < 0.05:
            return message, chances.choice(list(message.DESCRIPTOR.fields))
        if "graph" in {field.name for field in fields} and chances.random() < 0.8:  # a model, or a body
            fields = [field for field in fields if field.name == "graph"]
        telling = [field for field in fields if field.name not in _IDLE]
        field = chances.choice(telling if telling and chances.random() < 0.9 else fields)
        if field.type != field.TYPE_MESSAGE or chances.random() < 0.1:
            return message, field
        value = getattr(message, field.name)
        message = chances.choice(value) if _repeats(field) else value


def _change_list(message: Any, field: Any, chances: random.Random, texts: list[str]) -> str:
    values = getattr(message, field.name)
    way = chances.choice(("take", "double", "swap", "value", "value", "clear", "shuffle"))
    if not values or way == "clear":
        message.ClearField(field.name)
        return "none"
    at = chances.randrange(len(values))
    if way == "take":
        del values[at]
    elif way == "double":
        values.extend([values[at]] * chances.choice((1, 1, 1, 100)))
    elif field.type == field.TYPE_MESSAGE:
        order = list(range(len(values)))
        chances.shuffle(order)
        kept = [type(values[0])() for _ in order]
        for copy, place in zip(kept, order, strict=True):
            copy.CopyFrom(values[place])
        del values[:]
        values.extend(kept)
        return "in another order"
    else:
        values[at] = _value(field, values[at], chances, texts)
        return f"{str(values[at])[:40]!r} at {at}"
    return f"{way} {at}"


def _value(field: Any, old: Any, chances: random.Random, texts: list[str]) -> Any:
    """Another value of a field's type."""
    makers: dict[int, Callable[[], Any]] = {
        field.TYPE_STRING: lambda: chances.choice((*_TEXTS, *texts, *texts)),
        field.TYPE_BYTES: lambda: change_bytes(old, chances)[0],
        field.TYPE_FLOAT: lambda: chances.choice(_REAL),
        field.TYPE_DOUBLE: lambda: chances.choice(_REAL),
        field.TYPE_ENUM: lambda: chances.choice([one.number for one in field.enum_type.values]),
    }
    if field.type in makers:
        return makers[field.type]()
    near = (old + 1, old - 1, old * 2)
    low, high = _RANGES.get(field.type, (0, (1 << 32) - 1))
    return max(low, min(high, chances.choice((*_WHOLE, *near))))


_RANGES = {  # protobuf's numbers of its types, and what they hold
    3: (-(1 << 63), (1 << 63) - 1),
    4: (0, (1 << 64) - 1),
    5: (-(1 << 31), (1 << 31) - 1),
}
