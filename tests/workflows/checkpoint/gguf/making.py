"""GGUF files by hand: bytes of any header, true or not, and small models as llama.cpp's converter would write them."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

F32, Q4_0, Q4_1, Q8_0 = 0, 2, 3, 8
STRING, ARRAY = 8, 9
ALIGNMENT = 32

Tensor = tuple[str, tuple[int, ...], int, bytes]
"""Name, shape in PyTorch's order, number of the form, and data."""


class U8(int):
    """A number that is written as one byte."""


class I32(int):
    """A number that is written as a signed one."""


def text(value: str | bytes) -> bytes:
    """A string: its length and its bytes."""
    content = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(content)) + content


def scalar(value: Any) -> tuple[int, bytes]:
    """The number of a value's type, and its bytes."""
    if isinstance(value, bool):
        return 7, struct.pack("<?", value)
    if isinstance(value, U8):
        return 0, struct.pack("<B", value)
    if isinstance(value, int):
        signed = value < 0 or isinstance(value, I32)
        return (5, struct.pack("<i", value)) if signed else (4, struct.pack("<I", value))
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    return STRING, text(value)


def entry(key: str, value: Any) -> bytes:
    """An entry of metadata."""
    if not isinstance(value, list):
        kind, content = scalar(value)
        return text(key) + struct.pack("<I", kind) + content
    kinds = [scalar(one) for one in value]
    head = struct.pack("<IIQ", ARRAY, kinds[0][0] if kinds else 4, len(value))
    return text(key) + head + b"".join(content for _, content in kinds)


def tensor_entry(name: str, shape: Sequence[int], kind: int, offset: int) -> bytes:
    """An entry of the table of tensors."""
    head = struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", size) for size in reversed(shape))
    return text(name) + head + struct.pack("<IQ", kind, offset)


def gguf(metadata: Mapping[str, Any], tensors: Sequence[Tensor], version: int = 3) -> bytes:
    """A whole file."""
    table, data = b"", b""
    for name, shape, kind, content in tensors:
        table += tensor_entry(name, shape, kind, len(data))
        data += content + bytes(-len(content) % ALIGNMENT)
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    head += b"".join(entry(key, value) for key, value in metadata.items()) + table
    return head + bytes(-len(head) % ALIGNMENT) + data


def floats(name: str, array: Any) -> Tensor:
    """A tensor of float32."""
    numbers = np.ascontiguousarray(array, np.float32)
    return name, numbers.shape, F32, numbers.tobytes()


def blocks_of_32(numbers: Any, kind: int) -> bytes:
    """Numbers as Q4_0, Q4_1 or Q8_0: each block's largest number, or its range, divides into steps."""
    rows = np.ascontiguousarray(numbers, np.float32).reshape(-1, 32)
    if kind == Q4_1:
        low, high = rows.min(1, keepdims=True), rows.max(1, keepdims=True)
        scale = ((high - low) / 15).astype(np.float16)
        start = low.astype(np.float16)
        steps = np.clip(np.rint((rows - start) / np.maximum(scale.astype(np.float32), 1e-9)), 0, 15)
        head = np.concatenate([scale.view(np.uint8), start.view(np.uint8)], 1)
    else:
        most = 127 if kind == Q8_0 else 7
        scale = (np.abs(rows).max(1, keepdims=True) / most).astype(np.float16)
        steps = np.rint(rows / np.maximum(scale.astype(np.float32), 1e-9)) + (0 if kind == Q8_0 else 8)
        head = scale.view(np.uint8)
    whole = np.clip(steps, -128, 127).astype(np.int8).view(np.uint8)
    packed = whole if kind == Q8_0 else whole[:, :16] | (whole[:, 16:] << 4)
    return np.concatenate([head, packed], 1).tobytes()


def quantized(name: str, array: Any, kind: int) -> Tensor:
    """A tensor in blocks."""
    return name, np.shape(array), kind, blocks_of_32(array, kind)


def byte_tokenizer(size: int) -> dict[str, Any]:
    """The metadata of a tokenizer with a piece for each byte, two merges, and control tokens up to `size`."""
    letters = [chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 256))]
    signs = letters + [chr(256 + index) for index in range(256 - len(letters))]
    tokens = [*signs, "th", "the"]
    tokens += [f"<|c{index}|>" for index in range(size - len(tokens))]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [I32(1)] * 258 + [I32(3)] * (size - 258),
        "tokenizer.ggml.merges": ["t h", "th e"],
        "tokenizer.ggml.eos_token_id": 258,
        "tokenizer.ggml.bos_token_id": 259,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": "{{ messages[0]['content'] }}",
    }


def write_gguf(path: Path, metadata: Mapping[str, Any], tensors: Sequence[Tensor]) -> Path:
    """Writes a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf(metadata, tensors))
    return path


def changed_header(content: bytes, chances: random.Random) -> bytes:
    """A cut file, or one whose header has bits flipped, bytes replaced by large numbers, pieces taken out or doubled.

    The header is what comes before the first 64 zeros.
    """
    changed, head = bytearray(content), len(content) - sum(map(len, content.partition(bytes(64))[1:]))
    if chances.randrange(7) == 0:
        return content[: chances.randrange(len(content))]
    for _ in range(chances.randint(1, 3)):
        place = chances.randrange(4, max(head, 8))
        match chances.randrange(5):
            case 0:
                changed[place] ^= 1 << chances.randrange(8)
            case 1:
                changed[place] = chances.choice((0, 1, 0x7F, 0x80, 0xFF))
            case 2:
                changed[place : place + 8] = struct.pack("<Q", chances.choice((0, 1 << 31, 1 << 60, (1 << 64) - 1)))
            case 3:
                del changed[place : place + chances.randint(1, 40)]
            case _:
                changed[place:place] = changed[place : place + chances.randint(1, 40)]
    return bytes(changed)
