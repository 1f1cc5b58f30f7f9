"""A conversation as a tree.

    root ── user ── assistant            the active path is what is shown and sent;
              └─── assistant'            a regenerated reply is a sibling of the first,
         └─ user' ── assistant           an edited prompt a sibling of the old one

Nothing is ever overwritten by editing: `select` goes back to any branch. `app.state.chat_store` keeps it on the disk.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from workflows.common.errors import printable
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.events import SpeculationUse, TokenEvent
from workflows.wire.requests import Turn

Role = Literal["user", "assistant"]
VERSION = 1
_LATEST_S = 253_370_764_800  # the year 9999, the last that a calendar has
_LONGEST_KEY = 64


@dataclass(slots=True)
class Reply:
    """How a reply went: `ended` is a finish reason, `failed`, `refused`, `interrupted` (by a crash) or empty so far.

    refused: the prompt could not be run at all, so neither is sent with later ones.
    bundle: the name of the one that answered, and thought_tokens and thought_s what of it was thinking.
    drafter: who drafted, as SpeculationEvent has it; accept_rate and tokens_per_step are of a reply with drafts alone.
    form: what it was held to, a kind of form; empty for none.
    completes: the bundle went on with a text instead of answering, so that the reply is no Markdown.
    context: tokens of the conversation down to this reply, the reply included; 0 in chats of before it was kept.
    provider: whose figures these are, with the components that were elsewhere; empty in chats of before it was kept.
    """

    ended: str = ""
    ttft_ms: float | None = None
    decode_rate: float | None = None
    tokens: int = 0
    error: str = ""
    notices: list[str] = field(default_factory=list)
    provider: str = ""
    thought_tokens: int = 0
    thought_s: float = 0.0
    bundle: str = ""
    form: str = ""
    drafter: str = ""
    accept_rate: float | None = None
    tokens_per_step: float | None = None
    completes: bool = False
    context: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values: `asdict` looks into each and takes ten times as long, in every save of a long chat."""
        return {name: getattr(self, name) for name in self.__slots__} | {"notices": list(self.notices)}

    def note_drafts(self, use: SpeculationUse | None) -> None:
        """What came of drafts, where there were any."""
        if use is not None:
            self.accept_rate, self.tokens_per_step = use.accept_rate, use.tokens_per_step


@dataclass(slots=True)
class ChatMessage:
    """A node of the tree. `trace` holds the generated tokens for hovering; it is not saved."""

    id: int
    parent: int | None
    role: Role
    content: str
    children: list[int] = field(default_factory=list)
    active: int = 0
    reply: Reply | None = None
    trace: list[TokenEvent] = field(default_factory=list)


@dataclass(slots=True)
class _Row:
    """A message as it stands in a file."""

    id: int
    parent: int | None
    role: Role
    content: str
    active: int
    reply: Reply | None = None


@dataclass(slots=True)
class _File:
    """A conversation as it stands in a file; what has a default came with later versions."""

    version: int
    key: str
    system: str
    active_root: int
    messages: list[_Row]
    name: str = ""
    bundle: str = ""
    decoding: dict[str, object] = field(default_factory=dict)
    prefill: str = ""
    tools: str = ""
    changed_at: float = 0.0


def is_key(text: str) -> bool:
    """Whether a conversation may be called so: it becomes the name of a file."""
    return text.isalnum() and len(text) <= _LONGEST_KEY


class Conversation:
    """The tree of messages under one system prompt, and what shapes its replies.

    decoding: how they are decoded; empty where nobody said. prefill: what they begin with. tools: a JSON list of what
    the model is told of.
    """

    def __init__(self, system: str = "", key: str | None = None) -> None:
        self.key = key or uuid.uuid4().hex
        self.system = system
        self.name = ""
        self.bundle = ""
        self.decoding: dict[str, Any] = {}
        self.prefill = self.tools = ""
        self.changed_at = time.time()
        self._messages: dict[int, ChatMessage] = {}
        self._roots: list[int] = []
        self._active_root = 0
        self._next = 1

    def __len__(self) -> int:
        return len(self._messages)

    def __getitem__(self, id: int) -> ChatMessage:
        return self._messages[id]

    def __contains__(self, id: int) -> bool:
        return id in self._messages

    @property
    def title(self) -> str:
        """Its name, else the first line of the first prompt, 60 characters at most; empty when nothing was asked."""
        if self.name:
            return self.name
        first = next(iter(self.path()), None)
        line = first.content.strip().split("\n", 1)[0] if first else ""
        return line if len(line) <= 60 else line[:59] + "…"

    def path(self) -> list[ChatMessage]:
        """The active branch, from the first prompt to the last message."""
        return list(self._walk())

    def leaf(self) -> ChatMessage | None:
        """The last message of the active branch."""
        path = self.path()
        return path[-1] if path else None

    def last(self, role: Role) -> ChatMessage | None:
        """The last prompt, or the last reply, of the active branch."""
        return next((m for m in reversed(self.path()) if m.role == role), None)

    @property
    def tokens(self) -> int:
        """Tokens of the active branch down to its last reply that was counted; 0 where none was."""
        return next((m.reply.context for m in reversed(self.path()) if m.reply is not None and m.reply.context), 0)

    def ask(self, text: str) -> ChatMessage:
        """A prompt at the end of the active branch."""
        leaf = self.leaf()
        return self._add(leaf.id if leaf else None, "user", text)

    def begin_reply(self, prompt: int) -> ChatMessage:
        """An empty reply to a prompt, as the newest of its siblings."""
        message = self._add(prompt, "assistant", "")
        message.reply = Reply()
        return message

    def edit(self, prompt: int, text: str) -> ChatMessage:
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

    def to_messages(self, prompt: int) -> list[Turn]:
        """What is sent for a reply to `prompt`: the system prompt and the branch down to it."""
        branch: list[Turn] = []
        node: ChatMessage | None = self._messages[prompt]
        while node is not None:
            if node.reply is not None and node.reply.ended == "refused":
                node = self._parent(node)  # its prompt, which is left out with it
            else:
                branch.append(Turn(node.role, node.content))
            node = self._parent(node) if node is not None else None
        if self.system.strip():
            branch.append(Turn("system", self.system))
        return branch[::-1]

    def _parent(self, message: ChatMessage) -> ChatMessage | None:
        return self._messages[message.parent] if message.parent is not None else None

    def to_dict(self) -> dict[str, Any]:
        """The whole tree as plain JSON values, without the traces."""
        messages = []
        for m in self._messages.values():
            row = {"id": m.id, "parent": m.parent, "role": m.role, "content": m.content, "active": m.active}
            messages.append(row | ({"reply": m.reply.to_dict()} if m.reply else {}))
        return {
            "version": VERSION,
            "key": self.key,
            "name": self.name,
            "system": self.system,
            "bundle": self.bundle,
            "decoding": self.decoding,
            "prefill": self.prefill,
            "tools": self.tools,
            "changed_at": self.changed_at,
            "active_root": self._active_root,
            "messages": messages,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Conversation:
        """The tree of `to_dict`; a reply that was still running is marked `interrupted`.

        Raises ValueError for anything else.
        """
        if isinstance(data, dict) and data.get("version") != VERSION:
            raise ValueError(f"version {data.get('version')} is not known")
        try:
            saved = read(_File, data)
        except PayloadMismatch as error:
            raise ValueError(f"no conversation, for it {error}") from None
        if not is_key(saved.key):
            raise ValueError(f"{printable(saved.key, 40)!r} is no key of a conversation")
        if not 0 <= saved.changed_at < _LATEST_S:
            raise ValueError(f"it was changed at {saved.changed_at}, which is no time")
        chat = cls(saved.system, saved.key)
        chat.name, chat.bundle, chat.decoding = saved.name, saved.bundle, saved.decoding
        chat.prefill, chat.tools, chat.changed_at = saved.prefill, saved.tools, saved.changed_at
        for row in saved.messages:
            chat._take(row)
        for row in saved.messages:
            children = len(chat._messages[row.id].children)
            chat._messages[row.id].active = max(0, min(row.active, children - 1))
        chat._active_root = max(0, min(saved.active_root, len(chat._roots) - 1))
        chat._next = max(chat._messages, default=0) + 1
        return chat

    def _take(self, row: _Row) -> None:
        """A message of a file; those that it answers came before it. Raises ValueError."""
        if row.id in self._messages or not (row.parent is None or row.parent in self._messages):
            raise ValueError(f"the message {row.id} stands there twice, or before what it answers")
        if row.reply is not None:
            row.reply.ended = row.reply.ended or "interrupted"
        self._messages[row.id] = ChatMessage(row.id, row.parent, row.role, row.content, reply=row.reply)
        self._family(row.parent).append(row.id)

    def to_json(self) -> str:
        """The whole tree as readable JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    def words(self) -> str:
        """All that was said on any branch, to be searched."""
        return "\n".join([self.name, *(message.content for message in self._messages.values())])

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

    def _walk(self) -> Iterator[ChatMessage]:
        family, active = self._roots, self._active_root
        while family:
            node = self._messages[family[active]]
            yield node
            family, active = node.children, node.active

    def _add(self, parent: int | None, role: Role, content: str) -> ChatMessage:
        message = ChatMessage(self._next, parent, role, content)
        self._next += 1
        self._messages[message.id] = message
        family = self._family(parent)
        family.append(message.id)
        self.select(message.id, len(family) - 1)
        self.changed_at = time.time()
        return message
