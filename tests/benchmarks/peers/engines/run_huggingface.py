"""Hugging Face transformers, eager, in fp32."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import ClassVar

import numpy as np
import torch
from lines import THREADS, Peer, serve
from numpy.typing import NDArray
from transformers import AutoModelForCausalLM, DynamicCache


class HuggingFace(Peer):
    """A checkpoint, and a loop around its forward: `generate` adds work of its own to each token."""

    versions: ClassVar = {name: version(name) for name in ("transformers", "torch")}

    def open(self, folder: str, capacity: int) -> None:
        torch.set_num_threads(THREADS)
        self._model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, attn_implementation="eager"
        ).eval()

    def begin(self, ids: Sequence[int], ends: bool) -> int:
        self._cache = DynamicCache()
        self._token = self._feed(ids)
        return self._token

    def step(self) -> int:
        self._token = self._feed([self._token])
        return self._token

    def rows(self, prompt: Sequence[int], following: Sequence[int]) -> list[NDArray[np.float32]]:
        self._cache = DynamicCache()
        return list(self._logits([*prompt, *following], len(following) + 1).numpy())  # one run is as exact as many

    def _feed(self, ids: Sequence[int]) -> int:
        return int(self._logits(ids, 1)[0].argmax())

    @torch.inference_mode()
    def _logits(self, ids: Sequence[int], last: int) -> torch.Tensor:
        """[last, V]."""
        given = torch.tensor([list(ids)])
        return self._model(given, past_key_values=self._cache, use_cache=True, logits_to_keep=last).logits[0]


if __name__ == "__main__":
    serve(HuggingFace())
