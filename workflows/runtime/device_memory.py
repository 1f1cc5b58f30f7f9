"""Keys and values in a provider's own memory: where its graphs write in place nothing is copied between two steps.

    cache's buffers ──before the first run there──▶ the provider's OrtValues ──runs, any number──▶
                    ◀──when somebody reads, moves or saves rows, or another provider runs──

Only where graphs write in place: rows that the host puts into their slots would have to go back and forth.
"""

from __future__ import annotations

import numpy as np
import onnxruntime as ort

from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache import KVCache
from workflows.runtime.providers import Provider


class DeviceMemory:
    """The cache's buffers as one or more providers have them. copies: how often all of them were moved, for tests."""

    def __init__(self, cache: KVCache) -> None:
        self._cache, self._values = cache, dict[str, dict[str, ort.OrtValue]]()
        self._newest: Provider | None = None  # None: the cache's own buffers
        self._generation = cache.generation
        tensors = cache.tensors
        self._elements = {past: TensorSpec("", (), tensor.dtype).element for past, tensor in tensors.items()}
        self._pairs = [(past, tensor.present) for past, tensor in tensors.items()]
        self.copies = 0
        cache.lend = self.to_host

    def values(self, provider: Provider) -> dict[str, ort.OrtValue]:
        """What past inputs and present outputs are bound to, by name; valid until the cache's generation changes."""
        if self._generation != self._cache.generation:
            self._values.clear()
            self._generation = self._cache.generation
        if provider.name not in self._values:
            elements = self._elements.items()
            made = {past: provider.allocate(self._cache.buffer(past), element) for past, element in elements}
            self._values[provider.name] = made | {present: made[past] for past, present in self._pairs}
        return self._values[provider.name]

    def to_provider(self, provider: Provider) -> None:
        """Before a run: what is newest is there. A provider without memory of its own uses the cache's buffers."""
        if not provider.has_memory:
            self.to_host()
        elif self._newest is not provider:
            self.to_host()
            self._move(provider, there=True)
            self._newest = provider

    def to_host(self) -> None:
        """Before the cache's buffers are read or changed: they are the newest from here on."""
        if self._newest is not None:
            self._move(self._newest, there=False)
            self._newest = None

    def _move(self, provider: Provider, *, there: bool) -> None:
        values = self.values(provider)
        host = [_on_host(self._cache.buffer(past), element) for past, element in self._elements.items()]
        device = [values[past] for past in self._elements]
        ort.copy_tensors(*((host, device) if there else (device, host)))
        self.copies += 1


def _on_host(array: Array, element: np.dtype | int) -> ort.OrtValue:
    """The array's own memory."""
    if isinstance(element, int):
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, element)
    return ort.OrtValue.ortvalue_from_numpy(array)
