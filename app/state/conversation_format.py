"""A conversation as JSON, as Markdown, and as the text that is searched."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from app.state.conversation import ChatMessage, Conversation, Reply, Role, is_key
from app.state.media_files import SOUND_SUFFIXES, of_kind
from workflows.common.errors import printable
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.events import SpeechTask
from workflows.wire.requests import SoundPrompt

VERSION = 1
_LATEST_S = 253_370_764_800  # the year 9999, the last one of datetime


@dataclass(slots=True)
class _SavedMessage:
    id: int
    parent: int | None
    role: Role
    content: str
    active: int
    reply: Reply | None = None
    pictures: tuple[str, ...] = ()
    sound: str = ""
    timestamps: bool = False
    language: str | None = None
    task: SpeechTask | None = None


@dataclass(slots=True)
class _SavedConversation:
    """A conversation as it is in a file; fields with a default came with later versions."""

    version: int
    key: str
    system: str
    active_root: int
    messages: list[_SavedMessage]
    name: str = ""
    bundle: str = ""
    decoding: dict[str, object] = field(default_factory=dict)
    prefill: str = ""
    tools: str = ""
    changed_at: float = 0.0


def conversation_to_dict(chat: Conversation) -> dict[str, Any]:
    """The whole tree as plain JSON values, without the traces."""
    messages = []
    for m in chat.messages.values():
        row: dict[str, Any] = {"id": m.id, "parent": m.parent, "role": m.role, "content": m.content, "active": m.active}
        if m.files:
            row["pictures"] = list(m.files)
        if m.sound is not None:
            row |= asdict(m.sound)
            row["sound"] = row.pop("path")
        messages.append(row | ({"reply": m.reply.to_dict()} if m.reply else {}))
    names = ("key", "name", "system", "bundle", "decoding", "prefill", "tools", "changed_at", "active_root")
    return {"version": VERSION, **{name: getattr(chat, name) for name in names}, "messages": messages}


def conversation_from_dict(data: Any) -> Conversation:
    """Reads that form; a reply that was running becomes `interrupted`. Raises ValueError for anything else."""
    if isinstance(data, dict) and data.get("version") != VERSION:
        raise ValueError(
            f"version {data.get('version')} is not supported: a newer Joinery may have saved it; update this"
        )
    try:
        saved = read(_SavedConversation, data)
    except PayloadMismatch as error:
        raise ValueError(f"the file is not a conversation: {error}") from None
    if not is_key(saved.key):
        raise ValueError(f"{printable(saved.key, 40)!r} is not a valid conversation key")
    if not 0 <= saved.changed_at < _LATEST_S:
        raise ValueError(f"changed_at {saved.changed_at} is not a valid time")
    chat = Conversation(saved.system, saved.key)
    chat.name, chat.bundle, chat.decoding = saved.name, saved.bundle, saved.decoding
    chat.prefill, chat.tools, chat.changed_at = saved.prefill, saved.tools, saved.changed_at
    for row in saved.messages:
        if row.id in chat or not (row.parent is None or row.parent in chat):
            raise ValueError(f"message {row.id} is a duplicate, or comes before the message that it answers")
        if row.reply is not None:
            row.reply.ended = row.reply.ended or "interrupted"
        message = ChatMessage(row.id, row.parent, row.role, row.content, reply=row.reply)
        message.files = row.pictures
        if row.sound:
            message.sound = SoundPrompt(row.sound, row.language, row.task, row.timestamps)
        chat.messages[row.id] = message
        chat.family(row.parent).append(row.id)
    for row in saved.messages:
        chat[row.id].active = max(0, min(row.active, len(chat[row.id].children) - 1))
    chat.active_root = max(0, min(saved.active_root, len(chat.roots) - 1))
    return chat


def conversation_to_json(chat: Conversation) -> str:
    """The whole tree as readable JSON."""
    return json.dumps(conversation_to_dict(chat), ensure_ascii=False, indent=2) + "\n"


def conversation_to_markdown(chat: Conversation) -> str:
    """The active branch as Markdown."""
    parts = [f"# {chat.title or 'Conversation'}"]
    if chat.system.strip():
        parts.append("> " + chat.system.strip().replace("\n", "\n> "))
    for message in chat.path():
        files = "".join(f"{_kind(path)}: {path}\n\n" for path in message.files)
        parts.append(f"## {'You' if message.role == 'user' else 'Model'}\n\n{files}{message.content.strip()}")
    return "\n\n".join(parts) + "\n"


def searched_text(chat: Conversation) -> str:
    """The name and the messages of all branches, as the search finds them."""
    return "\n".join([chat.name, *(message.content for message in chat.messages.values())]).casefold()


def _kind(path: str) -> str:
    return "Recording" if of_kind([path], SOUND_SUFFIXES) else "Picture"
