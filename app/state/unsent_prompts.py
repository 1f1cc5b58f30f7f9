"""Unsent prompts, one file a chat; a crash loses at most the last half second.

text changed ──0.5 s──▶ KEY.draft.json, replaced whole        a chat that is not saved yet has the key `new`
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from app.state.json_file import parse_json
from workflows.common.files import write_atomically

UNSAVED_CHAT_KEY, UNSENT_SUFFIX = "new", ".draft.json"


@dataclass(frozen=True, slots=True)
class UnsentPrompt:
    """A text with its pictures and recordings, and the id of the prompt that it replaces, if it is an edit."""

    text: str = ""
    editing: int | None = None
    files: tuple[str, ...] = ()


class UnsentPrompts:
    """The unsent prompts in a folder of chats."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, key: str) -> UnsentPrompt:
        """The unsent prompt of a chat; empty for none or a damaged file. Raises ValueError for an invalid key."""
        path = self._path(key)
        try:
            saved = parse_json(path.read_bytes().decode("utf-8", "surrogatepass"))
        except (OSError, ValueError):
            return UnsentPrompt()
        if not isinstance(saved, dict) or not isinstance(saved.get("text"), str):
            return UnsentPrompt()
        editing, listed = saved.get("editing"), saved.get("files", saved.get("pictures"))  # as older versions wrote
        files = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        return UnsentPrompt(saved["text"], editing if isinstance(editing, int) else None, tuple(files))

    def write(self, key: str, draft: UnsentPrompt) -> None:
        """Saves an unsent prompt; an empty one removes the file. Raises OSError."""
        path = self._path(key)
        if draft.text.strip() or draft.files:
            write_atomically(path, json.dumps(asdict(draft)).encode())
        else:
            path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise ValueError(f"{key!r} is not a valid conversation key")
        return self._folder / f"{key}{UNSENT_SUFFIX}"
