"""Graphs given as files generate what the bundle generates that they come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import greedy, greedy_from_source, save_decoder, save_encoder_decoder
from workflows.bundle import read_bundle
from workflows.common.errors import GraphError, RequestError
from workflows.generate import GenerateOptions, open_engine
from workflows.runtime import Machine, device_named, open_machine, open_onnx
from workflows.wire.events import GenerationDone

PROMPT = [5, 17, 29, 101, 7, 64, 33] * 11  # more than one chunk


def generate(machine: Machine, prompt: list[int], count: int) -> list[int]:
    for chunk, phase in machine.chunks(prompt):
        logits = machine.step(chunk, phase)[-1]
    tokens = [int(logits.argmax())]
    while len(tokens) < count:
        tokens.append(int(machine.step(tokens[-1:], "decode")[-1].argmax()))
    return tokens


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_decoder("llama", tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def made(llama: Path, built: Built) -> Callable[..., Path]:
    """Bundles of the llama."""

    def make(cache: str, graphs: str = "single") -> Path:
        more = {} if graphs == "single" else {"graphs": graphs}
        return built(llama, cache=cache, capacity=256, **more)

    return make


@pytest.fixture(scope="module")
def t5(built: Built, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    checkpoint = save_encoder_decoder("t5", tmp_path_factory.mktemp("t5") / "checkpoint")
    return checkpoint, built(checkpoint, cache="static", capacity=128, task="translation")


@pytest.mark.parametrize("cache", ["static", "gqa", pytest.param("scatter", marks=pytest.mark.slow)])
def test_a_decoder(cache: str, llama: Path, made: Callable[..., Path]) -> None:
    machine = open_onnx({"decoder": made(cache) / "decoder.onnx"}, capacity=128)
    assert (machine.cache.layout.name, machine.cache.capacity, machine.chunk) == (cache, 128, 64)
    assert generate(machine, PROMPT, 12) == greedy(llama, PROMPT, 12)


@pytest.mark.slow
def test_prefill_and_decode(llama: Path, made: Callable[..., Path]) -> None:
    bundle = made("static", "prefill-decode")
    machine = open_onnx({"one": bundle / "decode.onnx", "other": str(bundle / "prefill.onnx")})
    assert machine.cache.capacity == 256  # as the graphs are fixed
    assert generate(machine, PROMPT, 12) == greedy(llama, PROMPT, 12)


def test_encoder_and_decoder(t5: tuple[Path, Path]) -> None:
    checkpoint, bundle = t5
    machine = open_onnx({name: bundle / f"{file}.onnx" for name, file in (("one", "decoder"), ("two", "encoder"))})
    for source in (PROMPT, PROMPT[:5]):
        machine.encode(source)
        assert generate(machine, [0], 12) == greedy_from_source(checkpoint, source, 12)


def test_who_looks_on_changes_nothing(t5: tuple[Path, Path]) -> None:
    """An observer is told of what nothing takes alone: what the encoder gives is taken in another run."""
    bundle, told = read_bundle(t5[1]), list[str]()
    plain = open_machine(bundle, device_named("cpu"))
    watched = open_machine(bundle, device_named("cpu"), observer=lambda session, outputs: told.append(session))
    for machine in (plain, watched):
        machine.encode(PROMPT)
    assert generate(watched, [0], 12) == generate(plain, [0], 12)
    assert set(told) == {"encoder", "decoder"}


def test_the_prefill_of_an_encoder_is_its_source(t5: tuple[Path, Path]) -> None:
    """Tokens a second count what the encoder read, not the one token that the decoder begins with."""
    *_, done = open_engine(t5[1]).generate(PROMPT, GenerateOptions(max_new_tokens=2))
    assert isinstance(done, GenerationDone)
    assert done.prefill_tokens_per_s == pytest.approx(len(PROMPT) / (done.ttft_ms / 1000))


def test_a_decoder_begins_with_a_prefix(t5: tuple[Path, Path]) -> None:
    """A language, a forced prompt: several tokens before the first that is chosen."""
    checkpoint, bundle = t5
    prefix = [11, 7, 23]
    with open_engine(bundle) as engine:
        *_, done = engine.generate(PROMPT, GenerateOptions(max_new_tokens=8), eos=[], prefix=prefix)
    assert isinstance(done, GenerationDone)
    assert done.token_ids == greedy_from_source(checkpoint, PROMPT, 8, prefix)
    with pytest.raises(RequestError, match="The model is closed"):
        list(engine.generate(PROMPT, GenerateOptions(max_new_tokens=8)))


def test_what_a_person_says_stands_in_place_of_what_the_graphs_tell(made: Callable[..., Path]) -> None:
    graph = {"decoder": made("static") / "decoder.onnx"}
    assert open_onnx(graph).cache.capacity == 1024  # the model's positions
    assert open_onnx(graph, {"generation": {"max_length": 96}}).cache.capacity == 96
    with pytest.raises(GraphError, match=r"at generation\.max_length: "):
        open_onnx(graph, {"generation": {"max_length": 0}})
    with pytest.raises(GraphError, match=r"session a, and no graph was given for it.*session for the graph decoder"):
        open_onnx(graph, {"pipeline": {"sessions": {"a": {"file": "a.onnx"}}, "flow": [{"run": "a"}]}})


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"The decoder .*nowhere\.onnx is not a file: give the path"):
        open_onnx({"decoder": tmp_path / "nowhere.onnx"})
    with pytest.raises(RequestError, match="No graph was given"):
        open_onnx({})


def test_graphs_that_do_not_belong_together(t5: tuple[Path, Path], made: Callable[..., Path]) -> None:
    _, bundle = t5
    decoder = bundle / "decoder.onnx"
    with pytest.raises(GraphError, match=r"Nothing feeds decoder\.cross\.0\.key \[.*\(and 3 like it\): no"):
        open_onnx({"decoder": decoder})  # of two layers
    with pytest.raises(GraphError, match=r"Nothing uses the outputs of encoder \(cross\.0\.key, "):
        open_onnx({"decoder": made("static") / "decoder.onnx", "encoder": bundle / "encoder.onnx"})
    with pytest.raises(GraphError, match=r"No graph has inputs named like past_key_values\.0\.key"):
        open_onnx({"decoder": bundle / "encoder.onnx"})
