"""The bindings of a machine's runs, kept by phase, columns and rows of logits until the cache moves its buffers, or the
adapter changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workflows.bundle.outline import Port
from workflows.common.tensors import Array
from workflows.kvcache import KVCache
from workflows.runtime.execution.active_adapter import ActiveAdapter
from workflows.runtime.execution.binding import Binding, Observer
from workflows.runtime.execution.device_memory import DeviceMemory
from workflows.runtime.execution.logits_rows import ROW_INPUT_SHAPES, logits_memory, with_row_inputs
from workflows.runtime.execution.prompt_inputs import PromptInputs
from workflows.runtime.loading.sessions import OpenSession
from workflows.runtime.program.program import Program, ProgramPhase
from workflows.wire.events import Phase

_Key = tuple[str, int, int, int]  # phase, columns, rows of logits, and the turn of carried state
_NARROW = 17  # columns of a run that verifies a draft, whose binding is kept; of wider ones only the last is


class BindingCache:
    """Bindings of the sessions around one cache. memory: the cache's rows in a provider's own memory, where it has.

    adapter: whose factors are bound.
    """

    def __init__(
        self,
        program: Program,
        sessions: Mapping[str, OpenSession],
        cache: KVCache,
        observer: Observer | None,
        memory: DeviceMemory | None,
        adapter: ActiveAdapter,
    ) -> None:
        self._adapter = adapter
        self._program, self._sessions, self._cache = program, sessions, cache
        self._observer, self._memory = observer, memory
        self._bound: dict[_Key, Binding] = {}
        self._wide: _Key = "", 0, 0, 0  # the key of the kept binding of a wide tree

    def clear(self) -> None:
        """Drops all bindings and their memory."""
        self._bound.clear()

    def get(
        self,
        phase: Phase,
        tokens: Sequence[int],
        prompt: PromptInputs,
        *,
        width: int,
        rows: int,
        chunk: int,
        selects_rows: bool,
    ) -> Binding:
        """The binding of a run of `tokens` in `width` columns that gives `rows` rows of logits.

        chunk: tokens of a full prompt run. selects_rows: whether the graph is told which rows to compute.
        """
        run, generation = self._program.runs[phase], (self._cache.buffers.generation, self._adapter.generation)
        key = phase, width, rows if selects_rows else width, self._cache.carried.turn
        changes = prompt.feeds_features(run, tokens)
        bound = None if changes else self._bound.get(key)
        if bound is None or bound.generation != generation:
            # the others would keep buffers alive that the cache no longer uses, or run with another adapter
            self._bound = {key: one for key, one in self._bound.items() if one.generation == generation}
            bound = self._bind(run, tokens, prompt, width, key[2], selects_rows)
            bound.generation = generation
            if (width in (1, chunk) or rows > 1) and not changes:  # an odd last chunk's is not worth its memory
                if width > _NARROW and width != chunk:
                    self._bound.pop(self._wide, None)
                    self._wide = key
                self._bound[key] = bound
        return bound

    def _bind(
        self, run: ProgramPhase, tokens: Sequence[int], prompt: PromptInputs, width: int, rows: int, selects_rows: bool
    ) -> Binding:
        run, sessions = with_row_inputs(run, self._sessions) if selects_rows else (run, self._sessions)
        arrays = prompt.arrays(run, self._cache.length, tokens) | self._cache_arrays(run, width)
        arrays |= self._adapter.arrays(run)
        arrays |= logits_memory(run, rows)
        shapes = {**self._cache.shapes(width), **ROW_INPUT_SHAPES}
        return Binding(run, sessions, shapes, arrays, self._program.used_outputs, self._observer, self._memory)

    def _cache_arrays(self, run: ProgramPhase, width: int) -> dict[Port, Array]:
        """The cache's buffers, as the inputs and outputs of the sessions that keep it."""
        arrays: dict[Port, Array] = {}
        for name in run.sessions:
            for past, present in self._program.memory_names(name):
                arrays[name, past] = self._cache.buffers.past(past)
                arrays[name, present] = self._cache.buffers.fresh(present, width)
        return arrays
