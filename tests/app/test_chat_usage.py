"""Which figures stand under a chat: those of its own last reply."""

from __future__ import annotations

from typing import Any

from app.chat.context_usage import ContextUsage, ContextUsageBar
from app.chat.controller import ChatController
from app.state.chat_store import ChatStore
from tests.app.conftest import make_bundle


def test_a_new_chat_begins_without_figures(qtbot: Any, make_context: Any, home: Any) -> None:
    context = make_context(reply="It is 56.")
    controller = ChatController(
        context.session, ChatStore(home / "chats"), lambda: True, lambda: context.ready, context.title_of
    )
    bar = ContextUsageBar()
    qtbot.addWidget(bar)
    usage = ContextUsage(context, controller, bar, bar)
    bundle = make_bundle(home / "bundles" / "a")
    context.open_bundle(bundle)
    context.session.open(bundle)
    controller.send("What is 8 times 7?")
    qtbot.waitUntil(lambda: not controller.running)
    assert "TTFT 21.5 ms" in bar.speed.text()
    controller.new_chat()
    assert (bar.speed.text(), context.measurements.reply.ttft_ms) == ("", None)
    usage._tick()
    assert bar.speed.text() == "" and not context.measurements.empty
    usage.stop()
    controller.shut()
