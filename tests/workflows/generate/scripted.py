"""An machine that follows a script: the loop's own behaviour, over any tokens, without a graph."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import CapacityError
from workflows.generate.generation import Generation
from workflows.generate.options import GenerateOptions
from workflows.generate.tokenizer import BundleTokenizer
from workflows.kvcache import LAYOUTS
from workflows.wire.events import Event, GenerationDone, TokenEvent


class ScriptedCache:
    """As many slots as it is told of; it holds nothing."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.length, self.evicted, self.bytes = capacity, 0, 0, 0
        self.longest = capacity
        self.layout = LAYOUTS["static"]

    @property
    def has_room(self) -> bool:
        return self.length < self.capacity

    def view(self) -> tuple[()]:
        return ()

    def reset(self, wiped: bool = False) -> None:
        self.length = 0


_RUN = SimpleNamespace(giver="decoder", gives_rows=False, columns=None, features={})
_SESSIONS = {"decoder": SimpleNamespace(provider=SimpleNamespace(name="cpu"))}


class ScriptedMachine:
    """Gives logits whose best token is the next of `tokens`, or what `change` makes of them by step."""

    provider, chunk, has_source = "cpu", 64, False
    program = SimpleNamespace(
        final=None,
        required_inputs=(),
        pad_left=False,
        prefill=_RUN,
        decode=_RUN,
        runs=dict.fromkeys(("prefill", "decode"), _RUN),
    )
    sessions = _SESSIONS

    def __init__(
        self,
        tokens: Sequence[int],
        vocabulary: int,
        capacity: int = 1 << 20,
        change: Callable[[int, NDArray[Any]], None] = lambda step, logits: None,
    ) -> None:
        self.cache = ScriptedCache(capacity)
        self._tokens, self._vocabulary, self._change = list(tokens), vocabulary, change
        self._steps = 0

    def chunks(self, prompt: Sequence[int]) -> Iterator[tuple[Sequence[int], str]]:
        yield prompt, "prefill"

    def step(self, tokens: Sequence[int], phase: str, rows: int = 1) -> NDArray[Any]:
        assert rows == 1  # its graphs give the last token's alone
        if self.cache.length + len(tokens) > self.cache.capacity:
            raise CapacityError("full")
        self.cache.length += len(tokens)
        logits = np.zeros(self._vocabulary, np.float32)
        logits[self._tokens[self._steps]] = 1
        self._change(self._steps, logits)
        self._steps += 1
        return logits[None]


def generated(
    text: BundleTokenizer,
    tokens: Sequence[int],
    *,
    eos: Sequence[int] = (),
    cancel_after: int | None = None,
    capacity: int = 1 << 20,
    change: Callable[[int, NDArray[Any]], None] = lambda step, logits: None,
    **options: Any,
) -> tuple[list[TokenEvent], GenerationDone]:
    """What a generation of `tokens` after one prompt token tells. cancel_after: say stop after that many tokens."""
    stopped = threading.Event()
    machine: Any = ScriptedMachine([*tokens, 0], text.vocabulary, capacity, change)
    asked = GenerateOptions(**{"max_new_tokens": len(tokens), **options})
    events: list[Event] = []
    for event in Generation(machine, text, asked, eos, stopped.is_set).stream([0]):
        events.append(event)
        if cancel_after is not None and sum(isinstance(one, TokenEvent) for one in events) >= cancel_after:
            stopped.set()
    done = events[-1]
    assert isinstance(done, GenerationDone)
    return [event for event in events if isinstance(event, TokenEvent)], done
