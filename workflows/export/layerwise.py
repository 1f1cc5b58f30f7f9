"""Runs a model of stand-ins several times at once, layer by layer, so that each weight is read once and dropped.

    run 1 ──▶ layer 0 ┐                      ┌▶ layer 1 …      a phase: every run goes from one layer's beginning
    run 2 ──▶ layer 0 ┼─ weights read, used, ┼▶ layer 1 …      to the next one's, in order; then the weights that
    run 3 ──▶ layer 0 ┘   dropped            └▶ layer 1 …      it read are dropped

Only one run computes at a time. A run that reads what another one wrote in a layer comes after it in the list.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import torch
from transformers import PreTrainedModel

from workflows.export.layer_kinds import find_layer_list
from workflows.export.own_attention import set_attention
from workflows.export.stand_ins import NotStreamedError, StandIns, is_stand_in

_Loaded = dict[torch.nn.Parameter, torch.Tensor]  # a parameter → its stand-in


class _StoppedError(Exception):
    """Ends a run whose phase will not come, for another run failed."""


class _Run(threading.Thread):
    """A thread that computes in phases; outside of them it waits."""

    def __init__(self, attention: str, compute: Callable[[], torch.Tensor]) -> None:
        super().__init__(daemon=True)
        self.attention, self._compute = attention, compute
        self._turn, self._pause = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self._stopped = False
        self.result: torch.Tensor | None = None

    def run(self) -> None:
        try:
            self._await_turn()
            with torch.no_grad():
                self.result = self._compute()
        except _StoppedError:
            pass
        except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
            self._error = error
        finally:
            self._pause.release()

    def advance(self) -> None:
        """Computes up to the next layer's beginning, or to the end. Raises what the model raises."""
        self._turn.release()
        self._pause.acquire()
        if self._error is not None:
            raise self._error

    def wait(self) -> None:
        """Called in the thread at a layer's beginning."""
        self._pause.release()
        self._await_turn()

    def stop(self) -> None:
        """Ends the thread, wherever it waits."""
        self._stopped = True
        self._turn.release()
        self.join()

    def _await_turn(self) -> None:
        self._turn.acquire()
        if self._stopped:
            raise _StoppedError


Computation = tuple[str, Callable[[], torch.Tensor]]  # transformers' name of the attention, and the run


def run_layerwise(
    model: PreTrainedModel,
    layers: int,
    computations: Sequence[Computation],
    stand_ins: StandIns,
) -> list[torch.Tensor]:
    """The result of each computation, which runs the whole model once.

    layers: how many the model has. Raises NotStreamedError for a model without a list of layers, CheckpointError for a
    weight that is not finite, and what the callback of `stand_ins` raises.
    """
    blocks = _decoder_layers(model, layers)
    runs = [_Run(attention, compute) for attention, compute in computations]
    current = ""
    with _pausing(blocks), _loading_when_called(model, stand_ins) as drop:
        for run in runs:
            run.start()
        try:
            for phase in range(layers + 1):
                stand_ins.on_layer(phase, layers + 1)
                for run in runs:
                    if run.attention != current:  # the same for the whole model, while runs alternate
                        current = run.attention
                        set_attention(model, current)
                    run.advance()
                drop()
        finally:
            for run in runs:
                run.stop()
    results = [run.result for run in runs if run.result is not None]
    if len(results) < len(runs):
        raise NotStreamedError(f"it does not run its {layers} layers one after the other")
    return results


def _decoder_layers(model: PreTrainedModel, count: int) -> list[torch.nn.Module]:
    """The decoder's `count` layers. Raises NotStreamedError where they are in no list.

    An encoder of pictures may have as many; and what transformers calls the decoder may be a head (ModernBERT).
    """
    for part in (model.get_decoder(), model):
        if path := find_layer_list(part, count):
            return list(part.get_submodule(path))
    raise NotStreamedError(f"its {count} layers are not in a list")


@contextmanager
def _pausing(blocks: Sequence[torch.nn.Module]) -> Iterator[None]:
    """Within it, a run waits at the beginning of each layer."""

    def pause(*_: object) -> None:
        thread = threading.current_thread()
        if isinstance(thread, _Run):
            thread.wait()

    hooks = [block.register_forward_pre_hook(pause) for block in blocks]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def _loading_when_called(model: PreTrainedModel, stand_ins: StandIns) -> Iterator[Callable[[], None]]:
    """Within it, a module's weights are read when it is called; yields the function that drops them again."""
    loaded: _Loaded = {}

    def load(module: torch.nn.Module, _: object) -> None:
        for weight in needed[module]:
            if weight not in loaded and is_stand_in(weight):
                loaded[weight] = weight.data
                weight.data = stand_ins.read(weight)

    def drop() -> None:
        for weight, stand_in in loaded.items():
            weight.data = stand_in
        loaded.clear()

    needed = {module: _weights_read_by(module) for module in model.modules()}
    table = model.get_input_embeddings()
    tables = [table] if isinstance(table, torch.nn.Embedding) and is_stand_in(table.weight) else []
    owners = [module for module, weights in needed.items() if any(map(is_stand_in, weights)) and module not in tables]
    hooks = [owner.register_forward_pre_hook(load) for owner in owners]
    with ExitStack() as stack:
        for table in tables:
            stack.enter_context(_looking_up(table, stand_ins))
        try:
            yield drop
        finally:
            drop()
            for hook in hooks:
                hook.remove()


@contextmanager
def _looking_up(table: torch.nn.Embedding, stand_ins: StandIns) -> Iterator[None]:
    """Within it, the rows of the tokens alone are read: a table of tokens is the largest weight of many models."""
    stand_in: list[torch.Tensor] = []

    def load(_: torch.nn.Module, args: tuple[torch.Tensor, ...]) -> None:
        if is_stand_in(table.weight):  # else a module that is tied to it has read it
            stand_in.append(table.weight.data)
            weight = table.weight
            weight.data = stand_ins.read_rows(weight, args[0]) if args else stand_ins.read(weight)

    def drop(*_: object) -> None:
        if stand_in:
            table.weight.data = stand_in.pop()

    hooks = [table.register_forward_pre_hook(load), table.register_forward_hook(drop, always_call=True)]
    try:
        yield
    finally:
        drop()
        for hook in hooks:
            hook.remove()


def _weights_read_by(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    """The module's own weights, and its children's where its code takes `weight` of them instead of calling them."""
    forward = inspect.unwrap(type(module).forward)
    code = getattr(forward, "__code__", None)
    reads = code is not None and "weight" in code.co_names
    parts = [module, *module.children()] if reads else [module]
    return [weight for part in parts for weight in part.parameters(recurse=False)]
