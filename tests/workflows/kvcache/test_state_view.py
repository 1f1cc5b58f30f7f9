"""State of fixed size as the window draws it: layers and names by the tensors' names, and the group of a cache."""

from __future__ import annotations

import json

import pytest

from workflows.kvcache import KVCache
from workflows.kvcache.carried_state import CarriedState, CarriedTensor
from workflows.kvcache.geometry import StateFacts
from workflows.kvcache.layouts import layout_named
from workflows.kvcache.state_view import layer_groups, state_view
from workflows.wire.events import CacheEvent, parse
from workflows.wire.reports.base import Done
from workflows.wire.reports.composite import CompositeTensor, LayerGroup


def tensor(name: str, *shape: int, dtype: str = "float32") -> CarriedTensor:
    return CarriedTensor(name, name.replace("past", "present"), shape, dtype)


CONV, RECURRENT = (1, 8, 3), (1, 2, 4, 4)
HYBRID = [t for i in (0, 2) for t in (tensor(f"past.{i}.conv", *CONV), tensor(f"past.{i}.recurrent", *RECURRENT))]


@pytest.mark.parametrize(
    ("past", "layers", "name"),
    [
        ("past.12.recurrent", (12,), "recurrent"),
        ("past_conv.3", (3,), "conv"),
        ("past_key_values.0.ssm", (0,), "ssm"),
        ("rnn_states_prev", (), "rnn_states_prev"),
        ("past.7", (7,), "past"),
    ],
)
def test_layer_and_name_of_a_tensor(past: str, layers: tuple[int, ...], name: str) -> None:
    assert layer_groups([tensor(past, 1, 8)]) == (LayerGroup(layers, (CompositeTensor(name, (1, 8), "float32"),)),)


def test_layers_with_equal_tensors_are_one_group() -> None:
    groups = layer_groups([*HYBRID, tensor("past.1.conv", *CONV)])
    conv, recurrent = CompositeTensor("conv", CONV, "float32"), CompositeTensor("recurrent", RECURRENT, "float32")
    assert groups == (LayerGroup((0, 2), (conv, recurrent)), LayerGroup((1,), (conv,)))


def test_group_of_a_cache() -> None:
    """A cache of state alone has one group, without slots; it survives the wire."""
    cache = KVCache((), layout_named("state"), 16, StateFacts("host", ()), {}, carried=HYBRID)
    (view,) = cache.view()
    assert (view.name, view.layout, view.layers, view.capacity, view.allocated) == ("state", "state", [0, 2], 0, 0)
    assert (view.shape, view.dtype, view.bytes) == ([*CONV], "float32", 2 * 4 * (24 + 32))
    assert (view.runs, view.rewindable, view.length) == ([], [(0, 0)], 0)
    event = CacheEvent(groups=[view])
    assert parse(json.loads(event.to_line(1)), Done) == event


def test_snapshots_are_counted_apart() -> None:
    """Each has the bytes of the state; a step reads none of them."""
    state = CarriedState(HYBRID)
    state.snapshots = {length: {name: array.copy() for name, array in state.past.items()} for length in (64, 128)}
    (view,) = state_view(state, 130, ())
    assert (view.bytes, view.snapshots, state.bytes) == (448, 2, 3 * 448)


def test_lengths_that_it_can_go_back_to() -> None:
    state = CarriedState(HYBRID)
    (view,) = state_view(state, 40, (range(1), range(16, 17), range(40, 41)))
    assert (view.length, view.rewindable) == (40, [(0, 0), (16, 16), (40, 40)])
    assert state_view(CarriedState(()), 40, (range(41),)) == ()
