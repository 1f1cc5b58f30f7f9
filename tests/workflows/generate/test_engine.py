"""An open engine: stopping a generation, and what is kept between two."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.common.errors import PromptError, RequestError
from workflows.generate import Engine, GenerateOptions, TemplateMessage, open_engine
from workflows.generate.chat_template import ChatTemplate
from workflows.wire.events import ChunkEvent, GenerationDone, NoticeEvent, TokenEvent


@pytest.fixture(scope="module")
def engine(demo_bundle: Path) -> Engine:
    return open_engine(demo_bundle, cache="window")


def test_stop_alone_ends_a_generation_as_cancelled(engine: Engine) -> None:
    """Without a `cancelled` to ask; the next generation is whole."""
    options = GenerateOptions(max_new_tokens=500, temperature=100, seed=1)
    seen = []
    for event in engine.generate(engine.encode("8*7="), options):
        seen.append(event)
        if isinstance(event, TokenEvent) and event.step == 3:
            engine.stop()
    done = seen[-1]
    assert isinstance(done, GenerationDone)
    assert (done.finish_reason, len(done.token_ids)) == ("cancelled", 4)
    *_, again = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=8))
    assert isinstance(again, GenerationDone) and "56" in again.text


def test_the_shared_beginning_is_not_computed_again(engine: Engine) -> None:
    """Only what differs is fed, and the tokens are those of a fresh start."""
    options = GenerateOptions(max_new_tokens=10)
    first, second = [5, 6, 7, 8, 9, 10], [5, 6, 7, 11]
    engine.reset()
    *_, fresh = engine.generate(second, options)
    engine.reset()
    list(engine.generate(first, options))
    events = list(engine.generate(second, options))
    assert [(e.start, e.tokens) for e in events if isinstance(e, ChunkEvent)] == [(3, 1)]
    done = events[-1]
    assert isinstance(done, GenerationDone) and isinstance(fresh, GenerationDone)
    assert done.token_ids == fresh.token_ids


def test_a_stop_text_ends_the_generation_and_is_cut_off(engine: Engine) -> None:
    """The reason is stop; what comes before the text stays."""
    *_, whole = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=20))
    *_, cut = engine.generate(engine.encode("8*7="), GenerateOptions(max_new_tokens=20, stop=["6"]))
    assert isinstance(whole, GenerationDone) and isinstance(cut, GenerationDone)
    assert cut.finish_reason == "stop"
    assert cut.text == whole.text[: whole.text.index("6")]


def test_a_model_without_tokenizer_speaks_ids_alone(demo_bundle: Path, engine: Engine) -> None:
    """Where the template or the tokenizer is missing, the sentence says what to do."""
    engine = open_engine(demo_bundle)
    engine.prompts.template = None
    with pytest.raises(PromptError, match="no chat template: give a plain prompt"):
        engine.encode_chat([{"role": "user", "content": "hello"}])


def test_a_model_without_template_goes_on_with_all_that_was_written(demo_bundle: Path) -> None:
    """Texts one after another, a system message as a line; said once; no tools, for there is no place for them."""
    engine = open_engine(demo_bundle)
    engine.prompts.template = None
    said: list[TemplateMessage] = [
        {"role": "system", "content": "A list"},
        {"role": "user", "content": "one, "},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": ", three"},
    ]
    assert engine.encode_turn(said, None, " and") == engine.encode("A list\none, two, three and")
    assert engine.ready().completes and not engine.ready().chat_template
    once = GenerateOptions(max_new_tokens=1)
    twice = [list(engine.generate([5], once)) for _ in range(2)]
    notices = [[event.code for event in events if isinstance(event, NoticeEvent)] for events in twice]
    assert notices == [["completes"], []]
    with pytest.raises(PromptError, match="describe tools"):
        engine.encode_turn(said, [{"name": "get_weather"}])


def test_a_refused_system_message_is_folded_and_that_is_reported_once(demo_bundle: Path) -> None:
    """The same ids as of the folded conversation; the next generation says what was done."""
    engine = open_engine(demo_bundle)
    refuses = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    engine.prompts.template = ChatTemplate(refuses + "{{ messages[0].content }}", {})
    said: list[TemplateMessage] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "8*7?"}]
    ids = engine.encode_chat(said)
    assert ids == engine.text.encode("Be brief.\n\n8*7?", special=False)
    once = GenerateOptions(max_new_tokens=1)
    codes = [[e.code for e in engine.generate(ids, once) if isinstance(e, NoticeEvent)] for _ in range(2)]
    assert codes == [["system_folded"], []]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"provider": "tpu"}, "No provider is called 'tpu'"),
        ({"provider": "cuda"}, "NVIDIA CUDA cannot be used"),
        ({"cache": "paged"}, "No cache layout is called 'paged': choose one of static, window"),
        ({"device_options": {"a": "b"}}, "takes no device options"),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(demo_bundle: Path, options: dict[str, object], names: str) -> None:
    """Providers, layouts and options that there are not."""
    with pytest.raises(RequestError, match=names) as raised:
        open_engine(demo_bundle, **options)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)
