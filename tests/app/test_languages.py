"""The chat's languages: offered where the open bundle has some, and sent with each prompt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.state.context import AppContext
from tests.app.test_chat_page import ask, summary
from tests.fakes.worker import program

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window


@pytest.fixture
def page(qtbot: QtBot, tmp_path: Path) -> Iterator[ChatPage]:
    """A chat page whose worker has a translator, `mbart`, and a bundle without languages."""
    languages = {"mbart": ["de_DE", "en_XX"], "other": ["en_XX", "fr_XX"]}
    context = AppContext(tmp_path / "home", program(languages=languages), summary)
    page = ChatPage(context)
    qtbot.addWidget(page)
    page.show()
    yield page
    page.shut()
    page.hide()
    context.close()


def opened(qtbot: QtBot, page: ChatPage, bundle: str) -> None:
    page.context.open_bundle(bundle)
    ask(qtbot, page, "8*7=")


def test_they_are_shown_for_a_translator_alone(page: ChatPage, qtbot: QtBot) -> None:
    """Another bundle takes them away, or offers its own; a choice that it has too stays."""
    part = page.panel.languages
    assert not part.isVisibleTo(page.panel)
    opened(qtbot, page, "/b/mbart")
    assert part.isVisibleTo(page.panel)
    assert [part.target.itemData(i) for i in range(part.target.count())] == [None, "de_DE", "en_XX"]
    part.source.setCurrentIndex(2)
    part.target.setCurrentIndex(1)
    opened(qtbot, page, "/b/other")
    assert part.to_options() == {"source_language": "en_XX"}
    opened(qtbot, page, "/b/demo")
    assert not part.isVisibleTo(page.panel)
    assert part.to_options() == {}


def test_a_choice_is_sent_with_the_next_prompt(page: ChatPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The options of the request carry the language from the moment in which it is chosen."""
    opened(qtbot, page, "/b/mbart")
    sent: list[dict[str, Any]] = []
    generate = page.session.generate

    def spy(conversation: Any, options: dict[str, Any], **more: Any) -> Any:
        sent.append(options)
        return generate(conversation, options, **more)

    monkeypatch.setattr(page.session, "generate", spy)
    ask(qtbot, page, "one")
    page.panel.languages.target.setCurrentIndex(1)
    page.panel.languages.target.activated.emit(1)
    ask(qtbot, page, "two")
    assert [options.get("target_language") for options in sent] == [None, "de_DE"]
    assert "source_language" not in sent[1] and sent[1]["temperature"] == 0
