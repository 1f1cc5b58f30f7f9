"""Controllers: greedy and Jacobi give what the engine gives; events, ends and limits stay the engine's."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.common.test_plugins import distribution
from tests.workflows.conftest import Built
from workflows.common.errors import BundleError, JoineryError, RequestError
from workflows.common.plugins import allow
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.controller import Controller, Loop, StepContext
from workflows.generate.controllers import greedy, jacobi
from workflows.wire.events import GenerationDone, TokenEvent

PROMPTS = [[5], [7, 8, 9, 10], list(range(300, 340))]
LAYOUTS = {"static": {"cache": "static", "capacity": 96}, "gqa": {"capacity": 96},
           "window": {"cache": "window", "capacity": 64},
           "split": {"graphs": "prefill-decode", "capacity": 96, "chunk": 16}}  # fmt: skip


def said(engine: Engine, prompt: list[int], eos: list[int] | None = None, **options: Any) -> GenerationDone:
    events = list(engine.generate(prompt, GenerateOptions(**{"max_new_tokens": 30, **options}), eos=eos))
    done = events[-1]
    assert isinstance(done, GenerationDone)
    assert [one.id for one in events if isinstance(one, TokenEvent)] == done.token_ids
    return done


def controlled(engine: Engine, loop: Loop | None, config: str = "") -> Engine:
    engine.controller = None if loop is None else Controller(loop, "a test", config)
    return engine


@pytest.mark.parametrize("layout", LAYOUTS)
def test_both_examples_say_what_the_engine_says(built: Built, sharp_qwen3: Path, layout: str) -> None:
    """Token for token, to the end of the window or the capacity; the next turn goes on from the cache."""
    with open_engine(built(sharp_qwen3, **LAYOUTS[layout])) as engine:
        for prompt in PROMPTS:
            for count in (1, 30, 80):
                plain = said(controlled(engine, None), prompt, max_new_tokens=count)
                used = engine.machine.cache.length
                for loop, config in ((greedy, ""), (jacobi, ""), (jacobi, '{"guesses": 9}')):
                    engine.reset()
                    done = said(controlled(engine, loop, config), prompt, max_new_tokens=count)
                    assert (done.token_ids, done.finish_reason) == (plain.token_ids, plain.finish_reason)
                    assert engine.machine.cache.length == used
                engine.reset()


@pytest.mark.slow
@pytest.mark.parametrize("loop", [greedy, jacobi, None])
def test_a_state_that_goes_back_to_snapshots_alone(built: Built, loop: Loop | None) -> None:
    """The examples, and a loop that goes back by a token at each step, say what the engine says."""
    with open_engine(built("demo:qwen3_5", capacity=256)) as engine:
        prompt = list(range(300, 390))
        plain = said(controlled(engine, None), prompt)
        engine.reset()
        assert said(controlled(engine, loop or hesitant), prompt).token_ids == plain.token_ids


def hesitant(context: StepContext) -> Iterator[None]:
    """Greedy, after a wrong token was appended, run and taken back."""
    while True:
        best = int(np.argmax(context.logits()))
        context.append((best + 1) % context.vocabulary)
        context.logits()
        context.rewind(context.length - 1)
        context.append(best)
        yield


def test_jacobi_takes_fewer_runs(demo_bundle: Path) -> None:
    """Of a model that learned something, whose text repeats itself."""
    with open_engine(demo_bundle) as engine:
        runs = {}
        for loop in (greedy, jacobi):
            engine.reset()
            real, count = engine.machine.step, [0]

            def step(*fed: Any, real: Any = real, count: list[int] = count, **asked: Any) -> Any:
                count[0] += 1
                return real(*fed, **asked)

            engine.machine.step = step  # type: ignore[method-assign]
            said(controlled(engine, loop), [5], [], max_new_tokens=40)
            engine.machine.step = real  # type: ignore[method-assign]
            runs[loop] = count[0]
    assert runs[jacobi] < runs[greedy] * 0.8


def test_end_tokens_and_the_chain_hold(built: Built, sharp_qwen3: Path) -> None:
    """An end token amid a step's tokens ends the text there; a penalty changes what a controller sees."""
    with open_engine(built(sharp_qwen3, capacity=96)) as engine:
        for options in ({"repetition_penalty": 1.5}, {}):
            plain = said(controlled(engine, None), PROMPTS[1], **options)
            assert said(controlled(engine, jacobi), PROMPTS[1], **options).token_ids == plain.token_ids
        end = plain.token_ids[len(plain.token_ids) // 2]
        plain, found = (said(controlled(engine, loop), PROMPTS[1], [end]) for loop in (None, jacobi))
        assert found.token_ids == plain.token_ids and found.finish_reason == plain.finish_reason == "eos"


def test_a_controller_appends_looks_ahead_and_ends(built: Built, sharp_qwen3: Path) -> None:
    seen: dict[str, Any] = {}

    def loop(context: StepContext) -> Iterator[None]:
        context.append(3)
        context.append(4)
        seen["length"], seen["config"] = context.length, context.config
        context.rewind(context.length - 1)
        yield
        rows = context.forward([8, 9])
        seen["rows"] = rows.shape
        context.append(8)
        np.testing.assert_allclose(context.logits(), rows[1], atol=1e-4)
        context.append(7)
        context.append(6)
        context.end()
        yield
        raise AssertionError("it ended")

    with open_engine(built(sharp_qwen3, capacity=96)) as engine:
        done = said(controlled(engine, loop, "mine"), [11, 12])
        assert (done.token_ids, done.finish_reason) == ([3, 8, 7, 6], "stop")
        assert seen == {"length": 4, "config": "mine", "rows": (3, 997)} and engine.machine.cache.length == 5
        assert said(engine, [11, 12], max_new_tokens=3).token_ids == [3, 8, 7]


def test_what_a_controller_may_not_do_is_one_sentence(built: Built, sharp_qwen3: Path) -> None:
    def beyond(context: StepContext) -> Iterator[None]:
        context.append(997)
        yield

    def back(context: StepContext) -> Iterator[None]:
        context.rewind(0)
        yield

    def failing(context: StepContext) -> Iterator[None]:
        yield
        raise ZeroDivisionError("once\nand for all")

    def silent(context: StepContext) -> Iterator[None]:
        yield from ()

    with open_engine(built(sharp_qwen3, capacity=96)) as engine:
        for loop, why in (
            (beyond, "token 997 is not in"),
            (back, "can go back to the 1 emitted tokens"),
            (failing, "once"),
        ):
            with pytest.raises(JoineryError, match=why) as raised:
                said(controlled(engine, loop), [3])
            assert "\n" not in str(raised.value)
        done = said(controlled(engine, silent), [3])
        assert (done.token_ids, done.finish_reason) == ([], "stop")
        with pytest.raises(RequestError, match="leave beams and drafts out"):
            said(engine, [3], ngram=True)
        with pytest.raises(RequestError, match="guesses"):
            said(controlled(engine, jacobi, "many"), [3])


@pytest.fixture
def named(built: Built, sharp_qwen3: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A bundle whose file names a controller of a fake distribution."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    source = "def sing(context):\n    context.append(int(context.config))\n    yield\n"
    distribution(tmp_path / "site", "song", "2.0", source, "song_module")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    shutil.copytree(built(sharp_qwen3, capacity=96), tmp_path / "bundle")
    file = tmp_path / "bundle" / "pipeline.json"
    told = json.loads(file.read_text())
    told["pipeline"]["controller"] = {"library": "song", "entry_point": "sing", "config": "42"}
    file.write_text(json.dumps(told))
    yield tmp_path / "bundle"
    sys.modules.pop("song_module", None)


def test_a_bundle_names_its_controller(named: Path) -> None:
    """Refused as it opens until the person allows it, and nothing of it imported."""
    with pytest.raises(BundleError, match=r"at pipeline\.controller: .*joinery plugins allow song"):
        open_engine(named)
    assert "song_module" not in sys.modules
    allow("song")
    with open_engine(named) as engine:
        done = said(engine, [3])
        assert (done.token_ids, done.finish_reason) == ([42], "stop")


MAKERS = {
    "opens it": ("return opened(bundle)", ""),
    "makes nothing": ("return None", r"at pipeline\.plugin\.entry_point: the entry point returned no machine"),
    "fails": ("return 1 / 0", r"^The plugin sing of maker failed: division by zero\.$"),
}


@pytest.mark.parametrize("case", MAKERS)
def test_a_plugin_makes_the_model(
    case: str, built: Built, sharp_qwen3: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused until the person allows it; then what it makes of the bundle runs, or one sentence is said."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    body, refused = MAKERS[case]
    source = f"def sing(bundle, opened):\n    assert bundle.pipeline.pipeline.plugin is None\n    {body}\n"
    distribution(tmp_path / "site", "maker", "1.0", source, "maker_module")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    plain, folder = built(sharp_qwen3, capacity=96), tmp_path / "bundle"
    shutil.copytree(plain, folder)
    told = json.loads((folder / "pipeline.json").read_text())
    told["pipeline"]["plugin"] = {"library": "maker", "entry_point": "sing"}
    (folder / "pipeline.json").write_text(json.dumps(told))
    with pytest.raises(BundleError, match=r"at pipeline\.plugin: .*joinery plugins allow maker"):
        open_engine(folder)
    assert "maker_module" not in sys.modules
    allow("maker")
    try:
        if refused:
            with pytest.raises(JoineryError, match=refused):
                open_engine(folder)
            return
        with open_engine(folder) as engine, open_engine(plain) as own:
            assert said(engine, [3, 4]).token_ids == said(own, [3, 4]).token_ids
    finally:
        sys.modules.pop("maker_module", None)


@pytest.mark.parametrize("exposes", [True, False])
def test_a_controller_receives_hidden_states(exposes: bool, built: Built, sharp_qwen3: Path) -> None:
    """The head of the checkpoint makes the logits of them; nothing where the graphs give none, and no token changes."""
    from safetensors.numpy import load_file

    head = load_file(sharp_qwen3 / "model.safetensors")["lm_head.weight"]
    told = []

    def looking(context: StepContext) -> Iterator[None]:
        for _ in range(4):
            told.append((context.hidden(), context.logits().copy()))
            context.append(int(np.argmax(told[-1][1])))
            yield
            told.append((context.hidden(), context.logits().copy()))

    options = {"capacity": 96, **({"expose": "hidden_states"} if exposes else {})}
    with open_engine(built(sharp_qwen3, **options)) as engine:
        plain = said(engine, [5, 6, 7], max_new_tokens=4).token_ids
        assert said(controlled(engine, looking), [5, 6, 7], max_new_tokens=4).token_ids == plain
    assert len(told) > 4
    for hidden, logits in told:
        assert (hidden is not None) == exposes
        if hidden is not None:
            np.testing.assert_allclose(head @ hidden, logits, rtol=0, atol=1e-4 * np.abs(logits).max())
