"""Generates several texts at once over one model, each in a thread of its own.

EngineRows.open(engine, count) ──generate(prompt, options)──▶ events of one text, which joined a free row
                                       └─ single tokens of all rows ──▶ one run of the graphs a step

Each row has an Engine, so that sampling, constraints, stop strings and limits are those of a text alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Condition
from types import TracebackType
from typing import Self

from workflows.common.errors import Cancelled, RequestError, printable
from workflows.generate.engine import Engine
from workflows.generate.options import GenerateOptions
from workflows.runtime.execution.active_adapter import BASE
from workflows.runtime.execution.row_batch import RowBatch
from workflows.wire.events import Event

_POLL = 0.1  # seconds between two looks whether a waiting text was cancelled


class EngineRows:
    """Engines over the rows of a batch; `generate` may be called from any thread. The engine that it is made of stays
    open, with its cache, and closes after it. Drafts are not used: their runs continue one text.

    Raises RequestError, with the reason, for a model whose steps take one text.
    """

    def __init__(self, engine: Engine, count: int) -> None:
        self._batch, self._free = RowBatch(engine.machine, count), Condition()
        self._turns = self._batch.take_turns()
        self._engines = [Engine(engine.bundle, row, engine.load_seconds) for row in self._batch.rows]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Releases the rows; a generation that runs then raises RequestError."""
        self._batch.close()

    def generate(
        self, prompt: Sequence[int], options: GenerateOptions, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[Event]:
        """The events of Engine.generate, once a row is free. Raises as it does, Cancelled while it waits, and
        RequestError for an adapter that is not the active one of all rows.
        """
        active = self._batch.adapter.name
        if (options.adapter or BASE) != active:
            raise RequestError(
                f"All rows run with one adapter, {printable(active or 'none', 60)} now: ask for that one, or for one "
                "text at a time."
            )
        row = self._wait_for_row(cancelled)
        try:
            with self._turns.taking_part(row):
                yield from self._engines[row].generate(prompt, options.replaced(drafts=False), cancelled)
        finally:
            with self._free:
                self._batch.leave(row)
                self._free.notify()

    def _wait_for_row(self, cancelled: Callable[[], bool]) -> int:
        with self._free:
            while (row := self._batch.join()) is None:
                if cancelled():
                    raise Cancelled("The text was cancelled before a row was free.")
                self._free.wait(_POLL)
        return row
