"""Which files a chat takes, and pictures that are saved by their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from app.state.media_files import PICTURE_SUFFIXES, SOUND_SUFFIXES, file_filter, of_kind, save_picture
from app.state.unsent_prompts import UnsentPrompt, UnsentPrompts


def test_kinds_go_by_the_ending() -> None:
    paths = ["/a.PNG", "/b.wav", "/c.txt", "/d.jpeg", "/png"]
    assert of_kind(paths, PICTURE_SUFFIXES) == ["/a.PNG", "/d.jpeg"] and of_kind(paths, SOUND_SUFFIXES) == ["/b.wav"]
    assert file_filter("Sounds", (".a", ".b")) == "Sounds (*.a *.b)"


def test_the_same_picture_has_one_file(tmp_path: Path) -> None:
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    path = save_picture(image, tmp_path)
    assert path.name == f"{hashlib.sha256(path.read_bytes()).hexdigest()}.png"
    assert save_picture(image.copy(), tmp_path) == path
    image.setPixelColor(0, 0, QColor("blue"))
    assert save_picture(image, tmp_path) != path and len(list(tmp_path.iterdir())) == 2
    with pytest.raises(OSError, match="damaged or empty"):
        save_picture(QImage(), tmp_path)


def test_the_media_of_a_deleted_chat_are_removed_at_the_next_start(tmp_path: Path) -> None:
    """Those that another chat or an unsent prompt names stay, and so do files from elsewhere; the chat can be restored
    until then."""
    folder, elsewhere = tmp_path / "chats", tmp_path / "own.png"
    names = [
        "pictures/own.png",
        "pictures/both.png",
        "pictures/unsent.png",
        "recordings/talk.wav",
        "pictures/draft.png",
    ]
    own, both, unsent, talk, draft = files = [folder / name for name in names]
    for path in (*files, elsewhere):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"data")
    store = ChatStore(folder)
    store.begin()
    one, other = Conversation(), Conversation()
    one.ask("x", [str(path) for path in (own, both, unsent, talk, elsewhere)])
    other.ask("y", [str(both)])
    for chat in (one, other):
        store.commit(chat)
    UnsentPrompts(folder).write("new", UnsentPrompt("z", files=(str(unsent),)))
    UnsentPrompts(folder).write(one.key, UnsentPrompt("z", files=(str(draft),)))
    store.delete(one.key)
    store.restore(one.key)
    store.delete(one.key)
    assert all(path.is_file() for path in files)
    store.close()
    again = ChatStore(folder)
    again.begin()
    assert [path.is_file() for path in files] == [False, True, True, False, False] and elsewhere.is_file()
    assert UnsentPrompts(folder).read(one.key) == UnsentPrompt() and len(list(folder.glob("*.chat.json"))) == 1
    again.close()
