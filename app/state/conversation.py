"""A conversation as a tree, and the folder where it survives a crash.

    root ── user ── assistant            the active path is what is shown and sent;
              └─── assistant'            a regenerated reply is a sibling of the first,
         └─ user' ── assistant           an edited prompt a sibling of the old one

Nothing is ever overwritten by editing: `select` goes back to any branch. A file is written to a temporary name,
synced, and renamed, so that a crash leaves the version before or the version after, never a torn one.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from app.state.store import JsonFile, parse_json
from workflows.events import TokenEvent
from workflows.files import write_whole
from workflows.locks import HeldError, Lock

Role = Literal["user", "assistant"]
VERSION = 1
PARTIAL_EVERY_S = 1.0
ASK_AFTER_CRASHES = 2


@dataclass(slots=True)
class Reply:
    """How a reply went: `ended` is a finish reason, `failed`, `interrupted` (by a crash) or empty while it runs."""

    ended: str = ""
    ttft_ms: float | None = None
    decode_rate: float | None = None
    tokens: int = 0
    error: str = ""
    notices: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Message:
    """A node of the tree. `trace` holds the generated tokens for hovering; it is not saved."""

    id: int
    parent: int | None
    role: Role
    content: str
    children: list[int] = field(default_factory=list)
    active: int = 0
    reply: Reply | None = None
    trace: list[TokenEvent] = field(default_factory=list)


class Conversation:
    """The tree of messages under one system prompt."""

    def __init__(self, system: str = "", key: str | None = None) -> None:
        self.key = key or uuid.uuid4().hex
        self.system = system
        self.bundle = ""
        self.changed_at = time.time()
        self._messages: dict[int, Message] = {}
        self._roots: list[int] = []
        self._active_root = 0
        self._next = 1

    def __len__(self) -> int:
        return len(self._messages)

    def __getitem__(self, id: int) -> Message:
        return self._messages[id]

    def __contains__(self, id: int) -> bool:
        return id in self._messages

    @property
    def title(self) -> str:
        """The first line of the first prompt, at most 60 characters; empty when nothing was asked."""
        first = next(iter(self.path()), None)
        line = first.content.strip().split("\n", 1)[0] if first else ""
        return line if len(line) <= 60 else line[:59] + "…"

    def path(self) -> list[Message]:
        """The active branch, from the first prompt to the last message."""
        return list(self._walk())

    def leaf(self) -> Message | None:
        """The last message of the active branch."""
        path = self.path()
        return path[-1] if path else None

    def ask(self, text: str) -> Message:
        """A prompt at the end of the active branch."""
        leaf = self.leaf()
        return self._add(leaf.id if leaf else None, "user", text)

    def begin_reply(self, prompt: int) -> Message:
        """An empty reply to a prompt, as the newest of its siblings."""
        message = self._add(prompt, "assistant", "")
        message.reply = Reply()
        return message

    def edit(self, prompt: int, text: str) -> Message:
        """A changed prompt, as a sibling of the old one."""
        return self._add(self._messages[prompt].parent, "user", text)

    def siblings(self, id: int) -> tuple[int, int]:
        """(index, count) of a message among its alternatives."""
        family = self._family(self._messages[id].parent)
        return family.index(id), len(family)

    def select(self, id: int, index: int) -> None:
        """Makes the sibling at `index` of message `id` the active one."""
        parent = self._messages[id].parent
        index = max(0, min(index, len(self._family(parent)) - 1))
        if parent is None:
            self._active_root = index
        else:
            self._messages[parent].active = index

    def forget_traces(self, most: int) -> None:
        """Keeps the traces of the newest replies, `most` tokens together."""
        for message in reversed(self._messages.values()):
            most -= len(message.trace)
            if most < 0:
                message.trace.clear()

    def to_messages(self, prompt: int) -> list[dict[str, str]]:
        """What is sent for a reply to `prompt`: the system prompt and the branch down to it."""
        branch: list[dict[str, str]] = []
        node: Message | None = self._messages[prompt]
        while node is not None:
            branch.append({"role": node.role, "content": node.content})
            node = self._messages[node.parent] if node.parent is not None else None
        if self.system.strip():
            branch.append({"role": "system", "content": self.system})
        return branch[::-1]

    def to_dict(self) -> dict[str, Any]:
        """The whole tree as plain JSON values, without the traces."""
        messages = []
        for m in self._messages.values():
            row = {"id": m.id, "parent": m.parent, "role": m.role, "content": m.content, "active": m.active}
            messages.append(row | ({"reply": asdict(m.reply)} if m.reply else {}))
        return {
            "version": VERSION,
            "key": self.key,
            "system": self.system,
            "bundle": self.bundle,
            "changed_at": self.changed_at,
            "active_root": self._active_root,
            "messages": messages,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Conversation:
        """The tree of `to_dict`; a reply that was still running is marked `interrupted`.

        Raises ValueError for anything else.
        """
        try:
            return cls._from_dict(data)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a conversation: {error}") from error

    @classmethod
    def _from_dict(cls, data: dict[str, Any]) -> Conversation:
        if data["version"] != VERSION:
            raise ValueError(f"version {data['version']} is not known")
        chat = cls(str(data["system"]), str(data["key"]))
        chat.bundle = str(data.get("bundle", ""))
        chat.changed_at = float(data.get("changed_at", 0.0))
        for row in data["messages"]:
            message = Message(int(row["id"]), row["parent"], row["role"], str(row["content"]))
            if message.role not in ("user", "assistant"):
                raise ValueError(f"no role is called {message.role!r}")
            if "reply" in row:
                message.reply = Reply(**row["reply"])
                message.reply.ended = message.reply.ended or "interrupted"
            chat._messages[message.id] = message
            chat._family(message.parent).append(message.id)
        for row in data["messages"]:
            children = len(chat._messages[row["id"]].children)
            chat._messages[row["id"]].active = max(0, min(int(row["active"]), children - 1))
        chat._active_root = max(0, min(int(data["active_root"]), len(chat._roots) - 1))
        chat._next = max(chat._messages, default=0) + 1
        return chat

    def to_json(self) -> str:
        """The whole tree as readable JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    def to_markdown(self) -> str:
        """The active branch as Markdown."""
        parts = [f"# {self.title or 'Conversation'}"]
        if self.system.strip():
            parts.append("> " + self.system.strip().replace("\n", "\n> "))
        for message in self.path():
            parts.append(f"## {'You' if message.role == 'user' else 'Model'}\n\n{message.content.strip()}")
        return "\n\n".join(parts) + "\n"

    def _family(self, parent: int | None) -> list[int]:
        return self._roots if parent is None else self._messages[parent].children

    def _walk(self) -> Iterator[Message]:
        family, active = self._roots, self._active_root
        while family:
            node = self._messages[family[active]]
            yield node
            family, active = node.children, node.active

    def _add(self, parent: int | None, role: Role, content: str) -> Message:
        message = Message(self._next, parent, role, content)
        self._next += 1
        self._messages[message.id] = message
        family = self._family(parent)
        family.append(message.id)
        self.select(message.id, len(family) - 1)
        self.changed_at = time.time()
        return message


@dataclass(frozen=True, slots=True)
class Saved:
    """A conversation in the folder, as the list of recent ones shows it."""

    path: Path
    title: str
    changed_at: float


class ChatStore:
    """The folder of conversations. `commit` waits for the disk, `partial` does not and saves at most once a second.

    Several windows share it, and each conversation is one window's: a lock beside the file, held while it is open.
    `session.json` tells a crash from a proper end: it names the last conversation and counts how often in a row
    nothing called `close`. That is the matter of the window that was there first, for others begin beside it.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self._clock = clock
        self._writer: threading.Thread | None = None
        self._last_partial = float("-inf")
        self._crashes = 0
        self._last_key = ""
        self._marker = JsonFile(folder / "session.json", _decode_marker, dict, dict[str, Any], lambda _: None)
        self._presence = Lock(folder / ".window.lock")
        self._is_first = False
        self._claims: dict[str, Lock] = {}

    @property
    def must_ask(self) -> bool:
        """Whether the last starts crashed so often that a person should say if the chat is to come back."""
        return self._crashes >= ASK_AFTER_CRASHES

    def begin(self) -> str:
        """A new start: counts a crash if the last one was not closed. Returns the key of the last conversation.

        Raises OSError.
        """
        try:
            self._presence.take()
            self._is_first = True
        except HeldError:  # another window is open: whether it was closed is not known yet
            return str(self._marker.read().get("last", ""))
        self._last_key = str(self._marker.update(self._count_crash)["last"])
        return self._last_key

    def _count_crash(self, marker: dict[str, Any]) -> dict[str, Any]:
        crashed, count = marker.get("open", False) is True, marker.get("crashes", 0)
        self._crashes = (count if isinstance(count, int) else 0) + 1 if crashed else 0
        return {"open": True, "crashes": self._crashes, "last": str(marker.get("last", ""))}

    def close(self) -> None:
        """A proper end: waits for what is being written, and leaves its conversations to others. Raises OSError."""
        self._settle()
        self._crashes = 0
        try:
            if self._is_first:
                self._mark(open=False, crashes=0)
        finally:
            self._give_up(*self._claims)
            self._presence.release()
            self._is_first = False

    def commit(self, chat: Conversation) -> None:
        """Saves and waits until the disk has it. Raises OSError, also where another window has the conversation."""
        self._settle()
        try:
            self._claim(chat.key)
        except HeldError as error:
            raise OSError(f"It is {error}, in another window.") from None
        write_whole(self._path(chat.key), _encode(chat))
        self._last_partial = self._clock()
        if chat.key != self._last_key:
            self._give_up(self._last_key)
            self._last_key = chat.key
            self._mark(last=chat.key)

    def partial(self, chat: Conversation) -> bool:
        """Saves a reply that is still growing, in the background; False when the last save is too recent."""
        now = self._clock()
        busy = self._writer is not None and self._writer.is_alive()
        if busy or now - self._last_partial < PARTIAL_EVERY_S or chat.key not in self._claims:
            return False
        self._last_partial = now
        job = (self._path(chat.key), _encode(chat))
        self._writer = threading.Thread(target=_write_if_possible, args=job, name="chat-autosave")
        self._writer.start()
        return True

    def load(self, key: str) -> Conversation:
        """The conversation called `key`, which is this window's from now on.

        Raises HeldError where it is another window's, OSError, or ValueError when the file is no conversation.
        """
        new = key not in self._claims
        self._claim(key)
        try:
            return _read_chat(self._path(key))
        except (OSError, ValueError):
            if new:
                self._give_up(key)
            raise

    def copy(self, key: str) -> Conversation:
        """A conversation of its own that begins as the one called `key`. Raises OSError or ValueError like load."""
        chat = _read_chat(self._path(key))
        chat.key = Conversation().key
        return chat

    def forget(self) -> None:
        """Nothing of this window is to be restored at the next start; the files stay. Raises OSError."""
        self._settle()
        self._give_up(*self._claims)
        last, self._last_key = self._last_key, ""
        self._marker.update(lambda marker: marker | ({"last": ""} if marker.get("last") == last else {}))

    def recent(self, limit: int = 12) -> list[Saved]:
        """The newest conversations, newest first; files that cannot be read are left out."""
        found = []
        for path in self.folder.glob("*.chat.json"):
            try:
                chat = _read_chat(path)
            except (OSError, ValueError):
                continue
            found.append(Saved(path, chat.title, chat.changed_at))
        return sorted(found, key=lambda s: -s.changed_at)[:limit]

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise ValueError(f"no conversation is called {key!r}")
        return self.folder / f"{key}.chat.json"

    def _mark(self, **changes: object) -> None:
        self._marker.update(lambda marker: marker | changes)

    def _claim(self, key: str) -> None:
        """Makes the conversation this window's. Raises HeldError where it is another's, OSError."""
        if key not in self._claims:
            lock = Lock(self._path(key).with_name(f".{key}.lock"))
            lock.take()
            self._claims[key] = lock

    def _give_up(self, *keys: str) -> None:
        for key in keys:
            if key in self._claims:
                self._claims.pop(key).release()

    def _settle(self) -> None:
        """Waits for a background save."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.join()


def key_of(path: Path) -> str:
    """The key in a saved conversation's file name."""
    return path.name.removesuffix(".chat.json")


def _write_if_possible(path: Path, data: bytes) -> None:
    """A save in the background; what it fails at, the next commit meets again and tells."""
    with suppress(OSError):
        write_whole(path, data)


def _encode(chat: Conversation) -> bytes:
    return json.dumps(chat.to_dict(), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _read_chat(path: Path) -> Conversation:
    """Raises OSError, or ValueError when the file is no conversation."""
    return Conversation.from_dict(parse_json(path.read_text("utf-8")))


def _decode_marker(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it holds no object")
    return value
