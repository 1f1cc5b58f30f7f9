"""Which figures stand under a chat: those of its own last reply."""

from __future__ import annotations

from typing import Any

from app.chat.context_usage import ContextUsage, ContextUsageBar
from app.chat.controller import ChatController
from app.state.chat_store import ChatStore
from tests.app.conftest import make_bundle


def answered(qtbot: Any, context: Any, home: Any) -> tuple[ChatController, ContextUsageBar, ContextUsage]:
    """A chat with one reply, and the bar of its figures."""
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
    return controller, bar, usage


def test_a_new_chat_begins_without_figures(qtbot: Any, make_context: Any, home: Any) -> None:
    context = make_context(reply="It is 56.")
    controller, bar, usage = answered(qtbot, context, home)
    assert "TTFT 21.5 ms" in bar.speed.text()
    controller.new_chat()
    assert (bar.speed.text(), context.measurements.reply.ttft_ms) == ("", None)
    usage._tick()
    assert bar.speed.text() == "" and not context.measurements.empty
    usage.stop()
    controller.shut()


def test_state_of_fixed_size_beside_the_slots(qtbot: Any) -> None:
    """Its bytes stand after the tokens; without slots there is no bar, for nothing gets full."""
    bar = ContextUsageBar()
    qtbot.addWidget(bar)
    bar.set_usage(37, 4096, 0, window=False)
    bar.set_state(5632)
    assert (bar.usage.text(), bar.state.text()) == ("context 37 of 4,096 tokens", "state of 5.5 KiB")
    assert not bar.bar.isHidden() and not bar.state.isHidden()
    bar.set_usage(5000, 0, 0, window=False)
    assert bar.usage.text() == "context 5,000 tokens" and bar.bar.isHidden()
    bar.set_closed(chosen=True)
    assert not bar.bar.isHidden() and bar.state.isHidden()


def test_a_cache_of_state_alone(qtbot: Any, make_context: Any, home: Any) -> None:
    """The tokens are those that the state summarizes: no slots are counted, and none evicted."""
    context = make_context(reply="It is 56.", fixed="alone")
    controller, bar, usage = answered(qtbot, context, home)
    length = context.session.groups_for(str(home / "bundles" / "a"))[0].length
    assert length > 0 and bar.usage.text() == f"context {length} tokens"
    assert bar.state.text() == "state of 5.5 KiB" and bar.bar.isHidden()
    usage.stop()
    controller.shut()
