"""Joinery itself, by its public way: an engine's events."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import ClassVar

import numpy as np
from lines import THREADS, Peer, serve
from numpy.typing import NDArray

import workflows
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.prefill import feed_tokens
from workflows.measure.roofline import read_bandwidth, weight_bytes
from workflows.wire.events import TokenEvent


class Joinery(Peer):
    """A bundle; the latencies are those of the events that a window or a program gets."""

    versions: ClassVar = {"joinery": workflows.__version__, "onnxruntime": version("onnxruntime")}

    def open(self, folder: str, capacity: int) -> None:
        options = {"intra_op_num_threads": str(THREADS)}
        self._engine = open_engine(folder, capacity=capacity, session_options=options)

    def run(self, ids: Sequence[int], new: int, ends: int | None) -> tuple[list[int], list[float]]:
        self._engine.reset()
        eos = () if ends is None else (ends,)
        events = self._engine.generate(ids, GenerateOptions(max_new_tokens=new), eos=eos)
        tokens = [event for event in events if isinstance(event, TokenEvent)]
        return [token.id for token in tokens], [token.latency_ms for token in tokens]

    def rows(self, prompt: Sequence[int], following: Sequence[int]) -> list[NDArray[np.float32]]:
        self._engine.reset()
        machine = self._engine.machine
        *_, last = feed_tokens(machine, prompt)
        return [last.logits.copy(), *(machine.step([token])[-1].copy() for token in following)]

    def extras(self) -> dict[str, float]:
        """Bytes of weights that a step reads, and the bytes a second that memory gives now."""
        return {"weight_bytes": weight_bytes(self._engine.bundle), "bandwidth": read_bandwidth()}


if __name__ == "__main__":
    serve(Joinery())
