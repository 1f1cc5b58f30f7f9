"""ONNX files made of nothing but bytes, for tests of the window, which has no onnx: chains of one operator."""

from __future__ import annotations

from pathlib import Path


def _field(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer that has a length."""
    return _number(number << 3 | 2) + _number(len(content)) + content


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _whole(number: int, value: int) -> bytes:
    return _number(number << 3) + _number(value)


def _tensor(name: str) -> bytes:
    """ValueInfoProto: float32 of shape [1, 4]."""
    shape = b"".join(_field(1, _whole(1, extent)) for extent in (1, 4))
    kind = _field(1, _whole(1, 1) + _field(2, shape))
    return _field(1, name.encode()) + _field(2, kind)


def chain(path: Path, op: str, count: int) -> Path:
    """A model of `count` nodes, each fed by the one before."""
    graph = b""
    for place in range(count):
        node = _field(1, f"v{place}".encode()) + _field(2, f"v{place + 1}".encode())
        graph += _field(1, node + _field(3, f"{op}_{place}".encode()) + _field(4, op.encode()))
    graph += _field(2, b"chain") + _field(11, _tensor("v0")) + _field(12, _tensor(f"v{count}"))
    path.write_bytes(_whole(1, 8) + _field(7, graph) + _field(8, _whole(2, 18)))
    return path
