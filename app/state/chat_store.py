"""The folder where conversations survive a crash, and where each belongs to one window at a time.

KEY.deleted.json  what was deleted since the start, for `restore`
KEY.chat.json ── replaced whole: a crash leaves the version before or the version after, never a torn one
.KEY.lock ────── there while a window has that conversation open; freed however the window ends
session.json ─── the last conversation, and whether the last window was closed
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.state.conversation import Conversation, is_key
from app.state.json_file import JsonFile, parse_json
from workflows.common.files import write_atomically
from workflows.common.locks import Lock, LockHeldError

PARTIAL_EVERY_S = 1.0
ASK_AFTER_CRASHES = 2
ENDING, GONE = ".chat.json", ".deleted.json"


@dataclass(frozen=True, slots=True)
class SavedChat:
    """A conversation in the folder, as the list of them shows it. words: all that is searched."""

    path: Path
    title: str
    changed_at: float
    bundle: str
    words: str

    @property
    def key(self) -> str:
        """What the conversation is called in the store."""
        return self.path.name.removesuffix(ENDING)


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
        self._read: dict[Path, tuple[int, SavedChat]] = {}  # what `saved` knows, with the time of each file

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
        except LockHeldError:  # another window is open: whether it was closed is not known yet
            return str(self._marker.read().get("last", ""))
        for path in self.folder.glob(f"*{GONE}"):
            path.unlink(missing_ok=True)
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
        except LockHeldError as error:
            raise OSError(f"It is {error}, in another window.") from None
        write_atomically(self._path(chat.key), _encode(chat))
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

        Raises LockHeldError where it is another window's, OSError, or ValueError when the file is no conversation.
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

    def saved(self, query: str = "") -> Generator[None, None, list[SavedChat]]:
        """The conversations with all words of `query` in them, newest first; those that cannot be read are left out.

        A file is read again only when it has changed; step by step, because each takes milliseconds.
        """
        found = {}
        for path in self.folder.glob(f"*{ENDING}"):
            with suppress(OSError, ValueError):
                at = path.stat().st_mtime_ns
                known = self._read.get(path)
                if known is None or known[0] != at:
                    yield
                    known = at, _describe(path)
                found[path] = known
        self._read = found
        wanted = query.casefold().split()
        hits = (one for _, one in found.values() if all(word in one.words for word in wanted))
        return sorted(hits, key=lambda one: -one.changed_at)

    def retitle(self, key: str, name: str) -> None:
        """Gives a saved conversation a name; an empty one takes it away.

        Raises LockHeldError where it is another window's, OSError, or ValueError when the file is no conversation.
        """
        with self._borrowed(key):
            chat = _read_chat(self._path(key))
            chat.name = name
            write_atomically(self._path(key), _encode(chat))

    def delete(self, key: str) -> None:
        """Takes a conversation away, until the next start so that `restore` brings it back.

        Raises LockHeldError where it is another window's, or OSError.
        """
        self._settle()
        with self._borrowed(key):
            self._path(key).replace(self._path(key, GONE))

    def restore(self, key: str) -> None:
        """Brings a deleted conversation back. Raises OSError."""
        self._path(key, GONE).replace(self._path(key))

    @contextmanager
    def _borrowed(self, key: str) -> Iterator[None]:
        """The conversation is this window's meanwhile, as it may be before and after."""
        new = key not in self._claims
        self._claim(key)
        try:
            yield
        finally:
            if new:
                self._give_up(key)

    def _path(self, key: str, ending: str = ENDING) -> Path:
        if not is_key(key):
            raise ValueError(f"no conversation is called {key!r}")
        return self.folder / f"{key}{ending}"

    def _mark(self, **changes: object) -> None:
        self._marker.update(lambda marker: marker | changes)

    def _claim(self, key: str) -> None:
        """Makes the conversation this window's. Raises LockHeldError where it is another's, OSError."""
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


def _describe(path: Path) -> SavedChat:
    """Raises OSError, or ValueError when the file is no conversation."""
    chat = _read_chat(path)
    return SavedChat(path, chat.title, chat.changed_at, Path(chat.bundle).name, chat.words().casefold())


def _write_if_possible(path: Path, data: bytes) -> None:
    """A save in the background; what it fails at, the next commit meets again and tells."""
    with suppress(OSError):
        write_atomically(path, data)


def _encode(chat: Conversation) -> bytes:
    return json.dumps(chat.to_dict(), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _read_chat(path: Path) -> Conversation:
    """The conversation in a file, which is called as the file is: a copy made by hand is another one.

    Raises OSError, or ValueError when the file is no conversation.
    """
    chat = Conversation.from_dict(parse_json(path.read_bytes().decode("utf-8", "surrogatepass")))
    chat.key = path.name.removesuffix(ENDING)
    return chat


def _decode_marker(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it holds no object")
    return value
