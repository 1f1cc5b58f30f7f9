"""The tokens whose keys and values a machine's cache holds, so that the next prompt reuses what it shares with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from workflows.kvcache import KVCache


def common_prefix_length(old: Sequence[int], new: Sequence[int]) -> int:
    """The length of the common prefix of two token sequences."""
    count = min(len(old), len(new))
    differs = np.flatnonzero(np.asarray(old[:count]) != np.asarray(new[:count]))
    return int(differs[0]) if len(differs) else count


class CachedPrompt:
    """The tokens of one cache. model: identifies the weights of a saved one. reuses: False to feed prompts whole."""

    def __init__(self, cache: KVCache, model: str = "", reuses: bool = True) -> None:
        self._cache, self._model, self._reuses = cache, model, reuses
        self._tokens: list[int] = []  # the first `cache.length` of them are in the cache

    def begin(self, ids: Sequence[int]) -> int:
        """Rewinds the cache to the prefix that it shares with the prompt `ids`, and returns that length.

        At least the last token is fed again, for its logits are needed. Where the cache cannot go back to that length,
        it goes to the longest below.
        """
        cache = self._cache
        held = self._tokens[: cache.length] if self._reuses else []
        shared = cache.slots.nearest_rewind(common_prefix_length(held, ids[:-1]))
        cache.rewind(shared)
        self._tokens = list(ids)
        return shared

    def append(self, token: int) -> None:
        """Adds a generated token."""
        self._tokens.append(token)

    def clear(self, wiped: bool = False) -> None:
        """Forgets all tokens, and resets the cache. wiped: overwrite the bytes that a failed run left, too."""
        self._cache.reset(wiped=wiped)
        self._tokens = []

    def save(self, path: Path) -> None:
        """Saves tokens, keys and values. Raises PromptCacheError where the file cannot be written."""
        from workflows.kvcache.cache_file import save_cache  # safetensors: few conversations are saved

        save_cache(self._cache, self._tokens, self._model, path)

    def load(self, path: Path) -> None:
        """Continues from a saved file. Raises PromptCacheError for one that is damaged or of another model."""
        from workflows.kvcache.cache_file import load_cache

        self._tokens = load_cache(self._cache, self._model, path)
