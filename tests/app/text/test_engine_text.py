"""The engine's messages in German: found by the sentence of the code, with the message's values in their places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.text.catalog import SourceText, Translation, available_languages, engine_file, read
from app.text.engine_sources import engine_sentences, pattern_of
from app.text.engine_text import install_engine_texts, translate_engine_text, translate_event
from tests.app.test_german import ENGLISH
from tests.fakes.plans import plan_of
from workflows.bundle.read import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import JoineryError
from workflows.inspection.probe.checkpoint_facts import plan_report
from workflows.wire.events import ErrorEvent, NoticeEvent, ResultEvent, TokenEvent

PLACES = re.compile(r"\{\d+\}")


@pytest.fixture
def german() -> Iterator[None]:
    install_engine_texts(read(engine_file("de")))
    yield
    install_engine_texts(())


@pytest.fixture
def few() -> Iterator[None]:
    pairs = {
        "{0} cannot be read: {1}.": "{1} hindert {0}.",
        "{0} cannot be read: it is {1} long.": "{0} ist {1} lang.",
        "it is empty": "es ist leer",
        "Try again.": "Noch einmal.",
    }
    install_engine_texts(Translation(SourceText(source), (form,), True) for source, form in pairs.items())
    yield
    install_engine_texts(())


@pytest.mark.parametrize(
    ("english", "shown"),
    [
        ("/a b.txt cannot be read: no room.", "no room hindert /a b.txt."),
        ("x cannot be read: it is 9 long.", "x ist 9 lang."),  # the more definite sentence
        ("x cannot be read: it is empty.", "es ist leer hindert x."),  # a sentence within another
        ("Try again. Try again.", "Noch einmal. Noch einmal."),
        ("Try again.\nUnknown words.", "Noch einmal.\nUnknown words."),
        ("{0} cannot be read: {1}.", "{1} hindert {0}."),  # places in a value are values
        ("Nothing of the kind.", "Nothing of the kind."),
        ("", ""),
    ],
)
def test_a_message_is_found_by_its_sentence(few: None, english: str, shown: str) -> None:
    assert translate_engine_text(english) == shown


def test_english_is_left_alone() -> None:
    event = ErrorEvent(kind="bundle", message="/b is damaged: build the bundle anew.")
    assert translate_event(event) is event


@pytest.mark.parametrize("language", available_languages())
def test_every_translation_is_of_a_sentence_of_the_engine(language: str) -> None:
    """A changed sentence loses its translation at `python -m app.text`, and this test says so before."""
    entries, sentences = read(engine_file(language)), engine_sentences()
    assert [entry.message.source for entry in entries if entry.message.source not in sentences] == []
    for entry in entries:
        assert entry.finished and len(entry.forms) == 1
        assert set(PLACES.findall(entry.forms[0])) == set(PLACES.findall(entry.message.source)), entry.message.source
    assert len(entries) >= 2_000


def test_the_pattern_of_an_f_string_numbers_its_values() -> None:
    import ast

    node = ast.parse('f"{name} in {folder!r} has {size:,} bytes: " f"{why}."', mode="eval").body
    assert pattern_of(node) == "{0} in {1} has {2} bytes: {3}."
    assert pattern_of(ast.parse("name + 1", mode="eval").body) is None


def test_errors_of_the_engine_are_german(german: None, tmp_path: Path) -> None:
    """Raised by the engine itself: no message was written for this test."""
    (tmp_path / "empty").mkdir()
    qwen3 = open_checkpoint("demo:qwen3")
    calls = (
        lambda: read_bundle(tmp_path / "nowhere"),
        lambda: read_bundle(tmp_path / "empty"),
        lambda: open_checkpoint(str(tmp_path / "nowhere")),
        lambda: open_checkpoint("demo:nothing"),
        lambda: plan_report(qwen3, {"target": "dml", "cache": "gqa"}),
        lambda: plan_report(qwen3, {"source_length": 9}),
        lambda: plan_report(qwen3, {"capacity": 1_000_000}),
        lambda: plan_report(qwen3, {"passes": {"nothing": True}}),
    )
    for call in calls:
        with pytest.raises(JoineryError) as raised:
            call()
        shown = translate_engine_text(str(raised.value))
        assert shown != str(raised.value) and not ENGLISH.search(shown.replace(str(tmp_path), "")), shown


@pytest.mark.parametrize("target", ["cpu", "qnn", "dml", "openvino", "webgpu"])
def test_a_plan_is_german_and_its_names_stay(german: None, target: str) -> None:
    """Reasons of targets, remarks on precisions and layouts, and the titles of passes; keys are as they were."""
    plan = plan_report(open_checkpoint("demo:qwen3"), {"target": target})
    names = [one.name for one in (*plan.passes, *plan.precisions, *plan.targets, *plan.layouts)]
    translate_event(ResultEvent(value=plan))
    assert names == [one.name for one in (*plan.passes, *plan.precisions, *plan.targets, *plan.layouts)]
    texts = [one.title for one in plan.passes] + [reason for one in plan.targets for reason in one.reasons]
    for one in plan.precisions:
        texts += [one.title, one.note, one.runs, one.trap, one.refused]
    texts += [one.note for one in (*plan.layouts, *plan.variants)]
    assert [text for text in texts if ENGLISH.search(text)] == []


def test_tokens_and_texts_of_models_are_not_touched(few: None) -> None:
    token = TokenEvent(id=1, text="Try again.", step=0, phase="decode", latency_ms=1.0, cache_used=1, cache_capacity=2)
    assert translate_event(token) is token
    notice = translate_event(NoticeEvent(code="x", message="Try again."))
    assert isinstance(notice, NoticeEvent) and (notice.code, notice.message) == ("x", "Noch einmal.")
    plan = plan_of("Try again.", {}, encoder=False)
    translate_event(ResultEvent(value=plan))
    assert plan.recipe["source"] == "Try again."
