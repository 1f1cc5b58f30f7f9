"""A node that was altered is found at that node, and healthy ones are blamed for nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from tests.workflows.conftest import Built
from tests.workflows.evaluation.divergence.making import IDS, asked, bundle, scaled, users
from tests.workflows.runtime.toy_bundles import Toy
from workflows.common.errors import BundleError, Cancelled, PromptError, RequestError
from workflows.evaluation.divergence import SubjectOptions, diverge
from workflows.evaluation.divergence.diverge import ComparedValue, mark_jump
from workflows.evaluation.divergence.matching import ComponentPair, ValuePair
from workflows.evaluation.divergence.tolerance import Gap
from workflows.wire.events import Event, ProgressEvent
from workflows.wire.reports.graphs import GraphNode

WEIGHTS = [("table", (9, 3)), ("0.q", (1, 2)), ("0.v", (4, 4)), ("1.o", (0, 7)), ("head", (2, 11))]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle(tmp_path_factory.mktemp("plain") / "a", Toy())


def test_a_bundle_does_not_part_from_itself(plain: Path) -> None:
    found = asked(plain, plain)
    assert found.first is None
    assert found.nodes_compared == len(found.nodes) == len(found.curve) > 25
    assert [depth for depth, _ in found.curve] == list(range(1, found.nodes_compared + 1))
    assert {gap for _, gap in found.curve} == {0.0}
    assert (found.prompt, found.prompt_ids, len(found.token_ids), found.notes) == ("", list(IDS), 2, [])


@pytest.mark.parametrize("precision", ["w8a8", pytest.param("w8a16", marks=pytest.mark.slow)])
def test_a_bundle_of_rounded_activations_does_not_part_from_itself(precision: str, built: Built) -> None:
    """By themselves its nodes round otherwise than joined: what agrees in the runs is no divergence."""
    rounded = built("demo:qwen3", precision=precision)
    found = asked(rounded, rounded, list(range(3, 40)))
    assert found.first is None and {gap for _, gap in found.curve} == {0.0}
    assert max(node.own_abs_diff or 0 for node in found.nodes) > 1e-3  # the case that it is about


def test_a_value_that_grows_with_the_text_is_recorded_in_each_step(tmp_path: Path) -> None:
    """onnxruntime would take the memory of the step before, which is too small."""

    def growing(model: onnx.ModelProto) -> None:
        graph = model.graph
        constants = {"zero": np.array(0), "one": np.array(1), "factor": np.float32(0.5)}
        graph.initializer.extend(numpy_helper.from_array(array, f"grown.{name}") for name, array in constants.items())
        graph.node.extend([
            helper.make_node("ReduceMax", ["position_ids"], ["grown.last"], keepdims=0),
            helper.make_node("Add", ["grown.last", "grown.one"], ["grown.end"]),
            helper.make_node("Range", ["grown.zero", "grown.end", "grown.one"], ["grown.range"]),
            helper.make_node("Cast", ["grown.range"], ["grown.float"], to=onnx.TensorProto.FLOAT),
            helper.make_node("Mul", ["grown.float", "grown.factor"], ["grown.half"]),
            helper.make_node("ReduceMax", ["grown.half"], ["grown.most"], keepdims=0),
            helper.make_node("Mul", ["grown.most", "grown.factor"], ["grown.quarter"]),
            helper.make_node("Sub", ["grown.quarter", "grown.quarter"], ["grown.nothing"]),
        ])  # fmt: skip
        logits = next(node for node in graph.node if "logits" in node.output)
        logits.output[:] = ["plain_logits"]
        graph.node.append(helper.make_node("Add", ["plain_logits", "grown.nothing"], ["logits"]))

    grown = bundle(tmp_path / "a", Toy(), growing)
    found = asked(grown, grown, steps=4)
    assert found.first is None and len(found.token_ids) == 4
    assert max(node.max_abs_diff or 0 for node in found.nodes) == 0
    (half,) = [node for node in found.nodes if node.node == "grown.half"]
    assert half.reference_max == (len(IDS) + 3) / 2  # the last position of the last step


@pytest.mark.parametrize(("weight", "at"), WEIGHTS)
@pytest.mark.parametrize("by", [1 + 1e-2, 1 + 1e-3])
@pytest.mark.parametrize("one", [False, True])
def test_an_altered_weight_is_found_where_it_is_used(
    weight: str, at: tuple[int, int], by: float, one: bool, plain: Path, tmp_path: Path
) -> None:
    """One element of the embedding is a token's of the prompt."""
    other = bundle(tmp_path / "b", scaled(weight, by, at if one else None))
    found = asked(plain, other)
    assert found.first is not None
    assert [found.first.node] == users(plain, Toy().weights[weight])
    assert found.first.own_abs_diff == found.first.max_abs_diff
    assert found.first.max_abs_diff > found.first.tolerance
    assert [node.node for node in found.nodes if node.parts] == [found.first.node]
    before = [gap for depth, gap in found.curve if depth < found.first.depth]
    assert not any(before)


def test_the_difference_is_the_one_that_was_made(plain: Path, tmp_path: Path) -> None:
    """A head that is 1 % larger gives logits that are."""
    found = asked(plain, bundle(tmp_path / "b", scaled("head", 1.01)))
    assert found.first is not None
    assert found.first.max_abs_diff == pytest.approx(0.01 * found.first.reference_max, rel=1e-4)
    assert found.curve[-1] == (found.first.depth, found.first.max_abs_diff)


@pytest.mark.parametrize(
    "layer", [pytest.param(0, marks=pytest.mark.slow), 13, pytest.param(27, marks=pytest.mark.slow)]
)
def test_in_a_model_of_28_layers(layer: int, tmp_path: Path) -> None:
    """What comes after it differs by ever more, and is not to blame."""
    plain = bundle(tmp_path / "a", Toy(layers=range(28)))
    name = f"{layer}.k"
    found = asked(plain, bundle(tmp_path / "b", scaled(name, 1.001, (3, 3), layers=28)))
    assert found.first is not None
    assert [found.first.node] == users(plain, Toy(layers=range(28)).weights[name])
    assert [node.node for node in found.nodes if node.parts] == [found.first.node]
    assert found.nodes[found.first.depth].max_abs_diff


def attribute(op: str, change: Callable[[onnx.NodeProto], None]) -> Callable[[onnx.ModelProto], None]:
    """An edit of the second node of that operator."""

    def edit(model: onnx.ModelProto) -> None:
        change([node for node in model.graph.node if node.op_type == op][1])

    return edit


def test_an_altered_attribute(plain: Path, tmp_path: Path) -> None:
    """A softmax over another axis."""

    def axis(node: onnx.NodeProto) -> None:
        node.attribute[0].CopyFrom(helper.make_attribute("axis", 1))

    found = asked(plain, bundle(tmp_path / "b", Toy(), attribute("Softmax", axis)))
    assert found.first is not None
    assert found.first.op == "Softmax"
    softmaxes = [node.node for node in found.nodes if node.op == "Softmax"]
    assert found.first.node == softmaxes[1]


def test_an_altered_scale(plain: Path, tmp_path: Path) -> None:
    def half(model: onnx.ModelProto) -> None:
        node = [one for one in model.graph.node if one.op_type == "Mul"][1]
        weight = next(one for one in model.graph.initializer if one.name == node.input[1])
        weight.CopyFrom(numpy_helper.from_array(np.float32(0.499), weight.name))

    found = asked(plain, bundle(tmp_path / "b", Toy(), half))
    assert found.first is not None
    assert [node.node for node in found.nodes if node.op == "Mul"][1] == found.first.node


def test_nan_is_found_where_it_begins(plain: Path, tmp_path: Path) -> None:
    toy = Toy()
    toy.weights["1.v"][0, 0] = np.nan
    found = asked(plain, bundle(tmp_path / "b", toy))
    assert found.first is not None
    assert [found.first.node] == users(plain, Toy().weights["1.v"])
    assert found.first.max_abs_diff is None
    assert found.first.own_abs_diff is None
    assert math.isfinite(found.first.reference_max)


def test_both_with_the_same_nan_do_not_part(tmp_path: Path) -> None:
    toy = Toy()
    toy.weights["1.v"][0, 0] = np.nan
    sick = bundle(tmp_path / "b", toy)
    assert asked(sick, sick).first is None


def test_another_operator_for_the_same_is_no_divergence(plain: Path, tmp_path: Path) -> None:
    """A product with the reciprocal; the value's name says what is to be compared."""

    def divided(model: onnx.ModelProto) -> None:
        node = next(one for one in model.graph.node if one.op_type == "Mul")
        weight = next(one for one in model.graph.initializer if one.name == node.input[1])
        value = numpy_helper.to_array(weight)
        weight.CopyFrom(numpy_helper.from_array(np.asarray(np.float32(1) / value, np.float32), weight.name))
        node.op_type = "Div"

    found = asked(plain, bundle(tmp_path / "b", Toy(), divided))
    assert found.first is None
    assert [node.op for node in found.nodes].count("Div") == 1


def test_components_one_after_the_other(tmp_path: Path) -> None:
    parts = ("table", "body0", "body1", "head")
    plain = bundle(tmp_path / "a", Toy(), parts=parts)
    found = asked(plain, bundle(tmp_path / "b", scaled("1.q", 1.001), parts=parts))
    assert found.first is not None
    assert found.first.component == "body1"
    assert list(dict.fromkeys(node.component for node in found.nodes)) == list(parts)
    assert found.nodes[-1].own_abs_diff == 0.0
    assert found.nodes[-1].max_abs_diff


def test_one_graph_against_its_parts(plain: Path, tmp_path: Path) -> None:
    """The names of values are others in a part, so that the ends are what is common."""
    split = bundle(tmp_path / "b", scaled("head", 1.01), parts=("table", "body", "head"))
    found = asked(plain, split)
    assert found.first is not None
    assert (found.first.component, found.first.op) == ("head", "MatMul")


def test_little_memory_gives_the_same(tmp_path: Path) -> None:
    """A value at a time."""
    plain, other = bundle(tmp_path / "a", Toy(layers=range(1))), bundle(tmp_path / "b", scaled("0.k", 1.01, layers=1))
    one, all_at_once = asked(plain, other, budget=1), asked(plain, other)
    assert [node.parts for node in one.nodes] == [node.parts for node in all_at_once.nodes]
    assert sum(node.parts for node in one.nodes) == 1
    assert [gap for _, gap in one.curve] == pytest.approx([gap for _, gap in all_at_once.curve], abs=1e-4)


def test_progress_grows_to_its_end_and_can_be_stopped(plain: Path) -> None:
    told: list[Event] = []
    diverge(SubjectOptions(plain), SubjectOptions(plain), IDS, report=told.append)
    shares = [event.done / event.total for event in told if isinstance(event, ProgressEvent)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    with pytest.raises(Cancelled):
        diverge(SubjectOptions(plain), SubjectOptions(plain), IDS, cancelled=lambda: True)


def test_what_cannot_be_compared(plain: Path, tmp_path: Path) -> None:
    for ids, said in (((), "no tokens"), ((1, 40), "the id 40"), ((-1,), "the id -1")):
        with pytest.raises(PromptError, match=said):
            asked(plain, plain, ids)
    with pytest.raises(PromptError, match="no tokenizer"):
        diverge(SubjectOptions(plain), SubjectOptions(plain), "text")
    with pytest.raises(RequestError, match="cannot be -1"):
        asked(plain, plain, steps=-1)
    with pytest.raises(RequestError, match="has no stage 'fuse'"):
        diverge(SubjectOptions(plain, "fuse"), SubjectOptions(plain), IDS)
    with pytest.raises(BundleError):
        asked(plain, tmp_path)


PART = ComponentPair("decoder", "decoder", (), {})


def row(name: str, gap: float, *reads: str) -> ComparedValue:
    node = GraphNode(name, "Add", "", "", [], [], {}, "", -1)
    pair = ValuePair(name, name, node, node, True, 4)
    return ComparedValue(PART, pair, Gap(gap, 1.0), types=("float32", "float32"), reads=list(reads))


def marked(*rows: ComparedValue, one_provider: bool = True) -> list[str]:
    mark_jump(rows, one_provider)
    return [one.pair.b for one in rows if one.diverges]


def test_the_first_that_leaps() -> None:
    assert marked(row("a", 1e-7), row("b", 0.5, "a"), row("c", 0.9, "b"), row("d", 0.5, "a")) == ["b"]


def test_what_grows_step_by_step_is_nobody_s_fault() -> None:
    rows = [row("v0", 1e-6)] + [row(f"v{i}", 1e-6 * 2.0**i, f"v{i - 1}") for i in range(1, 18)]
    assert rows[-1].free_gap.difference > 0.1
    assert marked(*rows) == []


def test_rounding_alone_is_no_leap() -> None:
    assert marked(row("a", 0.0), row("b", 1e-4, "a")) == []
    assert marked(row("a", 0.0), row("b", 2e-4, "a")) == ["b"]
    assert marked(row("a", 0.0), row("b", 0.1, "a"), one_provider=False) == []
