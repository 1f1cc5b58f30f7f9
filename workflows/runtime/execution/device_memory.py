"""Keys and values in a provider's own memory, where its graphs write in place: no copies between two steps.

    cache's buffers ──before the first run there──▶ the provider's OrtValues ──runs, any number──▶
                    ◀──before rows are read, moved or saved, or another provider runs──

Only where graphs write in place: rows that the host writes would be copied back and forth.
"""

from __future__ import annotations

import numpy as np
import onnxruntime as ort

from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache import KVCache
from workflows.runtime.providers import Provider


class DeviceMemory:
    """The RowHolder of providers with memory of their own. copies: how often all buffers were copied, for tests."""

    def __init__(self, cache: KVCache) -> None:
        self._buffers, self._values = cache.buffers, dict[str, dict[str, ort.OrtValue]]()
        self._newest: Provider | None = None  # None: the cache's own buffers
        self._generation = cache.buffers.generation
        tensors = cache.tensors
        self._elements = {past: TensorSpec("", (), tensor.dtype).element for past, tensor in tensors.items()}
        self._pairs = [(past, tensor.present) for past, tensor in tensors.items()]
        self.copies = 0
        cache.buffers.attach(self)

    def values(self, provider: Provider) -> dict[str, ort.OrtValue]:
        """The values that past and present tensors are bound to, by name, until the cache's generation changes."""
        if self._generation != self._buffers.generation:
            self._values.clear()
            self._generation = self._buffers.generation
        if provider.name not in self._values:
            elements = self._elements.items()
            values = {past: provider.allocate(self._buffers.past(past), element) for past, element in elements}
            self._values[provider.name] = values | {present: values[past] for past, present in self._pairs}
        return self._values[provider.name]

    def to_provider(self, provider: Provider) -> None:
        """Makes `provider` hold the newest rows, before a run; one without own memory uses the cache's buffers."""
        if not provider.has_memory:
            self.to_host()
        elif self._newest is not provider:
            self.to_host()
            self._copy(provider, to_device=True)
            self._newest = provider

    def to_host(self) -> None:
        """Copies newer rows into the cache's buffers, which are the newest from here on."""
        if self._newest is not None:
            self._copy(self._newest, to_device=False)
            self._newest = None

    def _copy(self, provider: Provider, *, to_device: bool) -> None:
        values = self.values(provider)
        host = [_host_value(self._buffers.past(past), element) for past, element in self._elements.items()]
        device = [values[past] for past in self._elements]
        ort.copy_tensors(*((host, device) if to_device else (device, host)))
        self.copies += 1


def _host_value(array: Array, element: np.dtype | int) -> ort.OrtValue:
    """An OrtValue over the array's own memory."""
    if isinstance(element, int):
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, element)
    return ort.OrtValue.ortvalue_from_numpy(array)
