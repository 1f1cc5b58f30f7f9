"""What is written in the composer and not sent yet, one file a chat; a crash loses at most the last half second.

text changed ──0.5 s──▶ KEY.draft.json, replaced whole        a chat that is not saved yet has the key `new`
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from app.state.json_file import parse_json
from workflows.common.files import write_atomically

UNSAVED_CHAT_KEY = "new"


@dataclass(frozen=True, slots=True)
class UnsentPrompt:
    """A text, and the id of the prompt that it is to replace, where it is an edit."""

    text: str = ""
    editing: int | None = None


class UnsentPrompts:
    """The drafts in a folder of chats. What cannot be written stays in the composer alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, key: str) -> UnsentPrompt:
        """A chat's draft, empty where there is none or its file is damaged. Raises ValueError for what is no key."""
        path = self._path(key)
        try:
            found = parse_json(path.read_bytes().decode("utf-8", "surrogatepass"))
        except (OSError, ValueError):
            return UnsentPrompt()
        if not isinstance(found, dict) or not isinstance(found.get("text"), str):
            return UnsentPrompt()
        editing = found.get("editing")
        return UnsentPrompt(found["text"], editing if isinstance(editing, int) else None)

    def write(self, key: str, draft: UnsentPrompt) -> None:
        """Keeps a draft; an empty one leaves no file. Raises OSError."""
        path = self._path(key)
        if draft.text.strip():
            write_atomically(path, json.dumps(asdict(draft)).encode())
        else:
            path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise ValueError(f"no conversation is called {key!r}")
        return self._folder / f"{key}.draft.json"
