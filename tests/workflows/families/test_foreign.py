"""Graphs of others: what their cache is, is told from what they declare, and they generate what PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.foreign import Form, foreign
from tests.workflows.families.models import VOCABULARY, greedy, greedy_in_window, save_decoder
from workflows.bundle import read_bundle
from workflows.cli import run
from workflows.common.errors import CapacityError, GraphError, RecipeError, RewindError
from workflows.generate import GenerateOptions
from workflows.generate.engine import Engine
from workflows.inspection.contents import inspect_path
from workflows.runtime import Machine, open_onnx
from workflows.wire.events import NoticeEvent

LENGTHS = (1, 7, 63, 64, 65, 100, 190)
CAPACITY = 256
Sources = Callable[[str], tuple[Path, Path]]


@pytest.fixture(scope="module")
def sources(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Sources:
    """model_type → its checkpoint and our graph of it, made once."""
    made: dict[str, tuple[Path, Path]] = {}

    def make(model_type: str) -> tuple[Path, Path]:
        if model_type not in made:
            checkpoint = save_decoder(model_type, tmp_path_factory.mktemp(model_type) / "checkpoint")
            bundle = built(checkpoint, cache="static", capacity=CAPACITY, passes={"logits_rows": False})
            made[model_type] = checkpoint, bundle / "decoder.onnx"
        return made[model_type]

    return make


def prompt_of(length: int) -> list[int]:
    return [int(i) for i in np.random.default_rng(length).integers(3, VOCABULARY, length)]


def go_on(machine: Machine, tokens: list[int], count: int) -> list[int]:
    """Greedy, after what the cache holds and `tokens`; the last token given is not fed."""
    for chunk, phase in machine.chunks(tokens):
        logits = machine.step(chunk, phase)[-1]
    new = [int(logits.argmax())]
    while len(new) < count:
        new.append(int(machine.step(new[-1:], "decode")[-1].argmax()))
    return new


def agree(machine: Machine, checkpoint: Path, lengths: tuple[int, ...] = LENGTHS) -> None:
    for length in lengths:
        machine.cache.reset()
        assert go_on(machine, prompt_of(length), 8) == greedy(checkpoint, prompt_of(length), 8), f"{length} tokens"


SYMBOLIC = {
    "a mask of one row": Form(),
    "past and new joined": Form(present="joined"),
    "past without its oldest": Form(joins="slide"),
    "the whole buffer slid": Form(joins="slide", present="buffer"),
    "no position_ids": Form(present="joined", positions=False),
}


@pytest.mark.parametrize("name", SYMBOLIC)
@pytest.mark.parametrize("model_type", ["llama", "gemma3_text"])
def test_symbolic_graphs(model_type: str, name: str, sources: Sources, tmp_path: Path) -> None:
    checkpoint, ours = sources(model_type)
    graph = foreign(ours, tmp_path / "decoder.onnx", SYMBOLIC[name])
    machine = open_onnx({"decoder": graph}, capacity=CAPACITY)
    assert (machine.cache.layout.name, machine.note) == ("static", "")
    assert machine.cache.layout.slides == (name != "no position_ids")
    agree(machine, checkpoint)


def pair(ours: Path, folder: Path, chunk: int, capacity: int, form: Form) -> dict[str, Path]:
    """Prefill and decode graphs with fixed axes."""
    return {
        name: foreign(ours, folder / f"{name}.onnx", replace(form, width=width, capacity=capacity, last=form.last))
        for name, width in (("prefill", chunk), ("decode", 1))
    }


FIXED = {
    "a mask of one row": Form(),
    "past and new joined": Form(present="joined"),
    "past without its oldest": Form(joins="slide"),
    "the last column's logits alone": Form(joins="slide", last=True),
    "the last column's logits, joined": Form(present="joined", last=True),
}


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("model_type", ["llama", "gemma3_text"])
def test_graphs_of_fixed_shapes(model_type: str, name: str, sources: Sources, tmp_path: Path) -> None:
    checkpoint, ours = sources(model_type)
    machine = open_onnx(pair(ours, tmp_path, 64, CAPACITY, FIXED[name]))
    assert (machine.chunk, machine.cache.capacity) == (64, CAPACITY)
    agree(machine, checkpoint)
    machine.cache.reset()
    prompt = prompt_of(CAPACITY - 3)  # runs into the capacity
    tokens = go_on(machine, prompt, 4)
    assert tokens == greedy(checkpoint, prompt, 4)
    with pytest.raises(CapacityError, match="holds 256 tokens"):
        machine.step(tokens[-1:], "decode")


@pytest.mark.parametrize("name", [*FIXED, "symbolic"])
def test_a_right_aligned_window(name: str, sources: Sources, tmp_path: Path) -> None:
    checkpoint, ours = sources("llama")
    if name == "symbolic":
        graph = foreign(ours, tmp_path / "decoder.onnx", Form(present="joined"))
        machine = open_onnx({"decoder": graph}, cache="window", capacity=100)
    else:
        machine = open_onnx(pair(ours, tmp_path, 64, 100, FIXED[name]), cache="window")
    check_window(machine, checkpoint, 100)


def test_our_graph_takes_a_fifo_too(sources: Sources) -> None:
    checkpoint, ours = sources("llama")
    check_window(open_onnx({"decoder": ours}, cache="fifo", capacity=100), checkpoint, 100)


def check_window(machine: Machine, checkpoint: Path, window: int) -> None:
    """Lengths below, at and beyond the window, turns, and going back."""
    assert (machine.cache.layout.name, machine.cache.capacity) == ("fifo", window)
    for length in (*LENGTHS, 99, 101, 230):
        machine.cache.reset()
        expected = greedy_in_window(checkpoint, prompt_of(length), 8, window)
        assert go_on(machine, prompt_of(length), 8) == expected, f"{length} tokens"
    machine.cache.reset()
    said: list[int] = []
    for turn in (7, 40, 64, 30, 3):  # each goes on from the cache, the last token of the answer is still to be fed
        asked = said[-1:] + prompt_of(turn)
        said = [*said[:-1], *asked]
        answer = go_on(machine, asked, 5)
        assert answer == greedy_in_window(checkpoint, said, 5, window), f"turn of {turn}"
        said += answer
    assert machine.cache.evicted == machine.cache.length - window
    kept, held = said[:-5], machine.cache.length
    with pytest.raises(RewindError, match=f"it can go to 0 and {held - 1} to {held}"):
        machine.cache.rewind(len(kept) - 1)
    machine.cache.reset()
    first = go_on(machine, prompt_of(60), 20)
    machine.cache.rewind(59)
    assert go_on(machine, prompt_of(60)[-1:], 20) == first == greedy_in_window(checkpoint, prompt_of(60), 20, window)


@pytest.mark.parametrize("past", ["past_{}_{}", "{1}_cache.{0}"])
def test_other_names(past: str, sources: Sources, tmp_path: Path) -> None:
    checkpoint, ours = sources("llama")
    model = onnx.load(foreign(ours, tmp_path / "named.onnx", Form(joins="slide")))
    present = past.replace("past", "present") if "past" in past else f"updated_{past}"
    for value in [*model.graph.input, *model.graph.output]:
        kind, *rest = value.name.split(".")
        if rest:
            new = (past if kind == "past_key_values" else present).format(*rest)
            for node in model.graph.node:
                node.input[:] = [new if name == value.name else name for name in node.input]
                node.output[:] = [new if name == value.name else name for name in node.output]
            value.name = new
    onnx.save(model, tmp_path / "decoder.onnx")
    machine = open_onnx({"decoder": tmp_path / "decoder.onnx"}, capacity=CAPACITY)
    assert machine.cache.names[0] == past.format(0, "key")
    agree(machine, checkpoint, (65,))


BOTH = ("write_indices", "nonpad_kv_seqlen")
# name → the form, and why it is not run with the scatter cache
FALLBACKS = {
    "rank 4": (Form("place", "buffer", BOTH), "past_key_values.0.key has 4 axes and the scatter cache has 3"),
    "rank 4, the new rows": (Form("append", "rows", BOTH), "has 4 axes"),
    "half, in place": (Form("place", "buffer", BOTH[:1]), "declares write_indices without nonpad_kv_seqlen"),
    "a stray name": (Form("append", "joined", BOTH[:1]), "declares write_indices without nonpad_kv_seqlen"),
    "the other half": (Form("append", "rows", BOTH[1:]), "declares nonpad_kv_seqlen without write_indices"),
}


@pytest.mark.parametrize("name", FALLBACKS)
def test_what_requests_scatter_by_halves_runs_without_it(name: str, sources: Sources, tmp_path: Path) -> None:
    checkpoint, ours = sources("llama")
    form, why = FALLBACKS[name]
    graph = foreign(ours, tmp_path / "decoder.onnx", form)
    machine = open_onnx({"decoder": graph}, capacity=CAPACITY)
    assert machine.cache.layout.name == "static"
    assert why in machine.note
    assert machine.note.endswith("it runs with the static cache.")
    agree(machine, checkpoint, (1, 65, 190))
    fixed = open_onnx(pair(ours, tmp_path, 64, 100, form))
    agree(fixed, checkpoint, (1, 63, 92))
    assert fixed.note == machine.note
    if form.joins == "place":
        with pytest.raises(RecipeError, match="its graph writes rows into their slots itself; use static"):
            open_onnx({"decoder": graph}, cache="window")


def test_the_note_is_reported(sources: Sources, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, ours = sources("llama")
    graph = foreign(ours, tmp_path / "decoder.onnx", FALLBACKS["half, in place"][0])
    engine = Engine(read_bundle(ours.parent), open_onnx({"decoder": graph}), 0.0)
    first, again = (list(engine.generate([5, 6], GenerateOptions(max_new_tokens=2))) for _ in range(2))
    assert isinstance(first[0], NoticeEvent)
    assert (first[0].code, first[0].message) == ("cache_fallback", engine.machine.note)
    assert not any(isinstance(event, NoticeEvent) for event in again)  # once is enough
    (group,) = inspect_path(graph).kv
    assert (group.layout, group.writer, group.note) == ("static", "host", engine.machine.note)
    assert run(["inspect", str(graph)]) == 0
    assert f"joinery: {engine.machine.note}\n" in capsys.readouterr().err


def test_a_graph_that_cannot_be_kept_a_cache_for_gives_the_reason(sources: Sources, tmp_path: Path) -> None:
    _, ours = sources("llama")
    graph = foreign(ours, tmp_path / "counts.onnx", Form(present="joined", positions=False))
    with pytest.raises(RecipeError, match="takes the number of slots as the number of tokens, and a window has fewer"):
        open_onnx({"decoder": graph}, cache="window")
    model = onnx.load(graph)
    next(v for v in model.graph.input if v.name == "input_ids").type.tensor_type.shape.dim[0].dim_value = 2
    onnx.save(model, tmp_path / "two.onnx")
    with pytest.raises(GraphError, match=r"input_ids is \[2, 'sequence'\]: batch must be 1"):
        open_onnx({"decoder": tmp_path / "two.onnx"})
