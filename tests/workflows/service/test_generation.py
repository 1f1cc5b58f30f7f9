"""A generate request with pictures in any turn, or with a sound: what the engine is given, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.generate.speech.test_transcriber import save_listener
from tests.workflows.generate.test_picture_prompts import IMAGE, ROWS, save_seeing
from workflows.common.errors import MediaError, PromptError, RequestError
from workflows.service import JobContext, JobRunner
from workflows.service.generation import generate
from workflows.wire.events import Event, GenerationDone, PicturesEvent, ReadyEvent, SegmentEvent, TokenEvent
from workflows.wire.requests import Close, Generate, Open, SoundPrompt, Turn

QUIET = JobContext(lambda event: None, lambda: False)


class FakeEngine:
    """A bundle of text alone, which records its prompts."""

    sees = takes_sound = False

    def __init__(self) -> None:
        self.prompts = SimpleNamespace(reply_prefix=lambda prefill: [len(prefill)])
        self.given: list[tuple[list[int], dict[str, Any]]] = []

    def ready(self) -> SimpleNamespace:
        return SimpleNamespace(listens=False)

    def encode(self, prompt: str) -> list[int]:
        return [ord(letter) for letter in prompt]

    def encode_turn(self, turns: list[dict[str, str]], tools: object, prefill: str) -> list[int]:
        return self.encode("|".join(f"{turn['role']}:{turn['content']}" for turn in turns) + prefill)

    def generate(self, ids: list[int], options: object, cancelled: object, **more: Any) -> Iterator[Event]:
        self.given.append((ids, more))
        yield from ()


def run(request: Generate) -> list[tuple[list[int], dict[str, Any]]]:
    engine: Any = FakeEngine()
    assert list(generate(engine, request, lambda: False)) == []
    given: list[tuple[list[int], dict[str, Any]]] = engine.given
    return given


def test_prompts_of_text_go_to_the_engine_as_they_are() -> None:
    assert run(Generate(prompt="ab")) == [([97, 98], {"prefix": [0]})]
    assert run(Generate(prompt_ids=(4, 5))) == [([4, 5], {"prefix": [0]})]
    (ids, more), = run(Generate(messages=(Turn("user", "x"),), prefill="So"))  # fmt: skip
    assert ("".join(map(chr, ids)), more) == ("user:xSo", {"prefix": [2]})


@pytest.mark.parametrize(("request_", "why"), [
    (Generate(messages=(Turn("user", "x", ("a.png",)), Turn("user", "z"))), "reads no pictures"),
    (Generate(messages=(Turn("user", "x", sounds=("a.wav",)),)), "reads no sound beside a prompt"),
    (Generate(sound=SoundPrompt("a.wav")), "hears no sound"),
])  # fmt: skip
def test_a_bundle_of_text_refuses_both_in_one_sentence(request_: Generate, why: str) -> None:
    with pytest.raises(PromptError, match=why) as caught:
        run(request_)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("more", [{"prompt": "x"}, {"messages": ()}, {"prefill": "x"}, {"tools": "[]"}])
def test_a_sound_has_no_prompt(more: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="A transcript has no prompt"):
        Generate(sound=SoundPrompt("a.wav"), **more)


def picture(path: Path, seed: int) -> str:
    from PIL import Image

    Image.fromarray(np.random.default_rng(seed).integers(0, 255, (30, 30, 3), dtype=np.uint8)).save(path)
    return str(path)


def done(jobs: JobRunner, request: Generate) -> GenerationDone:
    *_, last = jobs.run(request, QUIET)
    assert isinstance(last, GenerationDone)
    return last


def pictured(jobs: JobRunner, request: Generate) -> list[tuple[str, list[tuple[int, int]]]]:
    """File and runs of each picture in the prompt, checked against the prompt's ids."""
    *events, last = jobs.run(request, QUIET)
    (told,) = (one for one in events if isinstance(one, PicturesEvent))
    assert isinstance(last, GenerationDone)
    places = [place for one in told.pictures for first, count in one.runs for place in range(first, first + count)]
    assert places == [place for place, token in enumerate(last.prompt_ids) if token == IMAGE]
    return [(one.path, one.runs) for one in told.pictures]


@pytest.mark.slow
def test_a_conversation_with_pictures(tmp_path: Path, built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and tokens of a second turn are those of a fresh cache, and another picture gives another reply."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    bundle = built(save_seeing(tmp_path / "checkpoint"))
    jobs, short = JobRunner(), {"max_new_tokens": 6}
    *_, ready = jobs.run(Open(str(bundle)), QUIET)
    assert isinstance(ready, ReadyEvent) and (ready.sees, ready.listens) == (True, False)
    a, b = picture(tmp_path / "a.png", 1), picture(tmp_path / "b.png", 2)

    def turns(first: str, *second: str) -> Generate:
        told = (Turn("user", "w7", (first,)), Turn("assistant", "w9"), Turn("user", "w8", second))
        return Generate(messages=told, options=short)

    first = done(jobs, Generate(messages=(Turn("user", "w7", (a,)),), options=short))
    each = 5 * ROWS  # four tiles and the whole
    assert first.prompt_ids.count(IMAGE) == each
    later = done(jobs, turns(a))
    assert later.prompt_ids.count(IMAGE) == each and done(jobs, turns(a, b)).prompt_ids.count(IMAGE) == 2 * each
    other = done(jobs, turns(b))
    assert other.prompt_ids == later.prompt_ids
    text = done(jobs, Generate(messages=(Turn("user", "w7"),), options=short))
    assert IMAGE not in text.prompt_ids
    assert pictured(jobs, Generate(messages=(Turn("user", "w7"),), options=short)) == []
    (one, runs), (other_one, others) = pictured(jobs, turns(a, b))
    assert (one, other_one) == (a, b) and [count for _, count in runs] == [ROWS] * 5 == [count for _, count in others]
    list(jobs.run(Open(str(bundle)), QUIET))
    for request, wanted in ((turns(b), other), (turns(a), later)):
        assert done(jobs, request).token_ids == wanted.token_ids
    with pytest.raises(MediaError, match=r"gone\.png"):
        done(jobs, turns(str(tmp_path / "gone.png")))
    assert done(jobs, turns(a)).token_ids == later.token_ids
    list(jobs.run(Close(), QUIET))


@pytest.mark.slow
def test_a_sound_is_transcribed_in_segments(tmp_path: Path, built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text and times are in the events; a file that is no sound is one sentence."""
    import soundfile

    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    bundle = built(save_listener(tmp_path / "checkpoint"))
    jobs = JobRunner()
    *_, ready = jobs.run(Open(str(bundle)), QUIET)
    assert isinstance(ready, ReadyEvent)
    assert (ready.sees, ready.listens, ready.completes) == (False, True, False)
    assert ready.speech is not None and "de" in ready.speech.languages and ready.speech.times
    soundfile.write(tmp_path / "a.wav", np.random.default_rng(0).normal(0, 0.2, 16000), 16000)
    sound = SoundPrompt(str(tmp_path / "a.wav"), "de", timestamps=True)
    events = list(jobs.run(Generate(sound=sound, options={"max_new_tokens": 12}), QUIET))
    segments = [event for event in events if isinstance(event, SegmentEvent)]
    assert segments and segments[0].start_s >= 0.0
    last = events[-1]
    assert isinstance(last, GenerationDone) and last.prompt_ids[1] == 5  # the token of German
    assert last.token_ids == [event.id for event in events if isinstance(event, TokenEvent)]
    (tmp_path / "b.wav").write_bytes(b"no sound")
    with pytest.raises(MediaError, match=r"b\.wav"):
        done(jobs, Generate(sound=SoundPrompt(str(tmp_path / "b.wav"))))
    list(jobs.run(Close(), QUIET))
