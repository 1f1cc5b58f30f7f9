"""Upgrade: a folder that 0.1 (commit 940c6fc2) or 0.2 (commit 9fd71a33) wrote is one that today's window opens.

The files in `earlier/` were written by those commits' own classes; the history is the text of its database.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.chat.page import ChatPage
from app.chat.sampling import SamplingSettings
from app.jobs.time_slices import run_at_once
from app.state.chat_store import ChatStore
from app.state.saved_choices import BundleChoices, SavedChoices
from app.state.saved_texts import SavedTexts
from workflows.measure.history import RunHistory
from workflows.wire.reports.runs import RunStep

EARLIER = Path(__file__).with_name("earlier")
KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture(params=["0.1", "0.2"])
def version(request: pytest.FixtureRequest, home: Path) -> str:
    """The version that wrote what is in the home folder."""
    shutil.copytree(EARLIER / request.param, home)
    dump = home / "runs.sql"
    if dump.exists():
        with closing(sqlite3.connect(home / "runs.db")) as base:
            base.executescript(dump.read_text("utf-8"))
        dump.unlink()
    return str(request.param)


def test_the_window_opens_with_the_persons_files(version: str, home: Path, make_window: Any) -> None:
    before = {path.relative_to(home) for path in home.rglob("*") if path.is_file()}
    window = make_window()
    assert window.stack.current_name == {"0.1": "chat", "0.2": "measure"}[version]
    assert window.context.settings.text("theme") == {"0.1": "dark", "0.2": "light"}[version]
    entries = [(one.path, one.speed, one.provider, one.source) for one in window.context.recents.entries]
    assert (
        entries
        == {
            "0.1": [("/bundles/qwen3-demo", 123.5, "", ""), ("/bundles/t5-demo", 0.0, "", "")],
            "0.2": [("/bundles/gemma", 42.0, "CPU", "/models/gemma"), ("/bundles/t5", 0.0, "", "demo:t5")],
        }[version]
    )
    page = window.stack.page("chat")
    assert isinstance(page, ChatPage)
    assert page.choices.default_sampling == SamplingSettings(temperature=0.7, top_k=20)
    window.close()
    after = {path.relative_to(home) for path in home.rglob("*") if path.is_file()}
    assert before <= after and not [path for path in after if "damaged" in path.name]


def test_chats_have_their_branches_and_what_a_crash_cut(version: str, home: Path) -> None:
    store = ChatStore(home / "chats")
    assert store.begin() == KEY
    assert [one.title for one in run_at_once(store.saved(""))] == [
        {"0.1": "What is 8 times 7?", "0.2": "Sieben"}[version]
    ]
    chat = store.load(KEY)
    assert chat.system == "You are terse." and len(chat.roots) == 2
    assert [message.content for message in chat.path()] == ["What is 8 times 7?", "56"]
    reply = chat[2].reply
    assert reply is not None and (reply.ended, reply.ttft_ms, reply.decode_rate, reply.tokens) == (
        "stop",
        12.5,
        88.0,
        2,
    )
    cut = chat[4].reply
    assert chat[4].content == "Ich weiß" and cut is not None and cut.ended == "interrupted"
    store.commit(chat)
    store.close()


def test_choices_texts_and_the_history_of_0_2(version: str, home: Path) -> None:
    problems: list[str] = []
    choices, history = SavedChoices(home, problems.append), RunHistory(home / "runs.db", problems.append)
    texts, runs = SavedTexts(home, problems.append).of("embed"), history.runs()
    if version == "0.1":  # had none of them
        assert (choices.presets(), texts, runs) == ({}, "", [])
    else:
        saved = choices.of("/bundles/gemma")
        assert isinstance(saved, BundleChoices) and (saved.layout, saved.decoding) == ("window", {"drafts": "ngram"})
        assert SamplingSettings.from_dict(saved.sampling) == SamplingSettings(temperature=0.4)
        assert {name: one["temperature"] for name, one in choices.presets().items()} == {"Kühl <1>": 0.1}
        assert texts == "one\ntwo"
        assert [(run.id, run.kind, run.figures) for run in runs] == [
            ("0a1b2c3d", "bench", {"ttft_ms": 10.5, "decode_tokens_per_s": 42.0})
        ]
        assert history.steps("0a1b2c3d") == [
            RunStep(0, "prefill", 9.0, 8, 512), RunStep(1, "decode", 2.0, 9, 512),
        ]  # fmt: skip
    assert not problems
