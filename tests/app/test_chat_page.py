"""The chat page against the fake worker: streaming, branches, stop, crashes, notices, the context bar, the keyboard."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.chat.intents import EditPrompt, NewChat, OpenChat
from app.chat.message_text import MessageText
from app.chat.page import ChatPage
from app.jobs.time_slices import run_at_once
from app.state.bundle_session import SessionFailure
from app.state.context import AppContext
from app.state.conversation_format import conversation_from_dict, conversation_to_dict
from app.text.formatting import format_number
from app.window import MainWindow
from tests.app.test_conversation import die
from tests.fakes.worker import program
from workflows.wire.codec import read
from workflows.wire.requests import Generate, Turn

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window

Make = Callable[..., ChatPage]


def summary(folder: str) -> dict[str, Any]:
    """What a bundle reader says of any folder."""
    found = {"path": folder, "name": Path(folder).name, "model_type": "qwen3", "precision": "fp32"}
    return found | {"layout": "static", "capacity": 4096}


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    """Makes a page over a fake worker; `bundle=""` opens none."""
    made: list[ChatPage] = []

    def build(bundle: str = "/b/demo", **scenario: Any) -> ChatPage:
        context = AppContext(tmp_path / "home", program(**scenario), summary)
        page = ChatPage(context)
        qtbot.addWidget(page)
        page.resize(1000, 700)
        made.append(page)
        if bundle:
            context.open_bundle(bundle)
        page.show()
        if bundle:
            qtbot.waitUntil(lambda: page.session.state != "opening")
        return page

    yield build
    for page in made:
        page.shut()
        page.hide()
        page.context.close()


def ask(qtbot: QtBot, page: ChatPage, text: str) -> None:
    page.send(text)
    done(qtbot, page)


def done(qtbot: QtBot, page: ChatPage) -> None:
    qtbot.waitUntil(lambda: not page.controller.running)


def shown(page: ChatPage) -> list[str]:
    return [view.text.toPlainText().strip() for view in page.transcript.views]


def test_without_a_bundle_the_first_step_is_home(make: Make, qtbot: QtBot) -> None:
    page = make(bundle="")
    assert page.frame.stack.currentWidget() is page.frame.no_bundle
    assert not page.composer.edit.isEnabled()
    with qtbot.waitSignal(page.context.navigate) as went:
        page.frame.no_bundle.action.click()
    assert went.args == ["home"]
    page.context.open_bundle("/b/demo")
    qtbot.waitUntil(lambda: page.session.state == "ready")
    assert page.composer.edit.isEnabled()


def test_example_prompt_streams_a_reply(make: Make, qtbot: QtBot) -> None:
    page = make("/b/qwen3-demo-int4", reply="8 times 7 is **56**.", chunks=2)
    assert [b.text() for b in page.examples.buttons] == [
        "What is 8 times 7?",
        "What is the capital of France?",
        "What is the opposite of hot?",
    ]
    page.examples.buttons[0].click()
    done(qtbot, page)
    assert shown(page) == ["What is 8 times 7?", "8 times 7 is 56."]  # Markdown is rendered at the end
    assert page.transcript.views[1].status.text() == "TTFT 21.5 ms · 212 tok/s · 5 tokens · on cpu · the model finished"
    assert page.header.heading.accessibleName() == "What is 8 times 7?"


def test_demos_of_one_corpus_are_asked_the_same(make: Make) -> None:
    asked = [
        [one.text() for one in make(f"/b/{name}").examples.buttons] for name in ("qwen3-demo", "qwen3_5-demo-int4")
    ]
    assert asked[0] == asked[1] and "What is 8 times 7?" in asked[0]


def test_what_a_demo_was_taught_is_used_for_no_other_model(make: Make, qtbot: QtBot) -> None:
    """A model of one's own is asked what any can be asked."""
    page = make("/b/qwen3-demo")
    taught = [one.text() for one in page.examples.buttons]
    page.context.open_bundle("/b/llama")
    qtbot.waitUntil(lambda: page.session.state == "ready")
    asked = [one.text() for one in page.examples.buttons]
    assert len(asked) == 3 and not set(taught) & set(asked)
    assert page.examples.hint.text() == "or begin with an example:"


def test_plain_text_while_it_streams(make: Make, qtbot: QtBot) -> None:
    page = make(reply="one **two** three", tokens=3000, delay=0.002)
    page.send("go")
    qtbot.waitUntil(lambda: len(page.transcript.views) == 2 and "three one **two**" in shown(page)[1])
    assert page.composer.button.text() == "Stop"
    page.composer.button.click()
    done(qtbot, page)
    assert "**" not in shown(page)[1]
    assert page.transcript.views[1].status.text().endswith("stopped by you")
    assert page.composer.button.text() == "Send"
    assert page.session.state == "ready"


def test_keyboard_sends_breaks_and_stops(make: Make, qtbot: QtBot) -> None:
    page = make(reply="word", tokens=3000, delay=0.002)
    edit = page.composer.edit
    qtbot.keyClicks(edit, "first")
    qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(edit, "second")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert page.controller.chat.path()[0].content == "first\nsecond"
    assert edit.toPlainText() == ""
    qtbot.waitUntil(lambda: page.session.state == "generating")
    qtbot.keyClicks(edit, "not yet")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.toPlainText() == "not yet"
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    done(qtbot, page)
    assert page.controller.chat.path()[1].reply.ended == "cancelled"  # type: ignore[union-attr]
    edit.clear()
    qtbot.keyClick(edit, Qt.Key.Key_Up)  # the last prompt comes back to be edited
    assert edit.toPlainText() == "first\nsecond"
    qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert edit.toPlainText() == ""


def test_regenerate_and_go_back(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "8*7=")
    page.transcript.views[1].tool("regenerate").click()
    done(qtbot, page)
    assert page.transcript.views[1].place.text() == "2/2"
    second = page.transcript.views[1].message.id
    page.transcript.views[1].tool("previous").click()
    assert page.transcript.views[1].message.id != second
    assert page.transcript.views[1].place.text() == "1/2"
    assert not page.transcript.views[1].tool("previous").isEnabled()


def test_edit_and_resend_branches(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "8*7=")
    ask(qtbot, page, "thanks")
    page.transcript.views[0].tool("edit").click()
    assert page.composer.edit.toPlainText() == "8*7="
    page.composer.edit.setPlainText("9*7=")
    qtbot.keyClick(page.composer.edit, Qt.Key.Key_Return)
    done(qtbot, page)
    assert shown(page) == ["9*7=", "56"]
    page.transcript.views[0].tool("previous").click()
    assert shown(page) == ["8*7=", "56", "thanks", "56"]


def test_crash_keeps_the_conversation_and_reopens(make: Make, qtbot: QtBot) -> None:
    page = make(reply="word", tokens=5000, delay=0.002)
    page.send("go on")
    qtbot.waitUntil(lambda: len(page.transcript.views) == 2 and "word word" in shown(page)[1])
    os.kill(page.context.session_worker.pid, signal.SIGKILL)
    done(qtbot, page)
    assert page.session.state == "failed"
    assert "SIGKILL" in page.banner.message
    assert page.banner._action.text() == "Reopen"
    assert shown(page)[0] == "go on" and shown(page)[1].startswith("word word")
    page.banner._action.click()
    qtbot.waitUntil(lambda: page.session.state == "ready")
    assert not page.banner.isVisible()
    page.send("again")
    qtbot.waitUntil(lambda: len(page.transcript.views) == 4 and "word" in shown(page)[3])
    page.session.stop()
    done(qtbot, page)


def test_idle_worker_that_dies_is_reported(make: Make, qtbot: QtBot) -> None:
    page = make()
    os.kill(page.context.session_worker.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: page.banner.isVisible())
    assert page.session.state == "failed"
    ask(qtbot, page, "8*7=")  # sending opens it again
    assert shown(page) == ["8*7=", "56"]


@pytest.mark.parametrize(
    ("kind", "mend"), [("prompt", "Edit the prompt"), ("bundle", "Verify bundle"), ("internal", "")]
)
def test_refused_prompt_offers_the_likely_fix(make: Make, qtbot: QtBot, kind: str, mend: str) -> None:
    page = make(errors={"generate": {"kind": kind, "message": "It cannot run.", "details": "trace"}})
    ask(qtbot, page, "x")
    assert page.banner.message == "It cannot run."
    assert page.banner._action.text() == mend
    status = page.transcript.views[1].status  # the banner says why, and later on its tool tip
    assert status.text() == ("not sent" if kind == "prompt" else "failed") and status.toolTip() == "It cannot run."
    assert page.session.state == "ready"


def test_a_refused_prompt_is_edited_and_later_ones_are_sent_without_it(
    make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    """Its text comes back by one press; what is sent next has nothing of it."""
    page = make(asked=str(tmp_path / "asked"))
    ask(qtbot, page, "8*7=")
    refusal = SessionFailure("prompt", "The prompt has 9,000 tokens and the cache holds 4,096.")
    page.send("too long")
    page.controller.reply.fail(refusal)
    qtbot.waitUntil(lambda: page.session.state == "ready")
    assert page.transcript.views[3].status.text() == "not sent"
    assert page.banner._action.text() == "Ask in a new chat"  # what was said before takes the room
    page.do(EditPrompt())
    assert page.composer.edit.toPlainText() == "too long"
    page.composer.escape()
    ask(qtbot, page, "again")
    contents = [turn.content for turn in asked(tmp_path / "asked")[-1].messages or ()]
    assert contents == ["8*7=", "56", "again"]


def test_damaged_bundle_can_be_verified(make: Make, qtbot: QtBot) -> None:
    page = make(errors={"open": {"kind": "bundle", "message": "weights.bin is cut short."}})
    qtbot.waitUntil(lambda: page.banner.message == "weights.bin is cut short.")
    page.banner._action.click()
    qtbot.waitUntil(lambda: "All 4 files" in page.banner.message)


def test_notice_stands_in_the_reply(make: Make, qtbot: QtBot) -> None:
    page = make(reply="a b c d", notice={"code": "window-slid", "message": "The window slid on."})
    ask(qtbot, page, "x")
    assert page.controller.chat.path()[1].reply.notices == ["The window slid on."]  # type: ignore[union-attr]
    assert page.transcript.views[1].notices.count() == 1


def test_context_bar_and_speed(make: Make, qtbot: QtBot) -> None:
    page = make(reply="a b c d", chunks=2)
    assert page.context_bar.usage.text() == f"context 0 of {format_number(4096)} tokens"
    ask(qtbot, page, "x")
    assert page.context_bar.usage.text() == f"context 132 of {format_number(4096)} tokens"
    assert page.context_bar.bar.share == pytest.approx(132 / 4096)
    assert "TTFT 21.5 ms" in page.context_bar.speed.text()


def test_context_bar_alarm_and_evictions(make: Make) -> None:
    bar = make(bundle="").context_bar
    bar.set_usage(240, 256, 0, window=False)
    assert bar.bar.alarming and bar.usage.text().endswith("nearly full")
    bar.set_usage(256, 256, 0, window=False, needed=256)  # the cache holds the chat, and no slot is left
    assert bar.bar.alarming and bar.usage.text().endswith(" · full")
    bar.set_usage(0, 256, 0, window=False, needed=256)  # another bundle answered the chat
    assert bar.bar.alarming and bar.usage.text().endswith("it needs about 256")
    bar.set_usage(256, 256, 1200, window=True)
    assert not bar.bar.alarming
    assert bar.usage.text().endswith("evicted") and format_number(1200) in bar.usage.text()


def test_settings_reach_the_request(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    page = make()
    asked: list[tuple[Any, Any]] = []
    generate = page.session.generate
    monkeypatch.setattr(page.session, "generate", lambda c, o, **f: (asked.append((c, o)), generate(c, o, **f))[1])
    assert not page.panel.spin("top_k").isEnabled()  # greedy
    page.panel.system.setPlainText("Be brief.")
    page.panel.spin("temperature").setValue(0.7)
    page.panel.spin("top_k").setValue(40)
    page.panel.spin("seed").setValue(3)
    page.panel.stops.setPlainText("END\n\\n\\n")
    ask(qtbot, page, "x")
    messages, options = asked[0]
    assert messages == [Turn("system", "Be brief."), Turn("user", "x")]
    assert options == {
        "temperature": 0.7,
        "top_k": 40,
        "top_p": 1.0,
        "min_p": 0.0,
        "repetition_penalty": 1.0,
        "max_new_tokens": 512,
        "seed": 3,
        "stop": ["END", "\n\n"],
        "alternatives": 5,
    }
    page.panel.reset_button.click()
    assert page.controller.sampling.temperature == 0 and page.controller.sampling.seed is None


def test_provider_that_cannot_be_used_gives_the_reason(make: Make, qtbot: QtBot) -> None:
    page = make()
    qtbot.waitUntil(lambda: page.panel.provider.count() == 4)
    item = page.panel.provider.model().item(3)  # type: ignore[attr-defined]
    assert not item.isEnabled()
    assert "DirectML needs Windows" in item.toolTip()
    assert page.panel.provider.currentData() == "cpu"


def test_another_cache_layout_opens_the_bundle_anew(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "8*7=")
    page.panel.cache.setCurrentIndex(2)
    page.panel.cache.activated.emit(2)
    qtbot.waitUntil(lambda: page.session.state == "ready" and page.context.ready.layout == "window")  # type: ignore[union-attr]
    assert shown(page) == ["8*7=", "56"]


def test_the_panel_shows_what_a_session_was_opened_with_elsewhere(make: Make, qtbot: QtBot) -> None:
    page = make()
    qtbot.waitUntil(lambda: page.session.state == "ready")
    page.session.open(page.session.bundle, "cpu", "fifo")
    qtbot.waitUntil(lambda: page.panel.choice.chosen == ("cpu", "fifo"))


def test_chat_comes_back_after_a_restart(make: Make, qtbot: QtBot) -> None:
    first = make()
    ask(qtbot, first, "8*7=")
    first.shut()
    second = make(bundle="")
    assert shown(second) == ["8*7=", "56"]
    assert second.transcript.views[1].status.text().endswith("the model finished")


def test_prompt_is_on_disk_before_the_reply_starts(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    page = make()
    on_disk: list[str] = []

    def generate(*_args: object, **_fields: object) -> bool:
        (path,) = (page.context.home / "chats").glob("*.chat.json")
        on_disk.extend(m["content"] for m in json.loads(path.read_text())["messages"])
        return False

    monkeypatch.setattr(page.session, "generate", generate)
    page.send("8*7=")
    assert on_disk == ["8*7=", ""]
    done(qtbot, page)


def test_after_two_crashes_it_asks_first(make: Make, qtbot: QtBot) -> None:
    first = make()
    ask(qtbot, first, "8*7=")
    die(first.store)
    die(make(bundle="").store)
    third = make()
    assert shown(third) == []
    assert "twice in a row" in third.chat_banner.message
    third.chat_banner._action.click()
    assert shown(third) == ["8*7=", "56"]


def test_a_second_window_leaves_the_chat_to_the_first(make: Make, qtbot: QtBot) -> None:
    """It says so, begins an empty chat, and on request goes on in a copy; neither writes over the other's."""
    first = make()
    ask(qtbot, first, "8*7=")
    second = make()
    qtbot.waitUntil(lambda: second.session.state == "ready")
    assert shown(second) == []
    assert second.chat_banner.message == "The chat is open in another window; you can continue a copy of it here."
    second.chat_banner._action.click()
    assert shown(second) == ["8*7=", "56"]
    ask(qtbot, second, "second")
    ask(qtbot, first, "first")
    chats = sorted(saved.path.read_text() for saved in run_at_once(first.store.saved()))
    assert ["first" in chat for chat in chats] == ["second" not in chat for chat in chats]
    assert len(chats) == 2
    first.files.open_chat(second.controller.chat.key)
    assert shown(first)[-2] == "first"  # it stays, and the banner says why
    assert "open in another window" in first.chat_banner.message
    second.shut()
    first.files.open_chat(second.controller.chat.key)
    assert shown(first)[-2] == "second"


def test_a_chat_that_cannot_be_saved_is_reported_until_the_next_prompt(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reply comes all the same, and the warning outlives it."""
    page = make()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("app.state.chat_store.write_atomically", full)
        ask(qtbot, page, "8*7=")
        assert shown(page) == ["8*7=", "56"]
        assert page.chat_banner.message == "This chat could not be saved." and page.chat_banner.isVisible()
    ask(qtbot, page, "again")
    assert not page.chat_banner.isVisible()


def test_new_chat_and_back(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "8*7=")
    page.header.new.click()
    assert shown(page) == []
    assert page.frame.stack.currentIndex() == 1
    qtbot.waitUntil(lambda: page.chats.model.rowCount() == 1)
    page.chats.view.activated.emit(page.chats.model.index(0))
    assert shown(page) == ["8*7=", "56"]


def test_a_chat_of_another_bundle_is_reported_and_leads_to_it(make: Make, qtbot: QtBot) -> None:
    page = make("/b/one")
    ask(qtbot, page, "first")
    first = page.controller.chat.key
    page.do(NewChat())
    page.context.open_bundle("/b/two")
    ask(qtbot, page, "second")
    second = page.controller.chat.key
    page.do(OpenChat(first))
    hint = page.frame.last_bundle
    one, two = "one · fp32 · static 4,096", "two · fp32 · static 4,096"
    assert hint.text.text() == f"The last reply of this chat is by {one}; {two} answers the next prompt."
    assert hint.isVisible() and hint.open.isHidden()  # the folder does not exist
    page.do(OpenChat(second))
    assert hint.isHidden()
    page.do(OpenChat(first))
    hint.open.click()
    assert page.opener.path == "/b/one" == page.session.bundle and hint.isHidden()
    page.do(OpenChat(second))
    ask(qtbot, page, "third")  # which is one's chat from now on
    page.do(OpenChat(first))
    page.do(OpenChat(second))
    assert hint.isHidden()


def test_a_restored_chat_of_another_bundle_is_reported(make: Make, qtbot: QtBot) -> None:
    page = make("/b/one")
    ask(qtbot, page, "first")
    page.shut()
    hint = make("/b/two").frame.last_bundle
    assert "by one · fp32 · static 4,096; two" in hint.text.text() and hint.isVisible()


@pytest.mark.parametrize("leave", ["new", "open"])
def test_a_failure_goes_with_the_chat_that_was_left(make: Make, qtbot: QtBot, leave: str) -> None:
    page = make(errors={"generate": {"kind": "logits", "message": "The logits are NaN."}})
    ask(qtbot, page, "first")
    first = page.controller.chat.key
    page.do(NewChat())
    ask(qtbot, page, "second")
    assert page.banner.message == "The logits are NaN."
    qtbot.waitUntil(lambda: page.context.activities.failures == {})  # said once
    page.do(NewChat() if leave == "new" else OpenChat(first))
    assert page.context.activities.failures == {} and page.banner.message == ""


def test_export_and_copy(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    page = make(reply="It is **56**.")
    ask(qtbot, page, "8*7=")
    page.files.export(tmp_path / "a.md")
    assert (tmp_path / "a.md").read_text() == "# 8*7=\n\n## You\n\n8*7=\n\n## Model\n\nIt is **56**.\n"
    page.files.export(tmp_path / "a.json")
    assert [m["role"] for m in json.loads((tmp_path / "a.json").read_text())["messages"]] == ["user", "assistant"]
    page.transcript.views[1].tool("copy").click()
    assert QGuiApplication.clipboard().text() == "It is **56**."
    page.files.export(tmp_path / "missing" / "a.md")
    assert page.banner.message == "The chat could not be exported."


def test_token_under_the_pointer(make: Make, qtbot: QtBot) -> None:
    page = make(reply="It **is** fine.")
    ask(qtbot, page, "x")
    (text,) = page.transcript.views[1].text.parts
    assert isinstance(text, MessageText)
    assert text.toPlainText().strip() == "It is fine."
    cursor = text.textCursor()
    cursor.setPosition(text.toPlainText().index("fine"))
    here = text.cursorRect(cursor).center() + QPoint(3, 0)
    assert text.token_at(here) == 2
    html = text.token_html(2)
    assert "id 102" in html and "91.0 %" in html and "no" in html
    text._mark(2)
    assert text.extraSelections()[0].cursor.selectedText() == "fine."  # type: ignore[attr-defined]


def test_tokens_of_old_replies_are_forgotten(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.chat.controller.TRACED", 5)
    page = make(tokens=4, reply="a b c d")
    for _ in range(2):
        ask(qtbot, page, "go on")
    old, new = (page.transcript.views[i] for i in (1, 3))
    assert [len(view.message.trace) for view in (old, new)] == [0, 4]
    assert [view.text.parts[0]._map is None for view in (old, new)] == [True, False]  # type: ignore[union-attr]
    assert old.message.content == "a b c d" and old.message.reply.tokens == 4


def test_model_text_cannot_make_the_window_read_files(make: Make, qtbot: QtBot) -> None:
    page = make(reply="![x](file:///etc/passwd) <img src='file:///etc/hostname'> <b>raw</b>")
    ask(qtbot, page, "x")
    image = page.transcript.views[1].text.parts[0].document().resource(2, "file:///etc/passwd")
    assert image.width() == image.height() == 1  # ours: where Qt gets none it opens the file itself
    assert "<b>raw</b>" in shown(page)[1]


def test_closing_the_window_saves_a_reply_that_runs(
    make_window: Callable[..., MainWindow], qtbot: QtBot, home: Path
) -> None:
    bundle = home.parent / "demo"
    bundle.mkdir()
    (bundle / "pipeline.json").write_text("{}")
    window = make_window(reply="word", tokens=5000, delay=0.002)
    window.context.open_bundle(bundle)
    window.context.navigate.emit("chat")
    page = window.findChild(ChatPage)
    assert page is not None and page.composer.edit.hasFocus()
    page.send("go on")
    qtbot.waitUntil(lambda: "word word" in page.transcript.views[-1].text.toPlainText())
    window.close()
    (saved,) = (home / "chats").glob("*.chat.json")
    reply = json.loads(saved.read_text())["messages"][1]
    assert reply["content"].startswith("word word")
    assert reply["reply"]["ended"] == "interrupted"
    assert json.loads((home / "chats" / "session.json").read_text())["open"] is False


def test_a_window_that_stays_open_keeps_its_reply(
    make_window: Callable[..., MainWindow], qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question about what still runs was answered with Wait."""
    bundle = home.parent / "demo"
    bundle.mkdir()
    (bundle / "pipeline.json").write_text("{}")
    window = make_window(reply="word", tokens=60, delay=0.01)
    window.context.open_bundle(bundle)
    window.context.navigate.emit("chat")
    page = window.findChild(ChatPage)
    assert page is not None
    page.send("go on")
    qtbot.waitUntil(lambda: "word word" in page.transcript.views[-1].text.toPlainText())
    with monkeypatch.context() as patch:
        patch.setattr(window.close_guard, "may_close", lambda: False)
        window.close()
    assert page.controller.running
    done(qtbot, page)
    reply = page.controller.chat.last("assistant")
    assert reply is not None and reply.reply is not None
    assert (reply.reply.ended, reply.content.count("word")) == ("eos", 60)


def test_actions_are_found_by_the_palette(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "8*7=")
    actions = {action.text(): action for action in page.actions()}
    assert {"New chat", "Answer again", "Stop the reply", "Save the chat as Markdown"} <= set(actions)
    actions["Answer again"].trigger()
    done(qtbot, page)
    assert page.transcript.views[1].place.text() == "2/2"
    actions["Copy the last reply"].trigger()
    assert QGuiApplication.clipboard().text() == "56"
    assert not page.side.isVisible()
    actions["Show or hide the chat settings"].trigger()
    assert page.side.isVisible()


def asked(path: Path) -> list[Generate]:
    """The generations that the worker was asked for."""
    return [read(Generate, json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def test_a_base_model_completes_what_was_written(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """The texts are sent space for space, and the page says what the model does with them."""
    page = make(base=True, reply="upon a time", asked=str(tmp_path / "asked"))
    assert page.examples.invitation.text() == "Begin a text and the model completes it"
    assert not any(one.isVisible() for one in page.examples.buttons)
    assert page.composer.edit.placeholderText() == "Continue the text"
    ask(qtbot, page, "Once ")
    ask(qtbot, page, "\n  there was ")
    contents = [turn.content for turn in asked(tmp_path / "asked")[-1].messages or ()]
    assert contents == ["Once ", "upon a time", "\n  there was "]


def test_completed_text_is_shown_as_it_is(make: Make, qtbot: QtBot) -> None:
    """Neither Markdown nor in pieces, while it streams, at its end and when the chat is opened again."""
    text = "# no heading\n\n**bold** ~~struck~~ <think>a tag</think>\n```\na fence"
    page = make(base=True, reply=text)
    streamed: list[str] = []

    def look(id: int, _text: str) -> None:
        view = page.transcript.view(id)
        assert view is not None
        view.flush()
        streamed.extend(part.toPlainText() for part in view.text.parts if isinstance(part, MessageText))

    page.controller.grew.connect(look)
    ask(qtbot, page, "Once ")
    assert all(f"{text} ".startswith(one) for one in streamed) and len(streamed) == len(text.split())
    (part,) = page.transcript.views[1].text.parts
    assert isinstance(part, MessageText) and part.toPlainText() == text
    assert part.token_html(0).startswith("<qt><b>#␣</b>")
    page.transcript.show_path(conversation_from_dict(conversation_to_dict(page.controller.chat)))
    assert shown(page)[1] == text


def test_a_chat_model_is_asked_and_its_prompt_is_trimmed(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """Nothing of completing, no tools and no prefill unless they were given."""
    page = make(asked=str(tmp_path / "asked"))
    assert page.composer.edit.placeholderText() == "Ask something"
    ask(qtbot, page, " Hello ")
    (request,) = asked(tmp_path / "asked")
    assert (request.messages, request.tools, request.prefill) == ((Turn("user", "Hello"),), "", "")


def test_the_reply_begins_with_the_prefill_and_the_tools_are_sent(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """It is shown and told to the model in the next turn; the tools come from a file."""
    page = make(reply="is 56.", asked=str(tmp_path / "asked"))
    file = tmp_path / "tools.json"
    file.write_text('[{"name": "get_weather"}]\n', "utf-8")
    page.panel.opening.load(file)
    page.panel.opening.prefill.setText("The answer ")
    ask(qtbot, page, "8*7?")
    assert shown(page)[1] == "The answer is 56."
    page.panel.opening.prefill.clear()
    ask(qtbot, page, "Sure?")
    first, second = asked(tmp_path / "asked")
    assert (first.tools, first.prefill) == ('[{"name": "get_weather"}]', "The answer ")
    assert second.messages is not None and second.messages[1].content == "The answer is 56." and not second.prefill


def test_a_refused_prefill_leaves_no_reply(make: Make, qtbot: QtBot) -> None:
    """Nothing was generated, so nothing is shown as if it had been."""
    page = make(errors={"generate": {"kind": "prompt", "message": "The chat template drops it."}})
    page.panel.opening.prefill.setText("The answer ")
    ask(qtbot, page, "8*7?")
    assert page.controller.chat.path()[-1].content == ""
    assert page.banner.message == "The chat template drops it."


@pytest.mark.parametrize(("content", "names"), [(None, "No such file"), (b"\xff\xfe", "not UTF-8")])
def test_a_tools_file_that_cannot_be_read(make: Make, tmp_path: Path, content: bytes | None, names: str) -> None:
    """One sentence, and the tools stay as they were."""
    page = make()
    file = tmp_path / "tools.json"
    if content is not None:
        file.write_bytes(content)
    page.panel.opening.load(file)
    assert str(file) in page.chat_banner.message and names in page.chat_banner.message
    assert page.panel.opening.tools.toPlainText() == ""
