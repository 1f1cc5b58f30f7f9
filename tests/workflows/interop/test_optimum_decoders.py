"""A choice within a graph is resolved on a copy, and what cannot be is told."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

from tests.workflows.graph.making import model, node, save, value, weight
from tests.workflows.interop.making import rename, write_halves
from tests.workflows.runtime.toy_bundles import Toy, write_encoder
from workflows.common.errors import GraphError, JoineryError
from workflows.interop.assemble import infer_assembly
from workflows.interop.graph_edits import keep_outputs, resolve_condition
from workflows.interop.optimum_decoders import prepare_graphs

FLAG = value("flag", (1,), TensorProto.BOOL)


def chosen(yes: onnx.GraphProto, no: onnx.GraphProto, *more: onnx.NodeProto) -> onnx.ModelProto:
    """y = x + (what the branch gives), over the weights w and v around it."""
    nodes = [*more, node("If", ["flag"], ["b"], then_branch=yes, else_branch=no), node("Add", ["x", "b"], ["y"])]
    return model(nodes, [weight("w", [1, 2, 3, 4]), weight("v", [5, 6, 7, 8])], [FLAG, value("x")], ir_version=10)


def branch(name: str, nodes: list[onnx.NodeProto], gives: str, weights: list[onnx.TensorProto]) -> onnx.GraphProto:
    return helper.make_graph(nodes, name, [], [value(gives, (4,))], weights)


def ran(proto: onnx.ModelProto) -> list[float]:
    onnx.checker.check_model(proto)
    session = ort.InferenceSession(proto.SerializeToString())
    given = {"x": np.zeros((1, 4), np.float32), "flag": np.array([True])}
    return session.run(None, {one.name: given[one.name] for one in session.get_inputs()})[0][0].tolist()


def test_a_branch_takes_the_place_of_the_if() -> None:
    """Weights around it and within, a value of the name of the If's own output, and another's that it copies."""
    yes = branch("yes", [node("Add", ["w", "own"], ["b"])], "b", [weight("own", [10, 10, 10, 10])])
    no = branch("no", [node("Identity", ["v"], ["other"])], "other", [])
    both = chosen(yes, no)
    before = both.SerializeToString()
    assert ran(both) == [11, 12, 13, 14]
    then, other = resolve_condition(both, "flag", True), resolve_condition(both, "flag", False)
    assert [ran(then), ran(other)] == [[11, 12, 13, 14], [5, 6, 7, 8]]
    assert [one.name for one in then.graph.input] == [one.name for one in other.graph.input] == ["x"]
    assert "If" not in {one.op_type for graph in (then, other) for one in graph.graph.node}
    assert both.SerializeToString() == before
    assert [one.name for one in keep_outputs(other, ["y"]).graph.initializer] == ["v"]
    assert sorted(one.name for one in keep_outputs(then, ["y"]).graph.initializer) == ["own", "w"]


def test_an_if_within_a_branch_stays() -> None:
    """A choice on something else, within the body and beside it; its own reads keep their weights."""
    inner = [branch(name, [node("Identity", [one], [f"{name}.out"])], f"{name}.out", []) for name, one in
             (("a", "w"), ("b", "v"))]  # fmt: skip
    nested = node("If", ["late"], ["b"], then_branch=inner[0], else_branch=inner[1])
    yes = branch("yes", [nested], "b", [])
    no = branch("no", [node("Identity", ["v"], ["b"])], "b", [])
    small = node("Constant", [], ["late"], value=helper.make_tensor("", TensorProto.BOOL, [1], [False]))
    then = keep_outputs(resolve_condition(chosen(yes, no, small), "flag", True), ["y"])
    assert ran(then) == [5, 6, 7, 8]
    assert sorted(one.name for one in then.graph.initializer) == ["v", "w"]


def test_what_else_reads_the_choice_keeps_it() -> None:
    """Then it is an input that nothing feeds, which is told as lacking."""
    same = [branch(name, [node("Identity", ["w"], [f"{name}.b"])], f"{name}.b", []) for name in ("yes", "no")]
    proto = chosen(same[0], same[1], node("Cast", ["flag"], ["number"], to=1))
    assert "flag" in {one.name for one in resolve_condition(proto, "flag", True).graph.input}


def test_a_body_that_makes_a_name_anew_is_refused() -> None:
    """The graph around it has it already; inlined, it would stand for two things."""
    yes = branch("yes", [node("Identity", ["v"], ["w"])], "w", [])
    no = branch("no", [node("Identity", ["v"], ["b"])], "b", [])
    with pytest.raises(GraphError, match="The name w is defined twice in the graph"):
        resolve_condition(chosen(yes, no), "flag", True)
    del yes.output[:]
    with pytest.raises(GraphError, match="has no then_branch with its outputs"):
        resolve_condition(chosen(yes, no), "flag", True)


def test_a_decoder_whose_cross_keys_depend_on_its_tokens(tmp_path: Path) -> None:
    """They cannot be computed once, so it is said, and nothing is assembled."""
    toy = Toy(layers=(0,), attends=True)
    write_halves(tmp_path, toy)
    write_encoder(tmp_path, toy)
    path = tmp_path / "decoder_model.onnx"
    proto = onnx.load(path)
    made = next(one for one in proto.graph.node if "present.0.encoder.key" in one.output)
    before = made.output[0]
    made.output[0] = "plain"
    late = [node("Cast", ["input_ids"], ["c"], to=1), node("ReduceSum", ["c"], ["sum"], keepdims=0),
            node("Add", ["plain", "sum"], [before])]  # fmt: skip
    place = list(proto.graph.node).index(made) + 1
    nodes = [*proto.graph.node][:place] + late + [*proto.graph.node][place:]
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    save(proto, path)
    files = {"encoder": "encoder", "first": "decoder_model", "then": "decoder_with_past_model"}
    graphs = {name: tmp_path / f"{file}.onnx" for name, file in files.items()}
    lacks = infer_assembly(graphs, {"tokens": {"decoder_start": 1}}).problems
    assert lacks[0].startswith(
        "The cross-attention's keys of then depend on input_ids in decoder_model.onnx, and must depend on the encoder's"
    )


def test_what_was_done_is_reported(tmp_path: Path) -> None:
    """A sentence for the decoder and one for what was taken out of it."""
    toy = Toy(layers=(0,), attends=True)
    write_halves(tmp_path, toy)
    found = prepare_graphs({"cross": tmp_path / "decoder_model_merged.onnx"})
    assert list(found.graphs) == ["cross", "cross_of_cross"] and not found.problems
    assert found.done == [
        "cross runs one token at a time, because its graph with past was traced for one.",
        "cross_of_cross computes the cross-attention keys and values of cross once: it was a part of "
        "decoder_model_merged.onnx.",
    ]
    plain = tmp_path / "decoder_with_past_model.onnx"
    rename(plain, {"past_key_values.0.encoder.key": "cross.0.key", "past_key_values.0.encoder.value": "cross.0.value"})
    assert prepare_graphs({"a": plain}).graphs["a"].model is None


CHANGES = (
    lambda graph, chances: graph.node.pop(chances.randrange(len(graph.node))),
    lambda graph, chances: chances.choice(graph.node).input.__delitem__(slice(None)),
    lambda graph, chances: chances.choice(graph.node).output.__delitem__(slice(None)),
    lambda graph, chances: chances.choice(graph.node).attribute.__delitem__(slice(None)),
    lambda graph, chances: graph.input.pop(chances.randrange(len(graph.input))),
    lambda graph, chances: graph.output.pop(chances.randrange(len(graph.output))),
    lambda graph, chances: chances.choice([*graph.input, *graph.output]).type.Clear(),
    lambda graph, chances: chances.choice([*graph.input, *graph.output]).type.tensor_type.shape.dim.pop(),
    lambda graph, chances: setattr(chances.choice([*graph.input, *graph.output]), "name", chances.choice(NAMES)),
    lambda graph, chances: setattr(
        chances.choice([*graph.input, *graph.output]).type.tensor_type, "elem_type", chances.choice((0, 7, 9, 16, 99))
    ),
)
NAMES = ("", "input_ids", "past_key_values.0.key", "past_key_values.x.key", "image_features", "use_cache_branch",
         "present.0.encoder.key", "encoder_hidden_states", "decoder_input_ids", "logits")  # fmt: skip


def test_damaged_graphs_are_refused_or_lack_something(tmp_path: Path) -> None:
    """One to three changes of a graph, its bodies among them: an Assembly, or one sentence; never a traceback."""
    toy, chances = Toy(layers=(0,), attends=True), random.Random(11)
    write_halves(tmp_path, toy)
    write_encoder(tmp_path, toy)
    forms = (("encoder", "decoder_model_merged"), ("encoder", "decoder_model", "decoder_with_past_model"))
    for number in range(150):
        files = {name: tmp_path / f"{name}.onnx" for name in chances.choice(forms)}
        hurt = chances.choice(list(files))
        proto = onnx.load(files[hurt])
        bodies = [attribute.g for one in proto.graph.node for attribute in one.attribute if attribute.HasField("g")]
        for _ in range(chances.randrange(1, 4)):
            try:
                chances.choice(CHANGES)(chances.choice([proto.graph, *bodies]), chances)
            except (IndexError, ValueError):  # nothing is left to change
                continue
        files[hurt] = save(proto, tmp_path / "hurt.onnx")
        try:
            assembly = infer_assembly(files, {"tokens": {"decoder_start": 1}})
            told = assembly.problems
            assert assembly.composite is not None or told
        except JoineryError as error:
            told = (str(error),)
        except Exception as error:
            raise AssertionError((number, hurt)) from error
        assert all(one.endswith(".") and "\n" not in one for one in told), told
