"""Several windows on one home: real processes write at the same time, and nothing that any of them wrote is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.chat.sampling import SamplingSettings
from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from app.state.conversation_format import conversation_from_dict
from app.state.json_file import JsonFile
from app.state.recent_bundles import LIMIT, RecentBundles
from app.state.settings import Settings
from workflows.common.locks import LockHeldError

PROCESSES, TIMES = 5, 6
START = """
import sys, time
from pathlib import Path
home, name, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
(home / f"ready-{name}").touch()
while not (home / "go").exists():
    time.sleep(0.001)
"""
RECENTS = """
from app.state.recent_bundles import RecentBundles
recents = RecentBundles(home, lambda path: {"name": path})
for n in range(times):
    recents.add(f"/{name}/{n}")
    recents.note_speed(f"/{name}/{n}", n + 1.0, "cpu")
"""
SETTINGS = """
from app.state.settings import Settings
settings = Settings(home)
for n in range(times):
    settings.set(f"{name}.{n}", "kept")
"""
CHATS = """
from app.chat.sampling import SamplingSettings
from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from workflows.common.locks import LockHeldError
store = ChatStore(home / "chats")
key = store.begin()
try:
    chat = store.load(key)
except LockHeldError:
    chat = store.copy(key)
for n in range(times):
    chat.begin_reply(chat.ask(f"{name} asks {n}").id)
    store.commit(chat)
    chat.leaf().content = "a reply"
    store.partial(chat)
store.close()
"""
WAITS = """
from app.chat.sampling import SamplingSettings
from app.state.chat_store import ChatStore
store = ChatStore(home / "chats")
store.load(store.begin())
print("open", flush=True)
time.sleep(600)
"""


def at_once(home: Path, code: str) -> None:
    """Runs the code in PROCESSES processes that begin together; all must end well."""
    home.mkdir(exist_ok=True)
    command = [sys.executable, "-c", START + code, str(home)]
    children = [subprocess.Popen([*command, f"p{n}", str(TIMES)], stderr=subprocess.PIPE) for n in range(PROCESSES)]
    while len(list(home.glob("ready-*"))) < PROCESSES:
        pass
    (home / "go").touch()
    for child in children:
        _, errors = child.communicate(timeout=120)
        assert child.returncode == 0, errors.decode()


def a_chat(home: Path) -> Conversation:
    """A saved conversation, the last one of a window that was closed."""
    store, chat = ChatStore(home / "chats"), Conversation()
    store.begin()
    chat.begin_reply(chat.ask("What was before?").id)
    store.commit(chat)
    store.close()
    return chat


def test_no_recent_bundle_is_lost(home: Path, qapp: object) -> None:
    """Each process adds its own, and notes their speeds."""
    at_once(home, RECENTS)
    entries = RecentBundles(home, lambda path: {"name": path}).entries
    expected = {(f"/p{process}/{n}", n + 1.0) for process in range(PROCESSES) for n in range(TIMES)}
    assert len(expected) == LIMIT
    assert {(entry.path, entry.speed) for entry in entries} == expected


def test_no_setting_is_lost(home: Path, qapp: object) -> None:
    """Qt merges the keys that others wrote."""
    at_once(home, SETTINGS)
    settings = Settings(home)
    assert {settings.text(f"p{p}.{n}") for p in range(PROCESSES) for n in range(TIMES)} == {"kept"}


def test_no_prompt_is_lost(home: Path) -> None:
    """All begin with the same last chat: one has it, the others go on in copies."""
    a_chat(home)
    at_once(home, CHATS)
    found = set[str]()
    for path in (home / "chats").glob("*.chat.json"):
        chat = conversation_from_dict(json.loads(path.read_text("utf-8")))
        prompts = [m.content for m in chat.path() if m.role == "user"]
        assert prompts[0] == "What was before?"
        found |= set(prompts[1:])  # a copy of a copy holds some of them again
    assert found == {f"p{process} asks {n}" for process in range(PROCESSES) for n in range(TIMES)}
    assert [path.name for path in (home / "chats").iterdir() if path.name.startswith(".")] == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kill -9 is a matter of POSIX")
def test_a_killed_window_gives_its_chat_back(home: Path) -> None:
    """While it lives the chat is its own, and its start no crash; afterwards it is free, and the crash is counted."""
    chat = a_chat(home)
    (home / "go").touch()
    other = subprocess.Popen([sys.executable, "-c", START + WAITS, str(home), "x", "1"], stdout=subprocess.PIPE)
    assert other.stdout is not None and other.stdout.readline() == b"open\n"
    beside = ChatStore(home / "chats")
    assert beside.begin() == chat.key
    with pytest.raises(LockHeldError, match=f"process {other.pid} on "):
        beside.load(chat.key)
    with pytest.raises(OSError, match="in another window"):
        beside.commit(chat)
    assert not beside.crashed_repeatedly
    beside.close()
    other.kill()
    other.communicate()
    after = ChatStore(home / "chats")
    assert after.begin() == chat.key
    assert after.load(chat.key).path()[0].content == "What was before?"
    assert after._crashes == 1
    after.close()


DAMAGED = {
    "no JSON": b"[{",
    "no text": b"\xff\xfe\0\0",
    "nothing": b"",
    "something else": b'{"not": "a list"}',
    "entries of another kind": b'["path", 7, null]',
    "an entry without its path": b'[{"used_at": "", "speed": 1}]',
    "a speed that is none": b'[{"path": "/a", "used_at": "", "speed": "fast"}]',
    "nested too deeply": b"[" * 100_000,
    "nested too deeply and closed": b"[" * 100_000 + b"]" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_list_is_moved_aside_with_a_message(home: Path, qtbot: object, damage: str) -> None:
    """It keeps nobody from starting, and what it held is kept."""
    home.mkdir()
    (home / "recents.json").write_bytes(DAMAGED[damage])
    told: list[str] = []
    recents = RecentBundles(home, lambda path: {"name": path})
    recents.errorOccurred.connect(told.append)
    qtbot.waitUntil(lambda: bool(told))  # type: ignore[attr-defined]
    [aside] = home.glob("recents.damaged-*.json")
    assert aside.read_bytes() == DAMAGED[damage]
    assert told == [f"recents.json was damaged and was reset; its old content is saved as {aside}."]
    recents.add("/a")
    assert [row["path"] for row in json.loads((home / "recents.json").read_text())] == ["/a"]


def test_settings_that_are_nested_too_deeply_are_the_defaults() -> None:
    """The window's ini file holds JSON as well."""
    assert SamplingSettings.from_json("[" * 100_000) == SamplingSettings()


def test_a_list_that_cannot_be_saved_is_reported(home: Path, qtbot: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window goes on with what it remembers."""
    recents, told = RecentBundles(home, lambda path: {"name": path}), list[str]()
    recents.errorOccurred.connect(told.append)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.state.json_file.write_atomically", full)
    recents.add("/a")
    qtbot.waitUntil(lambda: bool(told))  # type: ignore[attr-defined]
    assert told == [f"The list of recent bundles cannot be saved in {home / 'recents.json'}: No space left on device."]
    assert [entry.path for entry in recents.entries] == ["/a"]


def test_a_path_that_is_no_text_is_kept(home: Path, qapp: object) -> None:
    """A folder's name may hold bytes that are no UTF-8."""
    RecentBundles(home, lambda path: {"name": path}).add("/a\udc80")
    assert [entry.path for entry in RecentBundles(home, lambda path: {"name": path}).entries] == ["/a\udc80"]


def test_a_change_that_waits_too_long_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window that hangs while it holds the lock holds nobody else up for ever."""
    monkeypatch.setattr("app.state.json_file.PATIENCE_S", 0.05)
    one, two = (JsonFile(tmp_path / "a.json", dict, dict, dict, pytest.fail) for _ in range(2))
    with one._locked(), pytest.raises(TimeoutError, match="held by process"):
        two.update(lambda value: value | {"b": 1})
    two.update(lambda value: value | {"c": 1})
    assert one.read() == {"c": 1}
