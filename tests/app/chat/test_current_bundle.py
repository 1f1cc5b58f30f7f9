"""Every figure and behaviour that comes from the session is that of the bundle that is current, or is none.

Two bundles that differ in all of it, and every place of the window that shows or uses a fact of the session.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.window import MainWindow
from tests.app.conftest import make_bundle

Make = Callable[..., MainWindow]
Facts = dict[str, object]
SCENARIO: dict[str, Any] = {
    "capacities": {"chatty": 4096, "base": 64},
    "bases": ["base"],
    "languages": {"chatty": ["de_DE", "en_XX"]},
    "reply": "It is 56.",
}
NONE: Facts = {
    "context line": "context: the bundle is not loaded",
    "status": "Ready",
    "provider": "not loaded",
    "slots": "static 4,096",
    "completes": False,
    "note": False,
    "placeholder": "Ask something",
    "languages": False,
    "drafts": "",
}
OPEN: dict[str, Facts] = {
    "chatty": NONE
    | {"context line": "context 0 of 4,096 tokens", "status": "Bundle is open", "provider": "cpu", "languages": True},
    "base": NONE
    | {
        "context line": "context 0 of 64 tokens",
        "status": "Bundle is open",
        "provider": "cpu",
        "slots": "static 64",
        "completes": True,
        "note": True,
        "placeholder": "Continue the text",
    },
}


class Window:
    """A window with two bundles; `facts` is all that it says of what is open."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self.window, self.context = window, window.context
        self.paths = {name: make_bundle(folder / name) for name in ("chatty", "base")}
        page = window.stack.page("chat")
        assert isinstance(page, ChatPage)
        self.page = page

    def show(self, name: str) -> None:
        self.window.show_page(name)

    def choose(self, name: str) -> None:
        assert self.context.open_bundle(self.paths[name])

    @property
    def current(self) -> str:
        return str((self.context.bundle or {})["name"])

    def facts(self) -> Facts:
        page, status = self.page, self.window.status
        status.refresh()
        return {
            "context line": page.context_bar.usage.text(),
            "status": status.text.text(),
            "provider": self.window.bar._parts["provider"].text(),
            "slots": self.window.bar._parts["layout"].text(),
            "completes": page.controller.completes,
            "note": not page.composer._completes.isHidden(),
            "placeholder": page.composer.edit.placeholderText(),
            "languages": not page.panel.languages.isHidden(),
            "drafts": page.choices.decoding.draft.current,
        }


@pytest.fixture
def made(make_window: Make, tmp_path: Path) -> Callable[..., Window]:
    return lambda **more: Window(make_window(**SCENARIO, **more), tmp_path)


def test_from_one_bundle_to_another_and_back(made: Callable[..., Window], qtbot: QtBot) -> None:
    """Chosen on another page nothing is said of it before the chat page loads it, and it loads by being shown."""
    w = made()
    for name in ("chatty", "base", "chatty"):
        w.show("home")
        w.choose(name)
        assert w.facts() == NONE, name
        assert "not loaded" in w.page.context_bar.usage.text()
        w.show("chat")
        assert w.context.session.bundle == str(w.paths[name])
        qtbot.waitUntil(lambda: w.context.ready is not None)
        assert w.facts() == OPEN[name], name


def test_while_the_chat_is_looked_at(made: Callable[..., Window], qtbot: QtBot) -> None:
    w = made(opening=0.2)
    w.show("chat")
    for name in ("chatty", "base", "chatty"):
        w.choose(name)
        assert w.page.opener.state == "opening"
        said = w.facts()
        assert said | {"status": ""} == NONE | {"status": ""}, name
        qtbot.waitUntil(lambda: w.context.ready is not None)
        assert w.facts() == OPEN[name], name


def test_a_bundle_of_another_page_is_none_of_the_chat(made: Callable[..., Window], qtbot: QtBot) -> None:
    """The KV tab can open one; the chat page takes the session back when it is shown."""
    w = made()
    w.choose("chatty")
    w.context.session.open(w.paths["base"])
    qtbot.waitUntil(lambda: w.context.session.state == "ready")
    assert w.facts() == NONE
    w.show("chat")
    qtbot.waitUntil(lambda: w.context.ready is not None)
    assert w.facts() == OPEN["chatty"]


def test_a_bundle_built_anew_in_its_folder_is_opened_anew(made: Callable[..., Window], qtbot: QtBot) -> None:
    w = made(opening=0.2)
    w.show("chat")
    w.choose("chatty")
    qtbot.waitUntil(lambda: w.context.ready is not None)
    before = w.context._read
    w.context._read = lambda folder: {**before(folder), "built_at": "2026-03-03T00:00:00+00:00"}
    w.choose("chatty")
    assert (w.context.ready, w.page.opener.state) == (None, "opening")
    qtbot.waitUntil(lambda: w.context.ready is not None)
    assert w.facts() == OPEN["chatty"]


def test_a_reply_of_the_bundle_before_runs_out_and_then_the_new_one_loads(
    made: Callable[..., Window], qtbot: QtBot
) -> None:
    w = made(tokens=20, delay=0.01)
    w.show("chat")
    w.choose("chatty")
    w.page.send("8*7=")
    qtbot.waitUntil(lambda: w.context.session.state == "generating")
    w.choose("base")
    qtbot.waitUntil(lambda: not w.page.controller.running)
    reply = w.page.controller.chat.last("assistant")
    assert reply is not None and reply.reply is not None
    assert (reply.reply.bundle, reply.reply.ended) == ("chatty · fp32 · static 4,096", "eos")
    assert w.page.context_bar.speed.text() == ""  # measured of the bundle before
    qtbot.waitUntil(lambda: w.context.ready is not None)
    assert w.facts() == OPEN["base"] | {
        "context line": "context 0 of 64 tokens · this chat does not fit, it needs about 84"
    }


def test_a_failure_and_its_button_go_with_their_bundle(made: Callable[..., Window], qtbot: QtBot) -> None:
    w = made(errors={"open": {"kind": "bundle", "message": "It is damaged."}})
    w.show("chat")
    w.choose("chatty")
    qtbot.waitUntil(lambda: w.page.banner.message == "It is damaged.")
    w.context.activities.acknowledge("open")
    assert w.facts()["status"] == "It is damaged."
    w.show("home")
    w.choose("base")
    assert (w.page.banner.message, w.facts()["status"]) == ("", "Ready")
    w.show("chat")
    qtbot.waitUntil(lambda: w.page.banner.message == "It is damaged.")
    w.show("home")
    w.show("chat")  # what failed is not tried again by looking at it
    assert w.page.opener.state == "failed"


@pytest.mark.parametrize("seed", range(6))
def test_random_walks(made: Callable[..., Window], qtbot: QtBot, seed: int) -> None:
    """Whatever was opened, closed or chosen last: a fact is the current bundle's own, or none."""
    dice, w = random.Random(seed), made()
    w.choose("chatty")
    session = w.context.session
    acts: list[Callable[[], object]] = [
        *[lambda: w.choose(dice.choice(["chatty", "base"]))] * 3,
        lambda: w.show(dice.choice(["home", "chat"])),
        lambda: session.open(w.paths[dice.choice(["chatty", "base"])]),
        session.close,
        session.reopen,
        session.end,
        *[lambda: qtbot.waitUntil(lambda: session.state != "opening")] * 5,
    ]
    seen = set()
    for _ in range(80):
        dice.choice(acts)()
        name, facts = w.current, w.facts()
        loaded = session.state == "ready" and session.bundle == str(w.paths[name])
        free = {"status": "", "languages": False}  # these are known of a bundle even when it is closed again
        assert facts | free == (OPEN[name] if loaded else NONE) | free
        assert facts["languages"] <= OPEN[name]["languages"]  # type: ignore[operator]
        assert (facts["status"] == "Bundle is open") == loaded or w.window.status.chips
        seen.add((name, loaded))
    assert {name for name, _ in seen} == set(OPEN) and {loaded for _, loaded in seen} == {True, False}
    qtbot.waitUntil(lambda: session.state != "opening")
