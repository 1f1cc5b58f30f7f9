"""One side of a comparison: what reads texts, generates, and follows tokens that the other side chose.

ComparedSide ─┬─ ComparedBundle   a bundle, on onnxruntime
              └─ EagerReference   a checkpoint, in transformers
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workflows.evaluation.accuracy.tasks import DemoTask, FileTask
from workflows.generate.prompt_sets import HeldOutQuestion
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.wire.events import GenerationDone

Logits = NDArray[np.float32]
States = NDArray[np.float32]
Rows = dict[tuple[int, str], NDArray[np.float32]]


@dataclass(frozen=True)
class ReadBlock:
    """Positions one after another. logits: [n, V], which the next run overwrites. hidden: outputs of layers, [n, D]."""

    logits: Logits
    hidden: Mapping[int, States]

    def __len__(self) -> int:
        return len(self.logits)

    def part(self, start: int, end: int) -> ReadBlock:
        """The positions from `start` to before `end`."""
        return ReadBlock(self.logits[start:end], {layer: rows[start:end] for layer, rows in self.hidden.items()})


class ComparedSide(Protocol):
    """encoded: the output of each layer of an encoder for the last source, layer → [n, D]."""

    encoded: dict[int, States]

    @property
    def has_source(self) -> bool:
        """Whether an encoder reads the prompts."""
        ...

    @property
    def has_layer_outputs(self) -> bool:
        """Whether blocks have hidden states."""
        ...

    @property
    def room(self) -> int:
        """The number of tokens that fit."""
        ...

    @property
    def vocabulary(self) -> int:
        """The number of tokens that logits are of."""
        ...

    def read(self, ids: Sequence[int], inputs: NamedInputs | None = None) -> Iterator[ReadBlock]:
        """Yields the positions of a prompt's tokens except the last, none if an encoder reads it."""
        ...

    def greedy(
        self, ids: Sequence[int], steps: int, cancelled: Callable[[], bool], inputs: NamedInputs | None = None
    ) -> list[int]:
        """Generates at most `steps` tokens after a prompt that was read, greedily. Raises Cancelled."""
        ...

    def follow(
        self, ids: Sequence[int], tokens: Sequence[int], inputs: NamedInputs | None = None
    ) -> Iterator[ReadBlock]:
        """Yields the positions of the prompt's last token and of each of `tokens` except the last."""
        ...

    def rows(self) -> tuple[NDArray[np.int64], Rows]:
        """Returns the positions [n] in the cache, and the keys or values of each, [n, H·D], by layer and role."""
        ...

    def reply(
        self, task: FileTask | DemoTask, question: HeldOutQuestion, cancelled: Callable[[], bool]
    ) -> GenerationDone:
        """Answers a task's question. Raises Cancelled, and PromptError for one that cannot be taken."""
        ...
