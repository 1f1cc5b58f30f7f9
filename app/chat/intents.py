"""What a person wants of the chat, as values: every part of the page says so by one signal, and the page does it.

composer, transcript, examples, header, list of chats, keyboard ──wanted(Intent)──▶ ChatPage.do
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Send:
    """A prompt at the end of the conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class ReplacePrompt:
    """A prompt in place of an earlier one, as a new branch."""

    prompt: int
    text: str


@dataclass(frozen=True, slots=True)
class EditPrompt:
    """An earlier prompt back in the composer, the last one where none is named."""

    prompt: int | None = None


@dataclass(frozen=True, slots=True)
class Regenerate:
    """Another reply to the same prompt, to the last one where no reply is named."""

    reply: int | None = None


@dataclass(frozen=True, slots=True)
class SwitchVersion:
    """A message's next or previous version: `step` is 1 or -1."""

    message: int
    step: int


@dataclass(frozen=True, slots=True)
class Stop:
    """The running reply ends; what came stays."""


@dataclass(frozen=True, slots=True)
class NewChat:
    """An empty conversation; this one stays saved."""


@dataclass(frozen=True, slots=True)
class OpenChat:
    """A saved conversation."""

    key: str


@dataclass(frozen=True, slots=True)
class RenameChat:
    """Another name for a saved conversation; an empty one takes its name away."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class DeleteChat:
    """A saved conversation goes; it can be brought back."""

    key: str


@dataclass(frozen=True, slots=True)
class CompareBundles:
    """Two bundles side by side."""


@dataclass(frozen=True, slots=True)
class CopyLast:
    """The last reply's text on the clipboard."""


OfFiles = OpenChat | RenameChat | DeleteChat
Intent = (
    Send
    | ReplacePrompt
    | EditPrompt
    | Regenerate
    | SwitchVersion
    | Stop
    | NewChat
    | OfFiles
    | CompareBundles
    | CopyLast
)
