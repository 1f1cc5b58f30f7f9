"""A prompt cache on disk: rows, tokens, and a fingerprint of the cache's geometry.

KVCache + tokens ──save──▶ .safetensors ──load──▶ the same table, the same rows
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from workflows.common.errors import CapacityError, PromptCacheError, printable
from workflows.common.files import atomic_target
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.cache import KVCache

_FORMAT = "joinery-prompt-cache-1"


def fingerprint(cache: KVCache, model: str) -> str:
    """SHA-256 over the model, the layout, each tensor's row shape and the groups, which must agree to load rows.

    The capacity counts only where it is a window: rows of a large cache fit a smaller one that has the slots.
    """
    rows = sorted((name, tensor.sized(1), tensor.dtype) for name, tensor in cache.tensors.items())
    rows += sorted((tensor.past, tensor.shape, tensor.dtype) for tensor in cache.carried.tensors.values())
    groups = [(group.name, group.layers, group.window, group.sinks) for group in cache.groups]
    return hashlib.sha256(json.dumps([_FORMAT, model, cache.layout.name, rows, groups]).encode()).hexdigest()


def save_cache(cache: KVCache, tokens: Sequence[int], model: str, path: Path) -> None:
    """Writes the cache's rows and their `tokens`, [length] ids, atomically.

    model: identifies the model's weights. Raises PromptCacheError where the file cannot be written.
    """
    positions, rows = cache.rows()
    arrays: dict[str, Array] = {"tokens": np.asarray(tokens[: cache.length], np.int64), "positions": positions}
    arrays |= {f"row.{name}": np.ascontiguousarray(array) for name, array in rows.items()}
    arrays |= {f"carried.{name}": array for name, array in cache.carried.past.items()}
    try:
        with atomic_target(path) as draft:
            save_file(arrays, draft, {"format": _FORMAT, "fingerprint": fingerprint(cache, model)})
    except OSError as error:
        raise PromptCacheError(f"The prompt cache cannot be written to {path}: {error.strerror}.") from None


def load_cache(cache: KVCache, model: str, path: Path) -> list[int]:
    """Fills the cache from `path` and returns the tokens whose rows it now holds.

    Raises PromptCacheError for a file of another format, model or layout, or one that does not fit; the cache is then
    unchanged.
    """
    arrays = _read(path, fingerprint(cache, model))
    try:
        tokens, positions = arrays.pop("tokens"), arrays.pop("positions")
        rows = {name: arrays[f"row.{name}"] for name in cache.names}
        carried = {name: arrays[f"carried.{name}"] for name in cache.carried.past}
    except KeyError as error:
        raise PromptCacheError(f"The prompt cache {path} lacks {error}: save it again.") from None
    count = len(positions)
    whole = count <= len(tokens) and np.array_equal(positions, cache.layout.held(len(tokens), count))
    fits = all(
        carried[name].shape == array.shape and carried[name].dtype == array.dtype
        for name, array in cache.carried.past.items()
    ) and all(
        rows[name].shape == tensor.sized(count) and rows[name].dtype == TensorSpec("", (), tensor.dtype).numpy_dtype
        for name, tensor in cache.tensors.items()
    )
    if not whole or not fits:
        raise PromptCacheError(f"The prompt cache {path} contradicts itself: save it again.")
    try:
        cache.restore(len(tokens), positions, rows)
        cache.carried.restore(carried)
    except CapacityError:
        raise PromptCacheError(
            f"The prompt cache {path} holds {count:,} tokens and this cache {cache.capacity:,}: open the bundle with a "
            "larger capacity."
        ) from None
    return [int(token) for token in tokens]


def _read(path: Path, expected: str) -> dict[str, Array]:
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != _FORMAT:
                raise PromptCacheError(f"{path} is not a prompt cache of Joinery.")
            if metadata.get("fingerprint") != expected:
                raise PromptCacheError(
                    f"{path} was saved from another model or cache layout: open the bundle it was saved from."
                )
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except FileNotFoundError:
        raise PromptCacheError(f"There is no prompt cache {path}: check the path.") from None
    except (SafetensorError, OSError) as error:
        raise PromptCacheError(f"The prompt cache {path} cannot be read: {printable(error)}.") from None
