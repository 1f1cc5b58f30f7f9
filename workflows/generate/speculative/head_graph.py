"""A graph that drafts from hidden states; its inputs and outputs determine its kind.

    (hidden)                              Medusa   [heads, 1, S, V] or [1, S, heads, V]: each head a token further
    (hidden, next id)                     MTP      the token after the next one
    (hidden, next id) → logits, hidden    EAGLE    continues from its own hidden states

The last two may keep keys and values of their own: one row per token from the second on, paired with the hidden state
of the token before it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from workflows.common.errors import Cancelled, GraphError, JoineryError, printable
from workflows.common.tensor_names import LOGITS
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache import KVCache, Step, find_state
from workflows.kvcache.cache_inputs import CACHE_INPUTS, IDS, POSITIONS
from workflows.kvcache.geometry import patterns_of
from workflows.kvcache.layouts import choose_layout
from workflows.runtime.execution.machine import HiddenStates
from workflows.runtime.loading.sessions import ORT_ERRORS, OpenSession
from workflows.runtime.program.cache_facts import cache_facts

Rows = NDArray[np.float32]


class HeadGraph:
    """A session of heads, open as long as it is among `sessions`.

    hidden_input: its input of hidden states. capacity: of a cache of its own. hidden: their size. columns: the fixed
    number of tokens of a run; None for any. cache: its own cache; None where it keeps none. Raises GraphError for
    a graph that cannot draft.
    """

    def __init__(self, sessions: Mapping[str, OpenSession], name: str, hidden_input: str, capacity: int) -> None:
        self._sessions, self._name, self._hidden_input, self._options = sessions, name, hidden_input, ort.RunOptions()
        opened = self._opened
        self._inputs = {spec.name: spec for spec in opened.inputs}
        outputs = {spec.name: spec for spec in opened.outputs}
        taken, logits = self._inputs.get(hidden_input), outputs.get(LOGITS)
        if taken is None or len(taken.shape) != 3 or logits is None or len(logits.shape) not in (3, 4):
            raise GraphError(
                f"{opened.name} should take {printable(hidden_input)} [1, columns, hidden] and give {LOGITS} with "
                "three or four axes, to draft from hidden states: export it again."
            )
        self.hidden, self.vocabulary = taken.shape[-1], logits.shape[-1]
        self.columns = taken.shape[1] if isinstance(taken.shape[1], int) else None
        self.cache = self._own_cache(capacity)
        self._own = self._own_hidden()
        self._check_inputs()

    @property
    def _opened(self) -> OpenSession:
        return self._sessions[self._name]

    @property
    def loops(self) -> bool:
        """Whether it gives hidden states to continue from."""
        return self._own is not None and IDS in self._inputs

    def stop(self) -> None:
        """Ends the current run; may be called from any thread."""
        self._options.terminate = True

    def resume(self) -> None:
        """Allows runs again after `stop`."""
        self._options.terminate = False

    def alone(self, hidden: HiddenStates, token: int, position: int) -> tuple[Rows, HiddenStates | None]:
        """For a graph without a cache: the logits [heads, V] after a token, and its own hidden state [H]."""
        feeds = {IDS: np.array([token]), POSITIONS: np.array([position])}
        logits, own = self._run(hidden[None], feeds, slice(0, 1), self.columns or 1)
        return logits[0], None if own is None else own[0]

    def step(self, step: Step, hidden: HiddenStates) -> tuple[Rows, HiddenStates | None]:
        """For a graph with a cache: logits [n, heads, V] and hidden states [n, H]; the caller commits."""
        assert self.cache is not None
        feeds = dict(step.inputs) | {name: self.cache.past(name) for name in self.cache.names}
        return self._run(hidden, feeds, step.real, step.width)

    def _run(
        self, hidden: HiddenStates, feeds: dict[str, Array], real: slice, width: int
    ) -> tuple[Rows, HiddenStates | None]:
        spec = self._inputs[self._hidden_input]
        padded = np.zeros((1, width, hidden.shape[-1]), spec.numpy_dtype)
        padded[0, real] = hidden
        given = {self._hidden_input: padded}
        for name, array in feeds.items():
            if name in self._inputs:
                given[name] = _fitted(array, self._inputs[name], width)
        outputs = self._outputs(given)
        if self.cache is not None:
            for tensor in self.cache.tensors.values():
                self.cache.buffers.fresh(tensor.present, width)[...] = outputs[tensor.present]
        own = outputs[self._own][0, real] if self._own is not None else None
        return _by_token(outputs[LOGITS], width)[real], own

    def _outputs(self, given: dict[str, Array]) -> dict[str, Array]:
        named = {self._opened.own_name(name): array for name, array in given.items()}
        try:
            found = self._opened.session.run(None, named, self._options)
        except ORT_ERRORS as error:
            if self._options.terminate:
                raise Cancelled("The generation was cancelled.") from None
            raise JoineryError(
                f"{self._opened.name}, which drafts, failed: {printable(error, 200).rstrip('.')}; generate without it."
            ) from error
        kept = (LOGITS, self._own)
        return {spec.name: spec.as_float32(array) if spec.name in kept else array
                for spec, array in zip(self._opened.outputs, found, strict=True)}  # fmt: skip

    def _own_cache(self, capacity: int) -> KVCache | None:
        inputs, outputs = self._opened.inputs, self._opened.outputs
        state = find_state(inputs, outputs, patterns_of(inputs), self._inputs[self._hidden_input].shape[1])
        if not state:
            return None
        state, facts = cache_facts(state, self._opened)
        layout = choose_layout(None, {"host": "static"}.get(facts.writer, facts.writer), facts)
        known = {*CACHE_INPUTS, *(group.mask for group in facts.groups)}
        fed = {spec.name: spec for spec in inputs if spec.name in known}
        return KVCache(state, layout, min(capacity, state[0].capacity or capacity), facts, fed)

    def _own_hidden(self) -> str | None:
        """The output with the shape of the hidden-state input, [1, columns, hidden]."""
        presents = {tensor.present for tensor in self.cache.tensors.values()} if self.cache is not None else set()
        found = [spec for spec in self._opened.outputs if spec.name not in presents | {LOGITS} and spec.is_floating]
        return next((one.name for one in found if len(one.shape) == 3 and one.shape[-1] == self.hidden), None)

    def _check_inputs(self) -> None:
        own = {*self.cache.names, *self.cache.shapes(1)} if self.cache is not None else {POSITIONS}
        odd = next((name for name in self._inputs if name not in own | {self._hidden_input, IDS}), None)
        if odd is not None:
            raise GraphError(f"Nothing feeds {self._opened.name}'s input {printable(odd)}: heads take hidden states, "
                             "the ids after them, and a cache of their own.")  # fmt: skip


def _fitted(array: Array, spec: TensorSpec, width: int) -> Array:
    """An array in the input's type; ids and positions [n] become [1, width]."""
    if array.ndim == 1 and len(spec.shape) == 2:
        row = np.zeros((1, width), spec.numpy_dtype)
        row[0, : len(array)] = array
        return row
    return array.astype(spec.numpy_dtype, copy=False)


def _by_token(logits: Rows, width: int) -> Rows:
    """[1, S, V], [heads, 1, S, V] or [1, S, heads, V] → [width, heads, V]."""
    if logits.ndim == 3:
        return logits[0, :, None]
    return logits[0] if logits.shape[:2] == (1, width) else logits[:, 0].transpose(1, 0, 2)
