"""Real builds: weights altered at random are found at their nodes; layouts and precisions part where they should."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.workflows.conftest import Built, make_qwen3
from tests.workflows.evaluation.divergence.making import asked
from workflows.graph.external_data import ExternalLocation, external_location

pytestmark = pytest.mark.slow
IDS = (5, 9, 30, 41, 7, 3)
ALTERED = [(False, 1e-2), (False, 1e-3), (True, 1e-2), (True, 1e-3)]  # one element alone, by how much


@dataclass
class Weight:
    """An initializer in the weight file, and (component, node) of all that read these bytes."""

    name: str
    place: ExternalLocation
    shape: tuple[int, ...]
    users: set[tuple[str, str]]


def weights_of(bundle: Path) -> list[Weight]:
    found: dict[tuple[str, int], Weight] = {}
    for file in sorted(bundle.glob("*.onnx")):
        graph = onnx.load(file, load_external_data=False).graph
        for tensor in graph.initializer:
            users = {(file.stem, name) for name in _users(graph, tensor.name)}
            if tensor.data_type == onnx.TensorProto.FLOAT and tensor.data_location and users:
                place = external_location(tensor)
                weight = Weight(tensor.name, place, tuple(tensor.dims), set())
                found.setdefault((place.location, place.offset), weight).users.update(users)
    return list(found.values())


def _users(graph: onnx.GraphProto, weight: str) -> Iterator[str]:
    """The nodes that read a weight, also through what turns weights alone."""
    same, constant = {weight}, {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if same & set(node.input):
            if all(not name or name in same | constant for name in node.input):
                same.update(node.output)
            else:
                yield node.name or node.output[0]


def alter(bundle: Path, weight: Weight, one: bool, by: float, chances: random.Random) -> None:
    """In the weight file; of a table that has a row a token, one element is a row's of the prompt."""
    file, count = bundle / weight.place.location, int(np.prod(weight.shape))
    values = np.memmap(file, np.float32, "r+", weight.place.offset, (count,)).reshape(weight.shape)
    at = tuple(chances.choice(IDS) if size > 400 else chances.randrange(size) for size in weight.shape)
    values[at if one else ...] *= np.float32(1 + by)
    values.flush()


def hits(bundle: Path, folder: Path, count: int) -> list[tuple[str, bool, float, object]]:
    """The alterations of `count` that were found elsewhere, or not at all."""
    chances, missed = random.Random(0), []
    weights = weights_of(bundle)
    for number in range(count):
        weight, (one, by) = chances.choice(weights), ALTERED[number % len(ALTERED)]
        shutil.copytree(bundle, folder / str(number))
        alter(folder / str(number), weight, one, by, chances)
        first = asked(bundle, folder / str(number), IDS).first
        if first is None or (first.component, first.node) not in weight.users:
            missed.append((weight.name, one, by, first))
        shutil.rmtree(folder / str(number))
    return missed


def test_in_the_demo(demo_bundle: Path, tmp_path: Path) -> None:
    assert hits(demo_bundle, tmp_path, 32) == []


def test_in_28_layers(built: Built, tmp_path: Path) -> None:
    bundle = built(make_qwen3(tmp_path / "checkpoint", num_hidden_layers=28), cache="static", capacity=128, chunk=32)
    assert asked(bundle, bundle, IDS).first is None
    assert hits(bundle, tmp_path, 12) == []


def test_in_an_encoder_and_a_decoder(built: Built, tmp_path: Path) -> None:
    """But for a table of distances, of which a short prompt reads a few rows, and for what is as small as rounding."""
    missed = hits(built("demo:t5"), tmp_path, 20)
    read = [row for row in missed if "relative_attention_bias" not in row[0]]
    assert [row for row in read if row[1:3] != (True, 1e-3)] == []
    assert len(read) <= 1
    assert [row[3] for row in missed if row[3] is not None] == []  # never at another node


def test_layouts_do_not_part(demo_bundle: Path, built: Built) -> None:
    gqa = built("demo:qwen3", cache="gqa")
    for pair in ((demo_bundle, gqa), (gqa, demo_bundle)):
        found = asked(*pair, IDS)
        assert found.first is None
        assert found.nodes_compared > 25


@pytest.mark.parametrize("table", [True, False])
def test_int4_parts_at_its_table_or_at_its_first_product(table: bool, demo_bundle: Path, built: Built) -> None:
    settings = {} if table else {"quantize": {"embedding": False}}
    found = asked(demo_bundle, built("demo:qwen3", precision="int4", **settings), IDS)
    assert found.first is not None
    if table:
        assert found.first.op == "com.microsoft.GatherBlockQuantized"
    else:
        assert found.first.op == "com.microsoft.MatMulNBits" and "layers/0/self_attn" in found.first.scope
    parted = {node.op for node in found.nodes if node.parts}
    assert parted <= {"com.microsoft.MatMulNBits", "com.microsoft.GatherBlockQuantized"}
