"""What the user can do in the chat, as values: every widget of the page emits them, and the page performs them.

composer, transcript, examples, header, list of chats, keyboard ──requested(Intent)──▶ ChatPage.do
"""

from __future__ import annotations

from dataclasses import dataclass

from workflows.wire.requests import SoundPrompt


@dataclass(frozen=True, slots=True)
class Send:
    """Send a prompt at the end of the conversation. files: pictures and recordings that come before its text."""

    text: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SendSound:
    """Have a sound file transcribed, as a turn of its own."""

    sound: SoundPrompt


@dataclass(frozen=True, slots=True)
class PlaySound:
    """Play the recording of a prompt from its cursor, or pause it."""

    message: int


@dataclass(frozen=True, slots=True)
class MoveSound:
    """Move the cursor of a prompt's recording."""

    message: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PlaySegment:
    """Play a recording from the beginning of a segment of its transcript. reply: the transcript's message."""

    reply: int
    place: int


@dataclass(frozen=True, slots=True)
class ReplacePrompt:
    """Send a prompt in place of an earlier one, as a new branch."""

    prompt: int
    text: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditPrompt:
    """Edit an earlier prompt in the composer; the last one for None."""

    prompt: int | None = None


@dataclass(frozen=True, slots=True)
class Regenerate:
    """Generate another reply to the same prompt; to the last one for None."""

    reply: int | None = None


@dataclass(frozen=True, slots=True)
class SwitchVersion:
    """Show the next or previous version of a message: `step` is 1 or -1."""

    message: int
    step: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the running reply; its text stays."""


@dataclass(frozen=True, slots=True)
class NewChat:
    """Start an empty conversation; this one stays saved."""


@dataclass(frozen=True, slots=True)
class StartOver:
    """Send the last prompt in a new conversation; this one stays saved."""


@dataclass(frozen=True, slots=True)
class OpenChat:
    """Open a saved conversation."""

    key: str


@dataclass(frozen=True, slots=True)
class RenameChat:
    """Rename a saved conversation; an empty name removes its name."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class DeleteChat:
    """Delete a saved conversation; it can be restored."""

    key: str


@dataclass(frozen=True, slots=True)
class CompareBundles:
    """Compare two bundles side by side."""


@dataclass(frozen=True, slots=True)
class CopyLast:
    """Copy the last reply's text to the clipboard."""


OfFiles = OpenChat | RenameChat | DeleteChat
OfSounds = PlaySound | MoveSound | PlaySegment
Intent = (
    Send
    | SendSound
    | ReplacePrompt
    | EditPrompt
    | Regenerate
    | SwitchVersion
    | Stop
    | NewChat
    | StartOver
    | OfFiles
    | OfSounds
    | CompareBundles
    | CopyLast
)
