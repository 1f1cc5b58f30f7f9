"""Providers in a live chat: placed, switched, and those that lie, crash, hang or give NaN are survived."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.state.bundle_session import placement_text, runs_on_cpu
from app.state.context import AppContext
from app.state.conversation import Conversation
from app.state.conversation_format import conversation_from_dict, conversation_to_dict
from app.widgets.placement_editor import PlacementEditor
from tests.app.test_chat_page import ask, done, shown
from tests.fakes.worker import CPU, DML, QNN, program
from workflows.wire.requests import Open

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window

Make = Callable[..., ChatPage]


def summary(folder: str) -> dict[str, Any]:
    """What a bundle reader says of any folder."""
    return {
        "path": folder,
        "name": Path(folder).name,
        "precision": "fp32",
        "layout": "static",
        "capacity": 4096,
        "components": ["prefill", "decode"],
    }


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    """Pages over a fake worker with a bundle that is open on the CPU, and the devices known."""
    made: list[ChatPage] = []

    def build(**scenario: Any) -> ChatPage:
        context = AppContext(tmp_path / "home", program(**scenario), summary)
        page = ChatPage(context)
        qtbot.addWidget(page)
        page.resize(1000, 700)
        made.append(page)
        context.open_bundle("/b/demo")
        page.show()
        qtbot.waitUntil(lambda: page.session.state == "ready" and page.panel.provider.count() == 4)
        return page

    yield build
    for page in made:
        page.shut()
        page.hide()
        page.context.close()


def switch(page: ChatPage, provider: str) -> None:
    """As a person chooses it."""
    combo = page.panel.provider
    combo.setCurrentIndex(combo.findData(provider))
    combo.activated.emit(combo.currentIndex())


def opened(qtbot: QtBot, page: ChatPage, where: str) -> None:
    qtbot.waitUntil(
        lambda: page.context.ready is not None and page.context.ready.provider == where,
    )


def status(page: ChatPage, place: int) -> str:
    return page.transcript.views[place].status.text()


# -- switching -------------------------------------------------------------------------------------------------


def test_the_conversation_goes_on_and_each_reply_keeps_its_provider(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "8*7=")
    switch(page, "qnn")
    opened(qtbot, page, "qnn")
    assert page.banner.message == (
        "The conversation continues on qnn instead of cpu; the next prompt recomputes the cache."
    )
    assert shown(page) == ["8*7=", "56"]
    assert page.context_bar.speed.text() == ""  # it was the CPU's
    ask(qtbot, page, "again")
    assert "TTFT" in page.context_bar.speed.text()
    assert not page.banner.isVisible()
    switch(page, "cpu")
    opened(qtbot, page, "cpu")
    ask(qtbot, page, "and again")
    assert shown(page) == ["8*7=", "56", "again", "56", "and again", "56"]
    for place, provider in ((1, "cpu"), (3, "qnn"), (5, "cpu")):
        assert f" · on {provider} · " in status(page, place)
    kept = conversation_from_dict(conversation_to_dict(page.controller.chat))
    assert [m.reply.provider for m in kept.path() if m.reply] == ["cpu", "qnn", "cpu"]


def test_the_way_back_is_one_press(make: Make, qtbot: QtBot) -> None:
    page = make()
    ask(qtbot, page, "8*7=")
    switch(page, "qnn")
    opened(qtbot, page, "qnn")
    assert page.banner._action.text() == "Back to cpu"
    page.banner._action.click()
    opened(qtbot, page, "cpu")
    assert page.panel.provider.currentData() == "cpu"


def test_an_empty_chat_has_nothing_to_be_told(make: Make, qtbot: QtBot) -> None:
    page = make()
    switch(page, "qnn")
    opened(qtbot, page, "qnn")
    assert not page.banner.isVisible()


def test_chats_of_before_providers_were_kept_are_read() -> None:
    chat = Conversation()
    chat.begin_reply(chat.ask("x").id)
    old = conversation_to_dict(chat)
    del old["messages"][1]["reply"]["provider"]
    assert [m.reply.provider for m in conversation_from_dict(old).path() if m.reply] == [""]


def test_a_wheel_over_the_boxes_chooses_nothing(make: Make, qtbot: QtBot) -> None:
    page = make()
    asked, none = page.session.request, (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier)
    for field in (page.panel.provider, page.panel.cache, page.panel.spin("temperature")):
        field.setFocus()
        at = QPointF(field.rect().center())
        for turn in (-120, 120):
            turned = QPoint(0, turn)
            wheel = QWheelEvent(at, field.mapToGlobal(at), QPoint(), turned, *none, Qt.ScrollPhase.NoScrollPhase, False)
            QApplication.sendEvent(field, wheel)
            assert not wheel.isAccepted()  # it goes on to the area around
    assert page.session.request is asked and page.panel.choice.chosen == ("cpu", None)
    assert page.panel.sampling().temperature == 0


# -- placing ---------------------------------------------------------------------------------------------------


def test_a_component_is_placed_elsewhere(make: Make, qtbot: QtBot) -> None:
    page = make()
    part = page.panel.placement
    assert list(part.boxes) == ["prefill", "decode"] and part.chosen == {}
    part.more.click()
    box = part.boxes["decode"]
    assert not box.model().item(4).isEnabled()  # type: ignore[attr-defined]
    box.setCurrentIndex(box.findData("qnn"))
    box.activated.emit(box.currentIndex())
    opened(qtbot, page, "cpu, decode=qnn")
    assert page.session.request == Open("/b/demo", "cpu", None, None, place={"decode": "qnn"})
    assert placement_text(page.session.request) == "cpu, decode=qnn" and not runs_on_cpu(page.session.request)
    ask(qtbot, page, "8*7=")
    assert " · on cpu, decode=qnn · " in status(page, 1)
    page.session.reopen(provider="cpu")
    opened(qtbot, page, "cpu")
    assert part.chosen == {}


def test_one_component_has_no_other_to_differ_from(qtbot: QtBot) -> None:
    part = PlacementEditor()
    qtbot.addWidget(part)
    part.set_components(["model"])
    assert part.boxes == {} and not part.isVisibleTo(part.parentWidget())
    part.set_components(["a", "b"])
    part.set_devices([CPU, QNN, DML])
    part.show_placement({"b": "qnn"})
    assert part.chosen == {"b": "qnn"}
    part.set_devices([CPU, QNN])  # asked for again: what was chosen stays
    assert part.chosen == {"b": "qnn"}
    part.set_components(["b", "c"])
    assert part.chosen == {}


# -- providers that fail ---------------------------------------------------------------------------------------


def told(qtbot: QtBot, page: ChatPage, words: str) -> None:
    """The banner says so, offers the CPU, and the conversation goes on there."""
    qtbot.waitUntil(lambda: words in page.banner.message)
    assert page.banner._action.text() == "Use the CPU"
    page.banner._action.click()
    opened(qtbot, page, "cpu")
    ask(qtbot, page, "after it")
    assert shown(page)[-2:] == ["after it", "56"] and " · on cpu · " in status(page, -1)


@pytest.mark.parametrize(("wrong", "words"), [("lies", "takes no node of prefill, decode"), ("crash", "SIGKILL")])
def test_one_that_takes_nothing_or_crashes_in_load(make: Make, qtbot: QtBot, wrong: str, words: str) -> None:
    page = make(providers={"qnn": wrong})
    ask(qtbot, page, "8*7=")
    switch(page, "qnn")
    told(qtbot, page, words)
    assert shown(page)[:2] == ["8*7=", "56"]


def test_one_that_hangs_in_load_can_be_ended(make: Make, qtbot: QtBot) -> None:
    page = make(providers={"qnn": "hang"}, stubborn=True)
    ask(qtbot, page, "8*7=")
    switch(page, "qnn")
    qtbot.waitUntil(lambda: page.banner.message.startswith("Opening demo on qnn …"))
    assert page.banner._action.text() == "Stop opening"
    page.banner._action.click()
    told(qtbot, page, "Stopped: the worker was ended.")


def test_a_prompt_may_wait_for_one_that_hangs(make: Make, qtbot: QtBot) -> None:
    page = make(providers={"qnn": "hang"})
    switch(page, "qnn")
    page.send("8*7=")
    qtbot.waitUntil(lambda: page.banner.message.startswith("Opening demo on qnn …"))
    page.banner._action.click()
    done(qtbot, page)
    assert page.session.state == "failed" and page.banner._action.text() == "Use the CPU"
    assert "stopped by you" in status(page, 1)


def test_one_that_hangs_in_a_step_is_killed_in_time(make: Make, qtbot: QtBot) -> None:
    page = make(providers={"qnn": "hang-step"}, stubborn=True)
    switch(page, "qnn")
    opened(qtbot, page, "qnn")
    page.send("8*7=")
    qtbot.waitUntil(lambda: page.session.state == "generating")
    qtbot.wait(300)
    page.composer.button.click()
    told(qtbot, page, "Stopped: the worker did not answer and was ended.")
    assert "stopped by you" in status(page, 1)


def test_nan_is_reported_with_the_way_out(make: Make, qtbot: QtBot) -> None:
    page = make(providers={"qnn": "nan"})
    switch(page, "qnn")
    opened(qtbot, page, "qnn")
    page.send("8*7=")
    told(qtbot, page, "logits that are NaN")
    assert status(page, 1) == "failed"


def test_on_the_cpu_a_crash_offers_to_reopen(make: Make, qtbot: QtBot) -> None:
    page = make(providers={"cpu": "nan"})
    page.send("8*7=")
    qtbot.waitUntil(lambda: "NaN" in page.banner.message)
    assert page.banner._action.text() == ""  # another provider is not the way out
