"""The folder of saved conversations, shared by all windows.

KEY.chat.json ── a conversation; replaced whole, so that a crash leaves the old or the new version
KEY.deleted.json  one that was deleted since the start, for `restore`; the next start removes it and its media
.KEY.lock ────── held while a window has that conversation open; released however the window ends
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
from app.state.conversation_format import conversation_from_dict, conversation_to_dict, searched_text
from app.state.json_file import JsonFile, parse_json
from app.state.media_files import remove_media
from app.state.unsent_prompts import UNSENT_SUFFIX
from workflows.common.files import write_atomically
from workflows.common.locks import Lock, LockHeldError

PARTIAL_EVERY_S = 1.0
ASK_AFTER_CRASHES = 2
SUFFIX, DELETED_SUFFIX = ".chat.json", ".deleted.json"


@dataclass(frozen=True, slots=True)
class SavedChat:
    """A conversation in the folder, as the list of chats shows it. searched_text: of all its branches."""

    path: Path
    title: str
    changed_at: float
    bundle: str
    searched_text: str

    @property
    def key(self) -> str:
        """The conversation's key in the store."""
        return self.path.name.removesuffix(SUFFIX)


class ChatStore:
    """The folder of conversations. `commit` waits for the disk; `partial` does not, and saves at most once a second.

    Each conversation belongs to the window that holds its lock. `session.json` tells a crash from a proper end: it
    names the last conversation and counts how many times in a row `close` was not called. Only the first window counts,
    as others start beside it.
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
        self._read: dict[Path, tuple[int, SavedChat]] = {}  # the results of `saved`, with the time of each file

    @property
    def crashed_repeatedly(self) -> bool:
        """Whether the last starts crashed so often that the user is asked before the chat is restored."""
        return self._crashes >= ASK_AFTER_CRASHES

    def begin(self) -> str:
        """Registers a start, and a crash before it, if any; returns the last conversation's key. Raises OSError."""
        try:
            self._presence.acquire()
            self._is_first = True
        except LockHeldError:  # another window is open, and may still end properly
            return str(self._marker.read().get("last", ""))
        _remove_deleted(self.folder)
        self._last_key = str(self._marker.update(self._count_crash)["last"])
        return self._last_key

    def _count_crash(self, marker: dict[str, Any]) -> dict[str, Any]:
        crashed, count = marker.get("open", False) is True, marker.get("crashes", 0)
        self._crashes = (count if isinstance(count, int) else 0) + 1 if crashed else 0
        return {"open": True, "crashes": self._crashes, "last": str(marker.get("last", ""))}

    def close(self) -> None:
        """Registers a proper end: waits for the background save and releases the locks. Raises OSError."""
        self._wait_for_writer()
        self._crashes = 0
        try:
            if self._is_first:
                self._mark(open=False, crashes=0)
        finally:
            self._release(*self._claims)
            self._presence.release()
            self._is_first = False

    def commit(self, chat: Conversation, answering: str = "", shown: bool = True) -> None:
        """Saves and waits for the disk. Raises OSError, also if another window has the conversation open.

        The next start shows the one that was shown last. answering: the key of another one, whose reply runs and which
        stays locked; one that is not shown is unlocked, for its reply has ended.
        """
        self._wait_for_writer()
        try:
            self._claim(chat.key)
        except LockHeldError as error:
            raise OSError(f"It is {error}, in another window.") from None
        write_atomically(self._path(chat.key), _encode(chat))
        self._last_partial = self._clock()
        if chat.key != self._last_key:
            self._release(*({self._last_key} - {answering} if shown else {chat.key}))
        if shown and chat.key != self._last_key:
            self._last_key = chat.key
            self._mark(last=chat.key)

    def partial(self, chat: Conversation) -> bool:
        """Saves a growing reply in the background; returns False if the last save is too recent."""
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
        """Loads and locks a conversation. Raises LockHeldError for one of another window, OSError or ValueError."""
        new = key not in self._claims
        self._claim(key)
        try:
            return _read_chat(self._path(key))
        except (OSError, ValueError):
            if new:
                self._release(key)
            raise

    def copy(self, key: str) -> Conversation:
        """Returns a new conversation that begins as the one called `key`. Raises OSError or ValueError like load."""
        chat = _read_chat(self._path(key))
        chat.key = Conversation().key
        return chat

    def forget(self, answering: str = "") -> None:
        """Releases this window's conversations but `answering`; the next start restores none. Raises OSError."""
        self._wait_for_writer()
        self._release(*(key for key in [*self._claims] if key != answering))
        last, self._last_key = self._last_key, ""
        self._marker.update(lambda marker: marker | ({"last": ""} if marker.get("last") == last else {}))

    def saved(self, query: str = "") -> Generator[None, None, list[SavedChat]]:
        """The conversations that contain all words of `query`, newest first; unreadable ones are left out.

        A file is read again only when it has changed. The generator pauses before each file, which takes milliseconds.
        """
        current = {}
        for path in self.folder.glob(f"*{SUFFIX}"):
            with suppress(OSError, ValueError):
                at = path.stat().st_mtime_ns
                known = self._read.get(path)
                if known is None or known[0] != at:
                    yield
                    known = at, _describe(path)
                current[path] = known
        self._read = current
        terms = query.casefold().split()
        matches = (one for _, one in current.values() if all(word in one.searched_text for word in terms))
        return sorted(matches, key=lambda one: -one.changed_at)

    def retitle(self, key: str, name: str) -> None:
        """Names a saved conversation; an empty name removes it. Raises the errors of `load`."""
        with self._claimed(key):
            chat = _read_chat(self._path(key))
            chat.name = name
            write_atomically(self._path(key), _encode(chat))

    def delete(self, key: str) -> None:
        """Deletes a conversation until the next start or `restore`. Raises LockHeldError or OSError."""
        self._wait_for_writer()
        with self._claimed(key):
            self._path(key).replace(self._path(key, DELETED_SUFFIX))

    def restore(self, key: str) -> None:
        """Restores a deleted conversation. Raises OSError."""
        self._path(key, DELETED_SUFFIX).replace(self._path(key))

    @contextmanager
    def _claimed(self, key: str) -> Iterator[None]:
        """Locks the conversation meanwhile, if this window has not locked it already."""
        new = key not in self._claims
        self._claim(key)
        try:
            yield
        finally:
            if new:
                self._release(key)

    def _path(self, key: str, ending: str = SUFFIX) -> Path:
        if not is_key(key):
            raise ValueError(f"{key!r} is not a valid conversation key")
        return self.folder / f"{key}{ending}"

    def _mark(self, **changes: object) -> None:
        self._marker.update(lambda marker: marker | changes)

    def _claim(self, key: str) -> None:
        """Locks the conversation for this window. Raises LockHeldError if another window has it open, or OSError."""
        if key not in self._claims:
            lock = Lock(self._path(key).with_name(f".{key}.lock"))
            lock.acquire()
            self._claims[key] = lock

    def _release(self, *keys: str) -> None:
        for key in keys:
            if key in self._claims:
                self._claims.pop(key).release()

    def _wait_for_writer(self) -> None:
        """Waits for a background save."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.join()


def _describe(path: Path) -> SavedChat:
    """Raises OSError, or ValueError when the file is no conversation."""
    chat = _read_chat(path)
    last = chat.last("assistant")
    bundle = last.reply.bundle if last is not None and last.reply is not None else Path(chat.bundle).name
    return SavedChat(path, chat.title, chat.changed_at, bundle, searched_text(chat))


def _write_if_possible(path: Path, data: bytes) -> None:
    """Saves in the background; an error is ignored, as the next commit meets and raises it."""
    with suppress(OSError):
        write_atomically(path, data)


def _encode(chat: Conversation) -> bytes:
    return json.dumps(conversation_to_dict(chat), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _read_chat(path: Path) -> Conversation:
    """The conversation in a file, whose name is its key: a copied file is another one. Raises OSError or ValueError."""
    chat = conversation_from_dict(parse_json(path.read_bytes().decode("utf-8", "surrogatepass")))
    chat.key = path.name.removesuffix(SUFFIX)
    return chat


def _decode_marker(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    return value


def _remove_deleted(folder: Path) -> None:
    """Removes what was deleted before; what cannot be read or removed now is left for the next start."""
    chats = list(folder.glob(f"*{DELETED_SUFFIX}"))
    unsent = [folder / f"{path.name.removesuffix(DELETED_SUFFIX)}{UNSENT_SUFFIX}" for path in chats]
    deleted = [*chats, *(path for path in unsent if path.is_file())]
    with suppress(OSError):
        remove_media(folder, deleted)
        for path in deleted:
            path.unlink(missing_ok=True)
