"""A long conversation: its end has widgets at once, what is before when it is about to be looked at."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtTest import QTest

from app.chat.transcript import EARLIER_AT_ONCE, SHOWN_AT_ONCE, Transcript
from app.state.conversation import Conversation


def talk(count: int) -> Conversation:
    """So many prompts with their replies."""
    chat = Conversation()
    for number in range(count):
        chat.begin_reply(chat.ask(f"Question {number}?").id).content = f"Answer {number}. " * 20
    return chat


def shown(transcript: Transcript) -> list[int]:
    return [view.message.id for view in transcript.views]


def laid_out(transcript: Transcript) -> bool:
    """Whether all that was wanted is there, and each message has its place, right below the one before."""
    QTest.qWait(1)
    views = transcript.views
    placed = all(above.geometry().bottom() < below.y() for above, below in pairwise(views))
    return not transcript._slices.busy and views[0].x() > 0 and placed


def opened(qtbot, chat: Conversation) -> Transcript:  # type: ignore[no-untyped-def]
    transcript = Transcript()
    qtbot.addWidget(transcript)
    transcript.resize(700, 500)
    transcript.show()
    transcript.show_path(chat)
    return transcript


def test_the_end_of_a_long_chat_is_there_at_once(qtbot) -> None:  # type: ignore[no-untyped-def]
    chat = talk(200)
    transcript = opened(qtbot, chat)
    ids = [message.id for message in chat.path()]
    assert SHOWN_AT_ONCE <= len(transcript.views) < SHOWN_AT_ONCE + EARLIER_AT_ONCE and shown(transcript)[-1] == ids[-1]
    qtbot.waitUntil(lambda: not transcript._slices.busy)
    assert shown(transcript) == ids[-SHOWN_AT_ONCE - EARLIER_AT_ONCE :]  # no more before somebody looks there
    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_what_is_looked_at_stays_in_place_while_earlier_messages_come(qtbot) -> None:  # type: ignore[no-untyped-def]
    transcript = opened(qtbot, talk(60))
    qtbot.waitUntil(lambda: laid_out(transcript))
    bar = transcript.verticalScrollBar()
    first = transcript.views[0]  # before scrolling there brings the first of the earlier ones
    before = first.y()
    bar.setValue(0)
    qtbot.waitUntil(lambda: first is not transcript.views[0] and laid_out(transcript))
    qtbot.waitUntil(lambda: bar.value() > 0 and first.y() - bar.value() == before)


def test_a_new_message_keeps_the_others_widgets(qtbot) -> None:  # type: ignore[no-untyped-def]
    chat = talk(100)
    transcript = opened(qtbot, chat)
    qtbot.waitUntil(lambda: laid_out(transcript))
    views = list(transcript.views)
    prompt = chat.ask("And then?")
    transcript.show_path(chat)
    assert transcript.views[:-1] == views and transcript.views[-1].message is prompt


def test_another_branch_of_an_early_prompt_is_shown_from_its_end(qtbot) -> None:  # type: ignore[no-untyped-def]
    chat = talk(100)
    transcript = opened(qtbot, chat)
    first = chat.path()[0]
    chat.edit(first.id, "Something else?")
    transcript.show_path(chat)
    assert [view.message.content for view in transcript.views] == ["Something else?"]
    chat.select(first.id, 0)
    transcript.show_path(chat)
    assert shown(transcript)[-SHOWN_AT_ONCE:] == [message.id for message in chat.path()[-SHOWN_AT_ONCE:]]
