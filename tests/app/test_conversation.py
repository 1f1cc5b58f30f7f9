"""The tree of a conversation, and that its file survives crashes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.jobs.time_slices import run_at_once
from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from app.state.conversation_format import (
    conversation_from_dict,
    conversation_to_dict,
    conversation_to_json,
    conversation_to_markdown,
)
from workflows.wire.requests import Turn


def talk() -> tuple[Conversation, int, int]:
    """One question and its answer."""
    chat = Conversation("Be brief.")
    prompt = chat.ask("What is 8 times 7?")
    reply = chat.begin_reply(prompt.id)
    reply.content = "56"
    return chat, prompt.id, reply.id


def texts(chat: Conversation) -> list[str]:
    return [m.content for m in chat.path()]


def test_messages_for_the_engine() -> None:
    chat, prompt, _ = talk()
    assert chat.to_messages(prompt) == [
        Turn("system", "Be brief."),
        Turn("user", "What is 8 times 7?"),
    ]
    second = chat.ask("And 9?")
    assert [m.content for m in chat.to_messages(second.id)][1:] == ["What is 8 times 7?", "56", "And 9?"]
    chat.system = "  "
    assert chat.to_messages(prompt)[0].role == "user"


def test_regenerating_makes_a_sibling() -> None:
    chat, prompt, reply = talk()
    other = chat.begin_reply(prompt)
    other.content = "fifty-six"
    assert texts(chat) == ["What is 8 times 7?", "fifty-six"]
    assert chat.siblings(other.id) == (1, 2)
    chat.select(other.id, 0)
    assert texts(chat) == ["What is 8 times 7?", "56"]
    assert chat.siblings(reply) == (0, 2)


def test_editing_keeps_the_old_branch() -> None:
    chat, prompt, _ = talk()
    chat.ask("Thanks")
    edited = chat.edit(prompt, "What is 9 times 7?")
    chat.begin_reply(edited.id).content = "63"
    assert texts(chat) == ["What is 9 times 7?", "63"]
    chat.select(edited.id, 0)
    assert texts(chat) == ["What is 8 times 7?", "56", "Thanks"]
    chat.select(prompt, 99)
    assert texts(chat) == ["What is 9 times 7?", "63"]


def test_round_trip_keeps_branches_and_marks_what_was_cut_off() -> None:
    chat, prompt, _ = talk()
    chat.begin_reply(prompt).content = "fif"
    back = conversation_from_dict(json.loads(conversation_to_json(chat)))
    assert texts(back) == ["What is 8 times 7?", "fif"]
    assert back.leaf().reply.ended == "interrupted"  # type: ignore[union-attr]
    assert back.siblings(back.leaf().id) == (1, 2)  # type: ignore[union-attr]
    assert back.ask("next").id == 4


@pytest.mark.parametrize("data", [{}, [], {"version": 9}, {"version": 1, "system": "", "key": "k", "messages": [{}]}])
def test_what_is_no_conversation_is_reported(data: object) -> None:
    with pytest.raises(ValueError, match=r"conversation|supported"):
        conversation_from_dict(data)


def test_markdown() -> None:
    chat, _, _ = talk()
    assert conversation_to_markdown(chat) == (
        "# What is 8 times 7?\n\n> Be brief.\n\n## You\n\nWhat is 8 times 7?\n\n## Model\n\n56\n"
    )


def test_title_is_short() -> None:
    chat = Conversation()
    assert chat.title == ""
    chat.ask("x" * 100 + "\nsecond line")
    assert chat.title == "x" * 59 + "…"


def die(store: ChatStore) -> None:
    """What the end of a process does without `close`: the system frees its locks."""
    for lock in (store._presence, *store._claims.values()):
        lock.release()


def test_commit_restores_after_a_crash(tmp_path: Path) -> None:
    chat, _, _ = talk()
    first = ChatStore(tmp_path)
    first.begin()
    first.commit(chat)
    die(first)

    second = ChatStore(tmp_path)
    assert second.begin() == chat.key
    assert not second.crashed_repeatedly
    assert texts(second.load(chat.key)) == ["What is 8 times 7?", "56"]
    die(second)

    third = ChatStore(tmp_path)
    third.begin()
    assert third.crashed_repeatedly  # twice in a row
    third.close()

    fourth = ChatStore(tmp_path)
    assert fourth.begin() == chat.key
    assert not fourth.crashed_repeatedly


def test_partial_saves_at_most_each_second(tmp_path: Path) -> None:
    now = [0.0]
    store = ChatStore(tmp_path, clock=lambda: now[0])
    store.begin()
    chat, prompt, _ = talk()
    store.commit(chat)
    reply = chat.begin_reply(prompt)
    reply.content = "fif"
    assert not store.partial(chat)
    now[0] = 1.0
    assert store.partial(chat)
    reply.content = "fifty"
    assert not store.partial(chat)
    store.close()
    assert ChatStore(tmp_path).load(chat.key).leaf().content == "fif"  # type: ignore[union-attr]


def test_recent_skips_what_cannot_be_read(tmp_path: Path) -> None:
    store = ChatStore(tmp_path)
    for n, text in enumerate(("first", "second")):
        chat = Conversation()
        chat.ask(text)
        chat.changed_at = n
        store.commit(chat)
    (tmp_path / "bad.chat.json").write_bytes(b"\0" * 64)
    (tmp_path / "deep.chat.json").write_text("[" * 100_000)
    assert [s.title for s in run_at_once(store.saved())] == ["second", "first"]
    with pytest.raises(ValueError, match="not a valid conversation key"):
        store.load("../../etc/passwd")


def test_damaged_marker_is_a_fresh_start(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text('["no marker"]')
    store = ChatStore(tmp_path)
    assert store.begin() == ""
    assert not store.crashed_repeatedly


def test_half_a_character_comes_back(tmp_path: Path) -> None:
    """What is pasted from elsewhere may hold lone surrogates."""
    store, chat = ChatStore(tmp_path), Conversation()
    chat.ask("half \ud83d of it")
    store.commit(chat)
    assert texts(store.load(chat.key)) == ["half \ud83d of it"]


def test_a_refused_prompt_is_left_out_of_later_ones() -> None:
    """It stays to be seen and edited; a chat that was saved with one is as good."""
    chat, _, _ = talk()
    refused = chat.begin_reply(chat.ask("x" * 1000).id)
    assert refused.reply is not None
    refused.reply.ended = "refused"
    for one in (chat, conversation_from_dict(conversation_to_dict(chat))):
        later = one.ask("And 9?")
        assert [turn.content for turn in one.to_messages(later.id)][1:] == ["What is 8 times 7?", "56", "And 9?"]
        assert len(texts(one)) == 5


def _file(tmp_path: Path, **changes: object) -> Path:
    """A chat of a prompt and its reply as it was saved, with other values in it."""
    store, chat = ChatStore(tmp_path), Conversation(key="a")
    chat.begin_reply(chat.ask("What?").id).content = "That."
    store.commit(chat)
    store.close()
    path = tmp_path / "a.chat.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")
    return path


def _rows(**changes: object) -> list[dict[str, object]]:
    first: dict[str, object] = {"id": 1, "parent": None, "role": "user", "content": "What?", "active": 0}
    return [first, {"id": 2, "parent": 1, "role": "assistant", "content": "That.", "active": 0, **changes}]


@pytest.mark.parametrize(
    "changes",
    [
        {"key": "../../a"}, {"key": ""}, {"key": ["a"]}, {"key": "a" * 65}, {"name": ["x"]}, {"system": None},
        {"changed_at": float("nan")}, {"changed_at": 1e30}, {"changed_at": 10**400}, {"active_root": "0"},
        {"decoding": []}, {"messages": _rows(id=1)}, {"messages": _rows(parent=2)}, {"messages": _rows(parent=[1])},
        {"messages": _rows(content=5)}, {"messages": _rows(reply={"tokens": "8"})},
        {"messages": _rows(reply={"ended": [1]})}, {"messages": _rows(reply={"notices": "slid"})},
        {"messages": _rows(reply={"ttft_ms": "12"})}, {"messages": _rows()[::-1]},
    ],
    ids=str,
)  # fmt: skip
def test_a_file_with_other_values_is_no_conversation(tmp_path: Path, changes: dict[str, object]) -> None:
    """Told when it is read: what came further would be shown, sent and saved as something that nobody said."""
    _file(tmp_path, **changes)
    with pytest.raises(ValueError):
        ChatStore(tmp_path).load("a")
    assert run_at_once(ChatStore(tmp_path).saved()) == []


def test_a_copy_of_a_file_is_a_chat_of_its_own(tmp_path: Path) -> None:
    """A person copied it by hand: what is said in the one is not written into the other."""
    path = _file(tmp_path)
    path.with_name("b.chat.json").write_bytes(path.read_bytes())
    store = ChatStore(tmp_path)
    copy = store.load("b")
    copy.ask("And?")
    store.commit(copy)
    store.close()
    assert len(ChatStore(tmp_path).copy("b")) == 3 and len(ChatStore(tmp_path).copy("a")) == 2
