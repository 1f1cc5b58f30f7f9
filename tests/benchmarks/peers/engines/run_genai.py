"""onnxruntime-genai: a folder of its model builder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import ClassVar

import numpy as np
import onnxruntime_genai as og
from lines import THREADS, Peer, serve
from numpy.typing import NDArray

SETTINGS = f'{{"model": {{"decoder": {{"session_options": {{"intra_op_num_threads": {THREADS}}}}}}}}}'
WHOLE, PART = 8_192, 1_024
"""The longest prompt that is fed at once, and the parts of longer ones: its attention stores the scores of all pairs of
tokens for each head, 65 GB for 32,000."""


class Genai(Peer):
    """Its generator, rewound between texts; each token's text is made as its own examples do it."""

    versions: ClassVar = {name: version(name) for name in ("onnxruntime-genai", "onnxruntime")}

    def open(self, folder: str, capacity: int) -> None:
        config = og.Config(folder)
        config.overlay(SETTINGS)
        self._model, self._capacity = og.Model(config), capacity
        self._vocabulary = og.Tokenizer(self._model)
        self._generators: dict[bool, og.Generator] = {}

    def _generator(self, ends: bool) -> og.Generator:
        if ends not in self._generators:
            parameters = og.GeneratorParams(self._model)
            least = {} if ends else {"min_length": self._capacity}
            parameters.set_search_options(do_sample=False, max_length=self._capacity, **least)
            self._generators = {ends: og.Generator(self._model, parameters)}  # two would keep two caches
        return self._generators[ends]

    def begin(self, ids: Sequence[int], ends: bool) -> int:
        self._now = self._generator(ends)
        self._stream = self._vocabulary.create_stream()
        self._now.rewind_to(0)
        width = PART if len(ids) > WHOLE else WHOLE
        for start in range(0, len(ids), width):
            self._now.append_tokens(np.asarray(ids[start : start + width], np.int32))
        return self.step()

    def step(self) -> int:
        self._now.generate_next_token()
        token = int(self._now.get_next_tokens()[0])
        self._stream.decode(token)
        return token

    def rows(self, prompt: Sequence[int], following: Sequence[int]) -> list[NDArray[np.float32]]:
        generator = self._generator(True)
        generator.rewind_to(0)
        found = []
        for fed in (prompt, *([token] for token in following)):
            generator.append_tokens(np.asarray(fed, np.int32))
            found.append(generator.get_output("logits")[0, -1].copy())
        return found


if __name__ == "__main__":
    serve(Genai())
