"""The chat's files when a disk or another window says no: what is said, and which way on is offered."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.chat.chat_files import ChatFiles
from app.chat.intents import DeleteChat, OpenChat, RenameChat
from app.state.chat_store import SavedChat
from app.state.conversation_format import conversation_to_json, conversation_to_markdown
from app.widgets import Banner
from tests.app.test_conversation import talk
from workflows.common.locks import LockHeldError


def at_once(saved: list[SavedChat]) -> Generator[None, None, list[SavedChat]]:
    yield
    return saved


class Bench(QWidget):
    """Files over a controller that does as it is told; `fails` are raised by what is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.chat, _, _ = talk()
        self.chat.key = "open"
        self.did: list[tuple[str, ...]] = []
        self.fails: dict[str, Exception] = {}
        self.begun, self.crashed_repeatedly = "last", False
        saved = [SavedChat(Path(f"/chats/{key}.chat.json"), f"About {key}", 0.0, "", "") for key in ("open", "old")]
        store: Any = SimpleNamespace(
            begin=self._does("begin", lambda: self.begun),
            restore=self._does("restore"),
            saved=lambda: at_once(saved),
            retitle=self._does("retitle"),
        )
        controller: Any = SimpleNamespace(
            store=store, chat=self.chat, unsaved=SimpleNamespace(connect=lambda take: None),
            **{name: self._does(name) for name in ("open_chat", "delete")},
        )  # fmt: skip
        self.store = store
        self.banner, self.chat_banner = Banner(self), Banner(self)
        self.files = ChatFiles(controller, QMenu(self), self.banner, self.chat_banner, self)
        self.changes = 0
        self.files.changed.connect(self._count)

    def _count(self) -> None:
        self.changes += 1

    def _does(self, name: str, result: Callable[[], object] = lambda: None) -> Callable[..., object]:
        def act(*words: str, **options: bool) -> object:
            self.did.append((name, *words, *(option for option, on in options.items() if on)))
            if name in self.fails:
                raise self.fails[name]
            return result()

        return act

    @property
    def offered(self) -> str:
        return "" if self.chat_banner._action.isHidden() else self.chat_banner._action.text()


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    made = Bench()
    qtbot.addWidget(made)
    made.store.crashed_repeatedly = False
    return made


HELD = LockHeldError("process 7 on here")
FULL = OSError(28, "No space left on device")


def test_the_last_chat_opens_by_itself_unless_that_ended_badly_twice(bench: Bench) -> None:
    bench.files.restore()
    assert bench.did == [("begin",), ("open_chat", "last")] and bench.chat_banner.message == ""
    bench.store.crashed_repeatedly = True
    bench.files.restore()
    assert bench.did[2:] == [("begin",)] and "unexpectedly twice" in bench.chat_banner.message
    bench.chat_banner._action.click()
    assert bench.did[3:] == [("open_chat", "last")] and bench.chat_banner.message == ""


def test_a_first_start_opens_nothing_and_a_disk_that_fails_is_reported(bench: Bench) -> None:
    bench.begun = ""
    bench.files.restore()
    assert bench.did == [("begin",)] and bench.chat_banner.message == ""
    bench.fails["begin"] = FULL
    bench.files.restore()
    assert bench.chat_banner.message == "This chat could not be saved."
    assert "No space left" in bench.chat_banner._details.toPlainText()


def test_a_chat_of_another_window_is_offered_as_a_copy(bench: Bench) -> None:
    bench.fails["open_chat"] = HELD
    bench.files.do(OpenChat("old"))
    bench.fails.clear()
    assert "open in another window" in bench.chat_banner.message and bench.offered == "Open a copy"
    bench.chat_banner._action.click()
    assert bench.did == [("open_chat", "old"), ("open_chat", "old", "copy")] and bench.chat_banner.message == ""


@pytest.mark.parametrize("error", [FULL, ValueError("it is no conversation")])
def test_a_chat_that_cannot_be_read_gives_the_reason(bench: Bench, error: Exception) -> None:
    bench.fails["open_chat"] = error
    bench.files.open_chat("old")
    assert "could not be read" in bench.chat_banner.message
    assert bench.chat_banner._details.toPlainText() == str(error)


def test_a_chat_that_is_gone_is_passed_over(bench: Bench) -> None:
    bench.fails["open_chat"] = FileNotFoundError()
    bench.files.open_chat("old")
    assert bench.chat_banner.message == ""


@pytest.mark.parametrize(
    ("error", "said"),
    [(HELD, "open in another window; only that window can change it"), (FULL, "could not be changed")],
)
@pytest.mark.parametrize(("intent", "what"), [(RenameChat("old", "New"), "retitle"), (DeleteChat("old"), "delete")])
def test_what_could_not_be_changed_is_reported_and_the_list_is_read_anew(
    bench: Bench, intent: RenameChat | DeleteChat, what: str, error: Exception, said: str
) -> None:
    bench.fails[what] = error
    bench.files.do(intent)
    assert said in bench.chat_banner.message and bench.offered == "" and bench.changes == 1


def test_a_deleted_chat_comes_back_and_opens_only_into_an_empty_page(bench: Bench) -> None:
    bench.files.do(DeleteChat("open"))
    assert bench.chat_banner.message == "The chat “About open” was deleted." and bench.offered == "Undo"
    bench.chat_banner._action.click()
    assert bench.did == [("delete", "open"), ("restore", "open")]  # something else is said there by now
    assert bench.chat_banner.message == "" and bench.changes == 2


def test_an_undo_that_fails_is_reported(bench: Bench) -> None:
    bench.files.do(DeleteChat("old"))
    bench.fails["restore"] = FileNotFoundError(2, "No such file")
    bench.chat_banner._action.click()
    assert "could not be changed" in bench.chat_banner.message


# -- export ----------------------------------------------------------------------------------------------------


def test_the_menu_copies_and_asks_where_to(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    menu = QMenu(bench)
    bench.files.fill_export(menu)
    bench.files.fill_export(menu)
    assert len(menu.actions()) == 3
    asked: list[str] = []

    def choose(_page: object, _title: str, draft: str, kinds: str) -> tuple[str, str]:
        assert Path(draft).is_absolute()  # not where the program was started
        asked.append(f"{Path(draft).name} {kinds}")
        return str(tmp_path / Path(draft).name), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    for entry in menu.actions():
        entry.trigger()
    assert asked == ["chat.md *.md", "chat.json *.json"]
    assert (
        (tmp_path / "chat.md").read_text() == conversation_to_markdown(bench.chat) == QGuiApplication.clipboard().text()
    )
    assert json.loads((tmp_path / "chat.json").read_text()) == json.loads(conversation_to_json(bench.chat))


def test_who_chooses_no_file_writes_none_and_one_that_cannot_be_written_is_reported(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    bench.files.choose_file("md")
    assert bench.banner.message == "" and list(tmp_path.iterdir()) == []
    bench.files.export(tmp_path / "no" / "such" / "chat.md")
    assert bench.banner.message == "The chat could not be exported."
    assert "No such file" in bench.banner._details.toPlainText()
