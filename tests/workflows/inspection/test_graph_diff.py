"""Matching and the merged graph: what was removed, added and changed, and nothing else."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from tests.workflows.graph.making import external, model, node, save, scrambled, tower, value, weight
from workflows.inspection.graph_diff import diff_graphs
from workflows.inspection.node_matching import match_nodes
from workflows.inspection.opened_graph import GraphLocation, open_graph
from workflows.wire.reports.graphs import DiffReport, GraphReport, NodeBefore, OperatorCounts, ScopeCounts

Change = Callable[[onnx.ModelProto], None]


def base() -> onnx.ModelProto:
    """An MLP with a GELU in parts, and a head."""
    nodes = [
        node("MatMul", ["x", "up"], ["a"], "m.up"),
        node("Div", ["a", "root"], ["b"], "m.act"),
        node("Erf", ["b"], ["c"], "m.act"),
        node("Mul", ["a", "c"], ["d"], "m.act"),
        node("MatMul", ["d", "down"], ["e"], "m.down"),
        node("Softmax", ["e"], ["y"], "m.head", axis=-1),
    ]
    weights = [weight("up", [[1.0] * 4] * 4), weight("root", 1.4), weight("down", [[2.0] * 4] * 4)]
    return model(nodes, weights)


def diff(folder: Path, before: onnx.ModelProto, after: onnx.ModelProto) -> DiffReport:
    for name, proto in (("before", before), ("after", after)):
        (folder / name).mkdir(exist_ok=True)
        save(proto, folder / name / "a.onnx")
    opened = [open_graph(GraphLocation(folder / name / "a.onnx")) for name in ("before", "after")]
    found = diff_graphs(opened[0], opened[1])
    check_graph(found.graph)
    return found


def check_graph(graph: GraphReport) -> None:
    """What the window relies on: order, indices, one maker a value, a word for every change."""
    made: set[int] = set()
    makers = [value for one in graph.nodes for value in one.outputs]
    assert len(makers) == len(set(makers))
    for place, one in enumerate(graph.nodes):
        assert one.parent < place
        assert all(value < 0 or value in made or value not in makers for value in one.inputs)
        assert all(0 <= value < len(graph.values) for value in one.outputs)
        assert one.change in ("", "removed", "added", "changed") and (one.was is not None) == (one.change == "changed")
        made.update(one.outputs)


def fuse(proto: onnx.ModelProto) -> None:
    """The three parts of the GELU become one node that gives the same value."""
    del proto.graph.node[1:4]
    proto.graph.node.insert(1, node("Gelu", ["a"], ["d"], "m.act"))
    del proto.graph.initializer[1]


def turn(proto: onnx.ModelProto) -> None:
    proto.graph.node[5].attribute[0].i = 1


def retype(proto: onnx.ModelProto) -> None:
    proto.graph.initializer[0].CopyFrom(weight("up", [[3.0] * 4] * 4))


def rewire(proto: onnx.ModelProto) -> None:
    proto.graph.node[4].input[0] = "c"


def widen(proto: onnx.ModelProto) -> None:
    proto.graph.input[0].CopyFrom(value("x", ["n", 4]))
    proto.graph.output.append(value("e"))
    proto.opset_import[0].version = 23


Row = tuple[Change, dict[str, int], dict[str, Any]]
CHANGES: dict[str, Row] = {
    "nothing": (
        lambda proto: None,
        {"same": 6, "removed": 0, "added": 0, "changed": 0},
        {
            "ops": [],
            "scopes": [],
            "initializers": {"removed": [], "added": [], "changed": []},
            "notes": [],
        },
    ),
    "fusion": (
        fuse,
        {"same": 3, "removed": 3, "added": 1, "changed": 0},
        {
            "ops": [
                OperatorCounts("Div", 1, 0),
                OperatorCounts("Erf", 1, 0),
                OperatorCounts("Gelu", 0, 1),
                OperatorCounts("Mul", 1, 0),
            ],
            "scopes": [ScopeCounts("m/act", 3, 1, 0)],
            "initializers": {"removed": ["root"], "added": [], "changed": []},
            "notes": [],
        },
    ),
    "attribute": (
        turn,
        {"same": 5, "removed": 0, "added": 0, "changed": 1},
        {
            "ops": [],
            "scopes": [ScopeCounts("m/head", 0, 0, 1)],
        },
    ),
    "input": (
        rewire,
        {"same": 5, "removed": 0, "added": 0, "changed": 1},
        {
            "scopes": [ScopeCounts("m/down", 0, 0, 1)],
        },
    ),
    "values": (
        retype,
        {"same": 6, "removed": 0, "added": 0, "changed": 0},
        {
            "initializers": {"removed": [], "added": [], "changed": ["up"]},
            "scopes": [],
        },
    ),
    "ends": (
        widen,
        {"same": 6, "removed": 0, "added": 0, "changed": 0},
        {
            "notes": [
                "The input x was float32[1, 4] and is float32[n, 4].",
                "The operator set ai.onnx was version 21 and is version 23.",
            ],
        },
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_changed_is_found(tmp_path: Path, name: str) -> None:
    """Counts, operators, scopes, initializers and notes; the other way round the mirror image."""
    change, counts, expected = CHANGES[name]
    after = base()
    change(after)
    found = diff(tmp_path, base(), after)
    assert found.counts == counts
    assert {key: getattr(found, key) for key in expected} == expected
    back = diff(tmp_path, after, base())
    assert back.counts == counts | {"removed": counts["added"], "added": counts["removed"]}
    assert back.ops == [OperatorCounts(r.op, r.after, r.before) for r in found.ops]


def test_a_changed_node_shows_what_it_was(tmp_path: Path) -> None:
    """Operator, attributes and the names of its ends."""
    after = base()
    turn(after)
    (changed,) = [one for one in diff(tmp_path, base(), after).graph.nodes if one.change]
    assert changed.attrs == {"axis": "1"}
    assert changed.was == NodeBefore("Softmax", "", {"axis": "-1"}, ["e"], ["y"])


def test_what_is_gone_stands_where_it_stood(tmp_path: Path) -> None:
    """Between the nodes that were before and after it."""
    after = base()
    fuse(after)
    nodes = diff(tmp_path, base(), after).graph.nodes
    assert [(one.op, one.change) for one in nodes] == [
        ("MatMul", ""),
        ("Div", "removed"),
        ("Erf", "removed"),
        ("Mul", "removed"),
        ("Gelu", "added"),
        ("MatMul", ""),
        ("Softmax", ""),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_names_are_not_needed(tmp_path: Path, seed: int) -> None:
    """4,000 nodes with every name scrambled and no scopes: each one is found, and nothing is called a change."""
    before = tower(4000)
    after = scrambled(before, seed)
    views = []
    for name, proto in (("a", before), ("b", after)):
        views.append(open_graph(GraphLocation(save(proto, tmp_path / f"{name}.onnx"))).view)
    assert match_nodes(*views) == {index: index for index in range(4000)}
    found = diff(tmp_path, before, after)  # in two folders: the weights' places say nothing of each other
    assert found.counts == {"same": 4000, "removed": 0, "added": 0, "changed": 0}
    assert found.notes == ["The two keep their weights in different files, whose values were not compared."]


def test_a_scrambled_graph_with_a_change_shows_that_change(tmp_path: Path) -> None:
    """A layer is taken out of the middle of forty, and every name is another."""
    before, after = tower(400), tower(400)
    del after.graph.node[200:210]
    for one in after.graph.node[200:210]:
        one.input[:] = ["l19.v9" if name == "l20.v9" else name for name in one.input]
    for name, proto in (("a", before), ("b", scrambled(after))):
        save(proto, tmp_path / f"{name}.onnx")  # in one folder: the weights tell the layers apart
    found = diff_graphs(open_graph(GraphLocation(tmp_path / "a.onnx")), open_graph(GraphLocation(tmp_path / "b.onnx")))
    assert found.counts == {"same": 387, "removed": 10, "added": 0, "changed": 3}
    assert {one.name[:6] for one in found.graph.nodes if one.change == "removed"} == {"n_l20."}


def test_moved_weights_are_the_same_in_one_folder_only_at_one_place(tmp_path: Path) -> None:
    """Another offset of the same file is another tensor."""

    def over(offset: int) -> Path:
        proto = model([node("Add", ["x", "w"], ["y"])], [external("w", [4], "w.data", offset)])
        return save(proto, tmp_path / f"{offset}.onnx")

    found = diff_graphs(open_graph(GraphLocation(over(0))), open_graph(GraphLocation(over(16))))
    assert found.initializers["changed"] == ["w"] and found.counts["same"] == 1


@pytest.mark.parametrize("seed", range(30))
def test_any_edit_gives_a_sound_and_symmetric_diff(tmp_path: Path, seed: int) -> None:
    """Nodes taken out, put in, swapped and renamed at random: `diff` checks what the window relies on."""
    chance = random.Random(seed)
    before = tower(60)
    after = copy.deepcopy(before)
    for _ in range(8):
        at = chance.randrange(len(after.graph.node) - 1)
        kind = chance.randrange(4)
        if kind == 0:
            gone = after.graph.node[at]
            for one in after.graph.node:
                one.input[:] = [gone.input[0] if name == gone.output[0] else name for name in one.input]
            del after.graph.node[at]
        elif kind == 1:
            after.graph.node.insert(at, node("Neg", ["x"], [f"new{chance.random()}"]))
        elif kind == 2:
            after.graph.node[at].op_type = "Other"
        else:
            after = scrambled(after, seed)
    one, other = diff(tmp_path, before, after), diff(tmp_path, after, before)
    assert sum(one.counts.values()) - one.counts["removed"] == len(after.graph.node)
    assert one.counts["changed"] + one.counts["same"] == other.counts["changed"] + other.counts["same"]
    assert (one.counts["removed"], one.counts["added"]) == (other.counts["added"], other.counts["removed"])
    assert one.counts["same"] == other.counts["same"]


def test_two_strangers_share_nothing(tmp_path: Path) -> None:
    """And all of both is in the merged graph."""
    other = model([node("Conv", ["img", "k"], ["z"])], [weight("k", [1.0])], [value("img", [1, 3, 8, 8])], [value("z")])
    found = diff(tmp_path, base(), other)
    assert found.counts == {"same": 0, "removed": 6, "added": 1, "changed": 0}
    assert sorted(note.split()[-1] for note in found.notes) == ["added.", "added.", "removed.", "removed."]
