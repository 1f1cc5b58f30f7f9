"""A conversation as a tree.

    root ── user ── assistant            the active path is shown and sent;
              └─── assistant'            a regenerated reply is a sibling of the first,
         └─ user' ── assistant           an edited prompt a sibling of the old one

Editing never overwrites: `select` goes back to any branch. `app.state.chat_store` saves conversations.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from app.state.media_files import SOUND_SUFFIXES, of_kind
from workflows.wire.events import SpeculationUse, TokenEvent
from workflows.wire.requests import SoundPrompt, Turn

Role = Literal["user", "assistant"]
_LONGEST_KEY = 64


@dataclass(frozen=True, slots=True)
class TranscriptSegment:
    """A part of a transcript with its times, in seconds from the beginning of the recording."""

    start: float
    end: float
    text: str


@dataclass(slots=True)
class Reply:
    """How a reply went. ended: a finish reason, `failed`, `refused`, `interrupted` (by a crash), empty while running.

    refused: the prompt could not be run at all, so neither is sent with later prompts.
    bundle: the title of the bundle that answered, with its adapter.
    thought_tokens, thought_s: how much of the reply was thinking.
    drafter: as in SpeculationEvent. accept_rate, tokens_per_step: None for a reply without drafts.
    form: the kind of form that the reply was held to; empty for none.
    completes: the bundle continued a text instead of answering, so the reply is no Markdown.
    context: tokens of the conversation down to and with this reply; 0 in chats saved before this field.
    provider: the provider, with the components that ran elsewhere; empty in chats saved before this field.
    segments: of a transcript with times; its text has a line for each.
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
    segments: list[TranscriptSegment] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values. `asdict` takes ten times as long, which counts in every save of a long chat."""
        values = {name: getattr(self, name) for name in self.__slots__} | {"notices": list(self.notices)}
        return values | {"segments": [{"start": s.start, "end": s.end, "text": s.text} for s in self.segments]}

    def note_drafts(self, use: SpeculationUse | None) -> None:
        """Takes over the use of drafts, if there were any."""
        if use is not None:
            self.accept_rate, self.tokens_per_step = use.accept_rate, use.tokens_per_step


@dataclass(slots=True)
class ChatMessage:
    """A node of the tree. trace: the generated tokens, for hovering; not saved.

    files: pictures and recordings that come before a prompt's text, which may be gone. sound: what a prompt has
    transcribed, and how; its text is the file's name.
    """

    id: int
    parent: int | None
    role: Role
    content: str
    children: list[int] = field(default_factory=list)
    active: int = 0
    reply: Reply | None = None
    trace: list[TokenEvent] = field(default_factory=list)
    files: tuple[str, ...] = ()
    sound: SoundPrompt | None = None


def is_key(text: str) -> bool:
    """Whether `text` can be the key of a conversation, which is also a file name."""
    return text.isalnum() and len(text) <= _LONGEST_KEY


class Conversation:
    """The tree of messages under one system prompt, and what shapes its replies.

    decoding: the decoding options; empty for the defaults. prefill: the text that replies begin with. tools: a JSON
    list of tools for the model.
    """

    def __init__(self, system: str = "", key: str | None = None) -> None:
        self.key = key or uuid.uuid4().hex
        self.system = system
        self.name = ""
        self.bundle = ""
        self.decoding: dict[str, Any] = {}
        self.prefill = self.tools = ""
        self.changed_at = time.time()
        self.messages: dict[int, ChatMessage] = {}
        self.roots: list[int] = []
        self.active_root = 0

    def __len__(self) -> int:
        return len(self.messages)

    def __getitem__(self, id: int) -> ChatMessage:
        return self.messages[id]

    def __contains__(self, id: int) -> bool:
        return id in self.messages

    @property
    def title(self) -> str:
        """The name, else the first line of the first prompt, at most 60 characters; empty for an empty conversation."""
        if self.name:
            return self.name
        first = next(iter(self.path()), None)
        line = first.content.strip().split("\n", 1)[0] if first else ""
        return line if len(line) <= 60 else line[:59] + "…"

    def path(self) -> list[ChatMessage]:
        """The active branch, from the first prompt to the last message."""
        branch = list[ChatMessage]()
        family, active = self.roots, self.active_root
        while family:
            branch.append(self.messages[family[active]])
            family, active = branch[-1].children, branch[-1].active
        return branch

    def leaf(self) -> ChatMessage | None:
        """The last message of the active branch."""
        path = self.path()
        return path[-1] if path else None

    def last(self, role: Role) -> ChatMessage | None:
        """The last prompt, or the last reply, of the active branch."""
        return next((m for m in reversed(self.path()) if m.role == role), None)

    @property
    def tokens(self) -> int:
        """Tokens of the active branch down to its last counted reply; 0 if there is none."""
        return next((m.reply.context for m in reversed(self.path()) if m.reply is not None and m.reply.context), 0)

    def ask(self, text: str, files: Sequence[str] = ()) -> ChatMessage:
        """Adds a prompt at the end of the active branch."""
        leaf = self.leaf()
        message = self._add(leaf.id if leaf else None, "user", text)
        message.files = tuple(files)
        return message

    def add_sound(self, sound: SoundPrompt) -> ChatMessage:
        """Adds a prompt that has a sound file transcribed, at the end of the active branch."""
        message = self.ask(Path(sound.path).name)
        message.sound = sound
        return message

    def begin_reply(self, prompt: int) -> ChatMessage:
        """Adds an empty reply to a prompt, as the newest of its siblings."""
        message = self._add(prompt, "assistant", "")
        message.reply = Reply()
        return message

    def edit(self, prompt: int, text: str, files: Sequence[str] = ()) -> ChatMessage:
        """Adds a changed prompt as a sibling of the old one."""
        message = self._add(self.messages[prompt].parent, "user", text)
        message.files = tuple(files)
        return message

    def siblings(self, id: int) -> tuple[int, int]:
        """(index, count) of a message among its alternatives."""
        family = self.family(self.messages[id].parent)
        return family.index(id), len(family)

    def select(self, id: int, index: int) -> None:
        """Makes the sibling at `index` of message `id` the active one."""
        parent = self.messages[id].parent
        index = max(0, min(index, len(self.family(parent)) - 1))
        if parent is None:
            self.active_root = index
        else:
            self.messages[parent].active = index

    def forget_traces(self, most: int) -> None:
        """Drops the traces of the oldest replies, so that at most `most` tokens stay."""
        for message in reversed(self.messages.values()):
            most -= len(message.trace)
            if most < 0:
                message.trace.clear()

    def to_messages(self, prompt: int) -> list[Turn]:
        """The messages that are sent for a reply to `prompt`: the system prompt and the branch down to it.

        Pictures whose files are gone are left out, as the transcript shows; the chat can go on without them.
        """
        branch: list[Turn] = []
        node: ChatMessage | None = self.messages[prompt]
        while node is not None:
            if node.reply is not None and node.reply.ended == "refused":
                node = self._parent(node)  # its prompt is skipped as well
            else:
                there = [path for path in node.files if Path(path).is_file()]
                sounds = tuple(of_kind(there, SOUND_SUFFIXES))
                pictures = tuple(path for path in there if path not in sounds)
                branch.append(Turn(node.role, node.content, pictures, sounds))
            node = self._parent(node) if node is not None else None
        if self.system.strip():
            branch.append(Turn("system", self.system))
        return branch[::-1]

    def _parent(self, message: ChatMessage) -> ChatMessage | None:
        return self.messages[message.parent] if message.parent is not None else None

    def family(self, parent: int | None) -> list[int]:
        """The ids of the replies to `parent`, or of the first prompts for None, oldest first."""
        return self.roots if parent is None else self.messages[parent].children

    def _add(self, parent: int | None, role: Role, content: str) -> ChatMessage:
        message = ChatMessage(max(self.messages, default=0) + 1, parent, role, content)
        self.messages[message.id] = message
        family = self.family(parent)
        family.append(message.id)
        self.select(message.id, len(family) - 1)
        self.changed_at = time.time()
        return message
