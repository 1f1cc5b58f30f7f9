"""Several texts over one model: each row is a machine of its own, and a step continues some of them in one run.

    join() ──▶ row ──rows[row].chunks, step──▶ its prompt is read, in runs of that row alone
    step({row: token}) ──▶ logits of each ──▶ …        rows join and leave between two steps
    leave(row) ──▶ its place is free

The weights are read once a step for all rows. A row that is between two chunks of its prompt takes part as an idle one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from workflows.bundle.outline import Port
from workflows.common.errors import RequestError
from workflows.common.tensors import Array
from workflows.kvcache.cache_rows import CacheRows, rows_refusal
from workflows.runtime.execution.binding import Binding
from workflows.runtime.execution.logits_rows import logits_memory
from workflows.runtime.execution.machine import Logits, Machine
from workflows.runtime.execution.run_control import RunControl
from workflows.runtime.execution.step_turns import StepTurns
from workflows.wire.events import Phase


class RowMachine(Machine):
    """The machine of one row. turns: where its single tokens go; None for runs of its own."""

    row = 0
    turns: StepTurns | None = None

    def step(
        self, tokens: Sequence[int], phase: Phase = "decode", rows: int = 1, parents: Sequence[int] | None = None
    ) -> Logits:
        """See Machine.step; a token alone goes with those of other rows, where these have turns."""
        if self.turns is None:
            return super().step(tokens, phase, rows, parents)
        if len(tokens) == 1 and phase == "decode" and parents is None:
            self._control.check_running()
            return self.turns.step(self.row, tokens[0])[None]
        with self.turns.alone(self.row, len(tokens)):
            return super().step(tokens, phase, rows, parents)

    def take_turns(self, turns: StepTurns) -> None:
        """Has its single tokens go with those of other rows, and its prompts be read between their steps."""
        self.turns = turns
        self.run_limit = self._next_run

    def _next_run(self, read: int, length: int) -> int:
        """The tokens of the next run of a prompt. Where runs have a fixed width, a shorter one would be padded."""
        assert self.turns is not None
        tokens = self.turns.next_run(self.row, self.chunk, read, length)
        return self.chunk if self.program.prefill.columns else tokens


class RowBatch:
    """`count` texts over the sessions of an open machine, whose own cache is no part of them.

    rows: a machine for each, which reads prompts, is rewound and shown; closing the batch closes them. All rows run
    with the machine's active adapter. Not for use by two threads at once, except for `stop`.

    Raises RequestError, with the reason, for a model whose steps take one text.
    """

    def __init__(self, machine: Machine, count: int) -> None:
        program, cache = machine.program, machine.cache
        refused = batch_refusal(machine)
        if refused:
            raise RequestError(f"The bundle cannot continue several texts in a step, for {refused}.")
        if count < 1:
            raise RequestError(f"A batch has at least one row, and {count} were asked for.")
        self._memory = CacheRows(program.state, cache.layout, cache.capacity, count, program.facts, program.drivers)
        self._program, self._sessions, self.adapter = program, machine.sessions, machine.adapter
        self.rows = tuple(
            RowMachine(machine.pipeline, program, machine.sessions, own, machine.device, adapter=machine.adapter)
            for own in self._memory.rows
        )
        for number, row in enumerate(self.rows):
            row.row = number
        self._control = RunControl(machine.provider)
        self._bound: dict[int, Binding] = {}
        self._free = set(range(count))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Releases the rows; the machine that they were made of stays open."""
        self._control.close()
        for row in self.rows:
            row.close()
        self._bound.clear()

    # -- rows --------------------------------------------------------------------------------------------------

    @property
    def used(self) -> tuple[int, ...]:
        """The rows that are taken, ascending."""
        return tuple(row for row in range(len(self.rows)) if row not in self._free)

    def join(self) -> int | None:
        """Takes the lowest free row, which is empty; None where all are taken. A step runs the rows up to its last."""
        if not self._free:
            return None
        row = min(self._free)
        self._free.remove(row)
        return row

    def leave(self, row: int) -> None:
        """Frees a row and forgets its tokens. Raises RequestError for a row that is free."""
        self._check_taken(row)
        self.rows[row].cache.reset()
        self._free.add(row)

    def take_turns(self) -> StepTurns:
        """Has the rows' single tokens go through the model together, each row from a thread of its own."""
        turns = StepTurns(self.step)
        for row in self.rows:
            row.take_turns(turns)
        return turns

    # -- tokens ------------------------------------------------------------------------------------------------

    def step(self, tokens: Mapping[int, int]) -> dict[int, Logits]:
        """Feeds a token to each of some taken rows; returns their logits [V], which the next step overwrites.

        Raises RequestError for a row that is free, CapacityError where one is full, Cancelled after `stop`, and
        JoineryError where onnxruntime fails; no row has changed then.
        """
        self._control.check_running()
        for row in tokens:
            self._check_taken(row)
        if not tokens:
            return {}
        step = self._memory.plan(tokens)
        bound = self._binding(step.count)
        self._control.run_tokens(bound, step.inputs, "decode", step.count)
        self._memory.commit(step)
        return {row: bound.logits_type.as_float32(bound.logits[row, -1]) for row in tokens}

    def stop(self) -> None:
        """Ends the current run, of a step or of a row's prompt; may be called from any thread."""
        self._control.stop()
        for row in self.rows:
            row.stop()

    def resume(self) -> None:
        """Allows runs again after `stop`."""
        self._control.resume()
        for row in self.rows:
            row.resume()

    def _check_taken(self, row: int) -> None:
        if row in self._free or not 0 <= row < len(self.rows):
            raise RequestError(f"Row {row} is not taken: a text joins the batch first.")

    def _binding(self, count: int) -> Binding:
        """The binding of a step of the first `count` rows."""
        bound, generation = self._bound.get(count), (0, self.adapter.generation)
        if bound is None or bound.generation != generation:
            run = self._program.decode
            arrays = self._cache_arrays(count) | self.adapter.arrays(run) | logits_memory(run, 1, count)
            bound = Binding(run, self._sessions, self._memory.shapes(count), arrays, self._program.used_outputs)
            bound.generation = generation
            self._bound[count] = bound
        return bound

    def _cache_arrays(self, count: int) -> dict[Port, Array]:
        arrays: dict[Port, Array] = {}
        for name in self._program.decode.sessions:
            for past, present in self._program.memory_names(name):
                arrays[name, past] = arrays[name, present] = self._memory.past(past, count)
        return arrays


def batch_refusal(machine: Machine) -> str:
    """Why a machine's model cannot continue several texts in a step; empty where it can."""
    program = machine.program
    if program.source is not None or program.final is not None:
        return "sessions run once for a text before or after its steps"
    if {one.provider.name for one in machine.sessions.values()} != {"cpu"}:
        return "rows of a cache were tried on the CPU provider alone"
    if program.decode.columns not in (None, 1) or program.decode.features:
        return "its steps take several columns, or features of pictures or sound"
    return rows_refusal(
        program.state, machine.cache.layout, program.facts, program.drivers, carries=bool(program.all_carried)
    )
