"""A composite run segment by segment gives the logits of its whole graphs, and holds the weights of one segment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from numpy.typing import NDArray

from tests.workflows.conftest import Built, make_qwen3
from tests.workflows.families.models import save_decoder
from workflows.bundle import Pipeline, read_bundle
from workflows.common.errors import GraphError
from workflows.evaluation.parity import ParityRunner, comparison_machine, reference_steps
from workflows.evaluation.segmentation import GraphCut
from workflows.evaluation.segments import SegmentedRunner
from workflows.graph.weights import large_initializers, load_saved_graph
from workflows.optimize import PASSES

Rows = dict[int, NDArray[np.float32]]
TOKENS = 90  # a chunk of 64 and a padded one, then single tokens
UNCHANGED = {"passes": dict.fromkeys(PASSES, False)}


def opened(bundle: Path) -> tuple[Pipeline, dict[str, Path], list[int]]:
    """A bundle's pipeline, its graphs, and tokens."""
    pipeline = read_bundle(bundle).pipeline
    files = {name: bundle / session.file for name, session in pipeline.pipeline.sessions.items()}
    return pipeline, files, np.random.default_rng(1).integers(3, pipeline.metadata.vocabulary, TOKENS).tolist()


def whole(pipeline: Pipeline, files: dict[str, Path], ids: list[int], mapped: bool = True) -> Rows:
    """The logits of the whole graphs, by row."""
    sessions = ParityRunner(pipeline)._open(files, mapped)
    machine = comparison_machine(pipeline, sessions, len(ids))
    return {row: np.array(logits, np.float32) for row, logits in reference_steps(machine, ids)}


def check_equal(one: Rows, other: Rows) -> None:
    """Every bit of every row, which are those of the steps' last tokens; and the rows differ from one another."""
    assert [*one] == [*other] and {TOKENS - 13, TOKENS - 1} <= {*one}
    assert all(np.array_equal(one[row], other[row]) for row in other)
    assert len({logits.tobytes() for logits in other.values()}) == len(other) >= 13


def check_segments(bundle: Path, mapped: bool) -> None:
    """Compares bit for bit, whatever the layout of the cache and the division into graphs."""
    pipeline, files, ids = opened(bundle)
    seen: list[tuple[int, int]] = []
    rows = SegmentedRunner(pipeline).run(files, ids, on_segment=lambda *done: seen.append(done), mapped=mapped)
    check_equal(rows, whole(pipeline, files, ids, mapped))
    assert seen == [(number, len(seen)) for number in range(len(seen))] and len(seen) >= 5


@pytest.mark.parametrize(
    ("options", "mapped"), [({}, True), ({"cache": "static"}, True), ({"precision": "int4"}, False)]
)
def test_segments_give_the_logits_of_the_whole(built: Built, options: dict[str, Any], mapped: bool) -> None:
    check_segments(built("demo:qwen3", **options), mapped)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "mapped"),
    [
        ({"cache": "static", **UNCHANGED}, True),
        ({"cache": "window", "capacity": 70, "chunk": 8}, True),
        ({"cache": "scatter"}, True),
        ({"graphs": "prefill-decode", "capacity": 256}, True),
        ({"variant": "transformer-only", "graphs": "single", "capacity": 256}, True),
        ({"variant": "transformer-only", "capacity": 256}, True),
        ({"precision": "int8-dynamic"}, False),
        ({"precision": "fp16"}, False),
    ],
)
def test_segments_give_the_logits_of_every_layout(built: Built, options: dict[str, Any], mapped: bool) -> None:
    check_segments(built("demo:qwen3", **options), mapped)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["gemma3_text", "qwen3_moe", "gpt2"])
@pytest.mark.parametrize("options", [{}, {"cache": "static", **UNCHANGED}])
def test_segments_of_other_models(
    built: Built, tmp_path_factory: pytest.TempPathFactory, model_type: str, options: dict[str, Any]
) -> None:
    """With windows of two sizes, experts, and learned positions."""
    folder = tmp_path_factory.mktemp(model_type)
    pipeline, files, ids = opened(built(save_decoder(model_type, folder), **options))
    check_equal(SegmentedRunner(pipeline).run(files, ids), whole(pipeline, files, ids))


@pytest.mark.slow
def test_segments_of_a_draft(built: Built, tmp_path: Path) -> None:
    """A draft of the first layers is a composite of its own."""
    bundle = built(make_qwen3(tmp_path / "deep", num_hidden_layers=4), cache="static", capacity=160, early_exit=2)
    pipeline, files, ids = opened(bundle)
    draft = pipeline.draft_pipeline(160)
    assert draft is not None
    rows = SegmentedRunner(draft).run(files, ids)
    check_equal(rows, whole(draft, files, ids))
    assert not np.allclose(rows[TOKENS - 1], SegmentedRunner(pipeline).run(files, ids)[TOKENS - 1])


@pytest.mark.parametrize("options", [{}, {"cache": "static"}])
def test_the_rows_of_each_layer(built: Built, options: dict[str, Any]) -> None:
    """They are those of the whole graph's cache, layer by layer."""
    pipeline, files, ids = opened(built("demo:qwen3", **options))
    seen: dict[str, NDArray[Any]] = {}
    layers: list[int] = []

    def on_layer(layer: int, rows: Mapping[str, NDArray[Any]]) -> None:
        layers.append(layer)
        seen.update(rows)

    SegmentedRunner(pipeline).run(files, ids, on_layer=on_layer)
    machine = comparison_machine(pipeline, ParityRunner(pipeline)._open(files), len(ids))
    assert len([*reference_steps(machine, ids)]) >= 13
    wanted = machine.cache.rows()[1]
    assert layers == [*range(len(layers))] and {*seen} == {*wanted} and len(wanted) == 2 * len(layers)
    assert all(np.array_equal(seen[name], rows) and rows.std() > 0 for name, rows in wanted.items())


class CountedTensor(ir.ExternalTensor):  # type: ignore[misc,unused-ignore]
    """Counts the bytes that are in memory now, and at most."""

    now, most, reads = 0, 0, 0

    def numpy(self) -> NDArray[Any]:
        array = np.array(super().numpy())
        CountedTensor.now += array.nbytes
        CountedTensor.most, CountedTensor.reads = max(CountedTensor.most, CountedTensor.now), CountedTensor.reads + 1
        return array

    def release(self) -> None:
        CountedTensor.now -= self.nbytes
        super().release()


def load_counted(path: Path) -> ir.Model:
    """The graph, with counted weights."""
    model = load_saved_graph(path)
    for value in large_initializers(model):
        if isinstance(one := value.const_value, ir.ExternalTensor):
            value.const_value = CountedTensor(
                one.path, one.offset, one.length, one.dtype, shape=one.shape, name=one.name
            )
    return model


@pytest.mark.slow
def test_one_segment_is_in_memory(built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes in memory are those of the largest segment at most: an eighth of the model's."""
    for name in ("now", "most", "reads"):
        monkeypatch.setattr(CountedTensor, name, 0)
    bundle = built(make_qwen3(tmp_path / "deep", num_hidden_layers=8, vocab_size=211))
    pipeline, files, ids = opened(bundle)
    total = sum(tensor.nbytes for value in large_initializers(load_saved_graph(files["decoder"]))
                if (tensor := value.const_value) is not None)  # fmt: skip
    rows = SegmentedRunner(pipeline).run(files, [token % 211 for token in ids], load=load_counted)
    assert len(rows) >= 13 and CountedTensor.reads > 50
    assert CountedTensor.now == 0 and 0 < CountedTensor.most < total / 6


def state_names(model: ir.Model) -> dict[str, int]:
    """The names of a demo's cache tensors, and their layers."""
    names = [str(value.name) for value in (*model.graph.inputs, *model.graph.outputs)]
    return {name: int(name.split(".")[1]) for name in names if name.startswith(("past_key_values.", "present."))}


@pytest.fixture(params=[{}, {"cache": "static", **UNCHANGED}], ids=["gqa", "unchanged"])
def cut(request: pytest.FixtureRequest, built: Built) -> GraphCut:
    """A graph of the demo, in segments."""
    model = load_saved_graph(opened(built("demo:qwen3", **request.param))[1]["decoder"])
    return GraphCut(model, state_names(model))


def test_each_layer_has_a_segment(cut: GraphCut) -> None:
    """Table and head stand in one of their own; the weight of a product stands in one segment."""
    layers = [segment.states for segment in cut.segments]
    assert layers == [frozenset(), *(frozenset({layer}) for layer in range(len(layers) - 2)), frozenset()]
    products = [{node.input[1] for node in segment.nodes if node.op_type == "MatMul"} for segment in cut.segments]
    held = [name for segment, names in zip(cut.segments, products, strict=True) for name in names & {*segment.weights}]
    assert len(held) == len({*held}) >= 4 * (len(layers) - 2)
    assert "logits" in cut.segments[-1].gives and len(cut.segments[-1].nodes) <= 2


def test_a_segment_reads_what_earlier_ones_give(cut: GraphCut) -> None:
    """And every node that is no constant runs in one segment."""
    known = {*cut.inputs}
    for segment in cut.segments:
        assert {*segment.reads} <= known
        known |= {*segment.gives}
    assert {*cut.outputs} <= known


def test_a_graph_that_reads_a_source_runs_whole(built: Built) -> None:
    pipeline, files, ids = opened(built("demo:t5"))
    with pytest.raises(GraphError, match="read a source or end with a session of its own"):
        SegmentedRunner(pipeline).run(files, ids)
