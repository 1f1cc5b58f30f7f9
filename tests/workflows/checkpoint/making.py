"""Small checkpoints by hand: no torch, no transformers, no safetensors."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

CONFIG: dict[str, Any] = {"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "eos_token_id": 7}
TOKENIZER: dict[str, Any] = {
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []},
    "added_tokens": [{"id": 9, "content": "<end>"}],
}


def safetensors(header: dict[str, Any] | str, data: bytes = b"", length: int | None = None) -> bytes:
    """A safetensors file; a text is taken as the header's JSON as it stands, `length` belies the header's size."""
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensors(*names: str, floats: int = 2) -> bytes:
    """A safetensors file with float32 vectors of ones."""
    size = floats * 4
    header = {
        name: {"dtype": "F32", "shape": [floats], "data_offsets": [i * size, (i + 1) * size]}
        for i, name in enumerate(names)
    }
    return safetensors(header, struct.pack("<f", 1.0) * floats * len(names))


def files(**changes: bytes | None) -> dict[str, bytes]:
    """The files of a whole checkpoint; a change's name has `__` for a dot, None takes the file away."""
    found: dict[str, bytes | None] = {
        "config.json": json.dumps(CONFIG).encode(),
        "generation_config.json": b'{"eos_token_id": [7, 9], "pad_token_id": 0}',
        "tokenizer.json": json.dumps(TOKENIZER).encode(),
        "tokenizer_config.json": b'{"chat_template": "{{ messages }}"}',
        "model.safetensors": tensors("embed", "head"),
    }
    found |= {name.replace("__", "."): body for name, body in changes.items()}
    return {name: body for name, body in found.items() if body is not None}


def write(folder: Path, contents: dict[str, bytes]) -> Path:
    """Write files into a folder, making what is needed."""
    for name, body in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return folder
