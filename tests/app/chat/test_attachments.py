"""Pictures and sounds in the chat: attached by file, drop and paste; sent, shown, saved and restored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.chat.attachments import AttachmentDrop, Attachments
from app.chat.composer import Composer
from app.chat.intents import PlaySound, ReplacePrompt, Send, SendSound
from app.chat.page import ChatPage
from app.state.context import AppContext
from app.state.conversation import TranscriptSegment
from app.state.conversation_format import conversation_from_dict, conversation_to_dict, conversation_to_markdown
from app.state.unsent_prompts import UnsentPrompt, UnsentPrompts
from app.widgets.thumbnail import Thumbnail
from tests.app.chat.speech.fake_microphone import FakeMicrophone
from tests.app.chat.speech.fake_player import FakePlayer
from tests.fakes.worker import SPEECH, program
from workflows.wire.codec import read
from workflows.wire.requests import Generate, SoundPrompt, Turn

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def picture(path: Path, width: int = 40, height: int = 20) -> str:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    assert image.save(str(path))
    return str(path)


@pytest.fixture
def composer(qtbot: QtBot, tmp_path: Path) -> Composer:
    made = Composer()
    qtbot.addWidget(made)
    made.attachments.folder = tmp_path / "pictures"
    made.set_senses(True, None)
    made.resize(600, 200)
    made.show()
    return made


@pytest.fixture
def wants(composer: Composer) -> list[object]:
    found: list[object] = []
    composer.requested.connect(found.append)
    return found


def dropped(area: Any, data: QMimeData) -> bool:
    """Drags data over a widget and drops it; whether the widget took it."""
    point, action = QPointF(5, 5), Qt.DropAction.CopyAction
    entered = QDragEnterEvent(point.toPoint(), action, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered.ignore()
    QApplication.sendEvent(area, entered)
    if not entered.isAccepted():
        return False
    drop = QDropEvent(point, action, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(area, drop)
    return True


def files(*paths: object) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_buttons_are_those_of_the_open_bundle(composer: Composer) -> None:
    a = composer.attachments
    assert a.picture_button.isVisible() and not a.speech.choose.isVisible() and a.picture_button.accessibleName()
    composer.set_senses(False, SPEECH)
    assert a.speech.choose.isVisible() and a.speech.times.isVisible()
    assert not a.picture_button.isVisible() and not composer.edit.isVisible() and not composer.button.isVisible()
    composer.set_running(True)
    assert composer.button.isVisible() and not a.speech.choose.isEnabled()
    composer.set_running(False)
    composer.set_senses(False, None)
    assert composer.edit.isVisible() and composer.button.isVisible() and not a.picture_button.isVisible()


def test_chosen_files_are_shown_removed_and_sent(
    composer: Composer, wants: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = picture(tmp_path / "a.png"), picture(tmp_path / "b.jpg")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([a, b, a], ""))
    composer.attachments.picture_button.click()
    row = composer.attachments.row
    assert row.files == (a, b) and row.isVisible() and composer.button.isEnabled()
    assert [one.accessibleName() for one in row.findChildren(Thumbnail)] == ["Picture a.png", "Picture b.jpg"]
    removes = [one for one in row.findChildren(QToolButton) if one.accessibleName() == "Remove a.png"]
    removes[0].click()
    assert composer.unsent_prompt == UnsentPrompt("", None, (b,))
    composer.submit()
    assert wants == [Send("", (b,))] and composer.unsent_prompt == UnsentPrompt() and not row.isVisible()


def test_an_edited_prompt_has_its_pictures(composer: Composer, wants: list[object], tmp_path: Path) -> None:
    a = picture(tmp_path / "a.png")
    composer.begin_edit(3, "old", (a,))
    composer.submit()
    assert wants == [ReplacePrompt(3, "old", (a,))]


def test_drop_takes_what_the_bundle_takes(composer: Composer, wants: list[object], tmp_path: Path) -> None:
    a, sound = picture(tmp_path / "a.png"), tmp_path / "s.WAV"
    assert dropped(composer, files(a, sound, tmp_path / "x.onnx"))
    assert composer.attachments.row.files == (a,)
    assert not dropped(composer, files(sound)) and not dropped(composer, files(tmp_path / "x.onnx"))
    composer.set_senses(False, SPEECH)
    assert not dropped(composer, files(a))
    composer.attachments.speech.times.click()
    assert dropped(composer, files(sound)) and wants == [SendSound(SoundPrompt(str(sound), timestamps=True))]
    composer.set_running(True)
    assert dropped(composer, files(sound)) and len(wants) == 1  # the next one waits for its turn


def test_a_pasted_image_is_saved_once_by_its_content(composer: Composer, qtbot: QtBot, tmp_path: Path) -> None:
    image = QImage(30, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    for _ in range(2):
        QGuiApplication.clipboard().setImage(image)
        composer.edit.paste()
        qtbot.waitUntil(lambda: len(composer.attachments.row.files) == 1)
    (saved,) = composer.attachments.row.files
    assert Path(saved).parent == tmp_path / "pictures" and len(Path(saved).stem) == 64
    assert [file.name for file in (tmp_path / "pictures").iterdir()] == [Path(saved).name]
    assert QImage(saved).pixelColor(3, 3) == QColor("red")
    QGuiApplication.clipboard().setText("words")
    composer.edit.paste()
    assert composer.edit.toPlainText() == "words" and composer.attachments.row.files == (saved,)


def test_text_is_pasted_where_a_program_offers_its_picture_too(composer: Composer) -> None:
    data, image = QMimeData(), QImage(3, 3, QImage.Format.Format_RGB32)
    data.setText("cells")
    data.setImageData(image)
    assert not composer.attachments.takes(data) and composer.edit.canInsertFromMimeData(data)


def test_a_folder_that_cannot_be_written_is_one_sentence(composer: Composer, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "pictures").write_text("a file")
    data, image = QMimeData(), QImage(3, 3, QImage.Format.Format_RGB32)
    image.fill(0)
    data.setImageData(image)
    with qtbot.waitSignal(composer.attachments.failed) as failed:
        composer.attachments.take(data)
    assert "pictures" in failed.args[0] and composer.attachments.row.files == ()


def test_unsent_pictures_come_back(tmp_path: Path) -> None:
    prompts = UnsentPrompts(tmp_path)
    for one in (UnsentPrompt("", None, ("/a.png",)), UnsentPrompt("x", 4, ("/a.png", "/b.png"))):
        prompts.write("abc", one)
        assert prompts.read("abc") == one
    (tmp_path / "abc.draft.json").write_text('{"text": "x", "pictures": [1, "/a.png"]}')
    assert prompts.read("abc") == UnsentPrompt("x", None, ("/a.png",))


# -- the page --------------------------------------------------------------------------------------------------

Make = Callable[..., ChatPage]


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    made: list[ChatPage] = []

    def build(**scenario: Any) -> ChatPage:
        def summary(folder: str) -> dict[str, Any]:
            return {
                "path": folder,
                "name": "demo",
                "model_type": "x",
                "precision": "fp32",
                "layout": "static",
                "capacity": 64,
            }

        page = ChatPage(AppContext(tmp_path / "home", program(asked=str(tmp_path / "asked"), **scenario), summary))
        qtbot.addWidget(page)
        made.append(page)
        page.context.open_bundle("/b/demo")
        page.show()
        qtbot.waitUntil(lambda: page.context.ready is not None)
        return page

    yield build
    for page in made:
        page.shut()
        page.hide()
        page.context.close()


def asked(tmp_path: Path) -> list[Generate]:
    import json

    return [read(Generate, json.loads(line)) for line in (tmp_path / "asked").read_text("utf-8").splitlines()]


def test_pictures_are_sent_in_every_turn_shown_and_saved(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """A file that is gone later is a placeholder, and the chat goes on without it."""
    page, a, b = make(sees=True), picture(tmp_path / "a.png"), picture(tmp_path / "b.png")
    assert page.composer.attachments.picture_button.isVisible()
    page.do(Send("What is it?", (a,)))
    qtbot.waitUntil(lambda: not page.controller.running)
    page.do(Send("", (b,)))
    qtbot.waitUntil(lambda: not page.controller.running)
    first, second = asked(tmp_path)
    assert first.messages == (Turn("user", "What is it?", (a,)),)
    assert second.messages == (Turn("user", "What is it?", (a,)), Turn("assistant", "56"), Turn("user", "", (b,)))
    shown = [view.findChildren(Thumbnail) for view in page.transcript.views]
    assert [[one.path for one in row] for row in shown] == [[a], [], [b], []]
    assert not page.transcript.views[2].text.isVisible()  # it has no text
    chat = conversation_from_dict(conversation_to_dict(page.controller.chat))
    assert [message.files for message in chat.path()] == [(a,), (), (b,), ()]
    assert f"Picture: {a}" in conversation_to_markdown(chat)
    Path(a).unlink()
    key = page.controller.chat.key
    page.controller.new_chat()
    page.controller.open_chat(key)
    (gone,) = page.transcript.views[0].findChildren(Thumbnail)
    assert gone.missing and not gone.shown and "a.png is missing" in gone.accessibleName()
    page.do(Send("And now?"))
    qtbot.waitUntil(lambda: not page.controller.running)
    third = asked(tmp_path)[2].messages
    assert third is not None and [turn.pictures for turn in third] == [(), (), (b,), (), ()]


def test_recordings_beside_a_prompt_are_attached(
    composer: Composer, wants: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By drop and by the button, which says so; pictures only where the bundle sees, too."""
    sound, other, a = tmp_path / "s.wav", tmp_path / "a-name-that-is-much-too-long-to-be-shown.flac", tmp_path / "a.png"
    sound.write_bytes(b"RIFF")
    picture(a)
    composer.set_senses(False, None, takes_sound=True)
    button = composer.attachments.picture_button
    assert button.isVisible() and button.accessibleName() == "Attach recordings (Ctrl+Shift+P)"
    assert composer.edit.isVisible() and dropped(composer, files(a, sound)) and not dropped(composer, files(a))
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(other)], ""))
    button.click()
    row = composer.attachments.row
    assert row.files == (str(sound), str(other)) and row.isVisible()
    names = {widget.accessibleName() for widget in row.findChildren(QWidget)}
    assert {"Recording s.wav", f"The recording {other.name} is missing; it is not sent."} <= names
    assert any(one.text() == "a-name-that-is-much-too-long-to…" for one in row.findChildren(QLabel))
    composer.submit()
    assert wants == [Send("", (str(sound), str(other)))]
    composer.set_senses(True, None, takes_sound=True)
    assert button.accessibleName() == "Attach pictures (Ctrl+Shift+P)"
    assert dropped(composer, files(a, sound)) and row.files == (str(a), str(sound))


def test_recordings_are_sent_in_every_turn(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    page, sound = make(takes_sound=True), tmp_path / "s.wav"
    sound.write_bytes(b"RIFF")
    page.do(Send("Who speaks?", (str(sound),)))
    qtbot.waitUntil(lambda: not page.controller.running)
    page.do(Send("And where?"))
    qtbot.waitUntil(lambda: not page.controller.running)
    turn = Turn("user", "Who speaks?", sounds=(str(sound),))
    assert [one.messages[0] for one in asked(tmp_path) if one.messages] == [turn, turn]
    assert "Recording s.wav" in {one.accessibleName() for one in page.transcript.views[0].findChildren(QWidget)}
    chat = conversation_from_dict(conversation_to_dict(page.controller.chat))
    assert chat.path()[0].files == (str(sound),) and f"Recording: {sound}" in conversation_to_markdown(chat)


def test_the_context_bar_says_what_each_picture_takes(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    page, a, b = make(sees=True), picture(tmp_path / "a.png"), picture(tmp_path / "b.png")
    bar = page.context_bar
    page.do(Send("Which?", (a, b)))
    qtbot.waitUntil(lambda: not page.controller.running)
    assert bar.pictures.isVisible() and bar.pictures.text() == "16 tokens of 2 pictures"
    assert bar.bar.accessibleDescription() == "a.png: 8 tokens; b.png: 8 tokens"
    assert bar.bar.toolTip() == bar.pictures.toolTip() and "b.png: 8 tokens" in bar.bar.toolTip()
    assert bar.bar.pictured == 16 / 4096 < bar.bar.share
    page.session.cache.rewind(10)  # in the middle of the first
    qtbot.waitUntil(lambda: bar.pictures.text() == "6 tokens of 1 picture")
    page.controller.new_chat()
    assert not bar.pictures.isVisible() and bar.bar.pictured == 0


@pytest.mark.parametrize("timed", [False, True])
def test_a_sound_is_a_turn_and_its_reply_the_transcript(
    make: Make, qtbot: QtBot, tmp_path: Path, timed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, sound = make(listens=True, reply="good *morning*"), str(tmp_path / "call.wav")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (sound, ""))
    speech = page.composer.attachments.speech
    speech.times.setChecked(timed)
    speech.language.setCurrentIndex(speech.language.findData("de" if timed else None))
    speech.task.setCurrentIndex(1 if timed else 0)
    page.composer.attachments.speech.choose.click()
    qtbot.waitUntil(lambda: page.controller.running or len(page.controller.chat) == 2)
    qtbot.waitUntil(lambda: not page.controller.running)
    (request,) = asked(tmp_path)
    asked_for = SoundPrompt(sound, "de", "translate", timestamps=True) if timed else SoundPrompt(sound)
    assert request.sound == asked_for and request.messages is None
    wanted = "[0.0 – 1.5 s] good *morning*" if timed else "good *morning*"
    prompt, reply = page.controller.chat.path()
    assert (prompt.content, prompt.sound, reply.content.strip()) == ("call.wav", request.sound, wanted)
    view = page.transcript.views[1]
    if timed:
        assert view.segments is not None and not view.text.isVisible()
        assert view.segments.toPlainText() == "0:00.0 – 0:01.5  good *morning*"
        assert reply.reply is not None and reply.reply.segments == [TranscriptSegment(0.0, 1.5, "good *morning*")]
    else:
        assert view.segments is None and view.text.toPlainText().strip() == wanted  # no Markdown
    with pytest.raises(KeyError):
        page.transcript.views[0].tool("edit")
    page.controller.regenerate()
    qtbot.waitUntil(lambda: not page.controller.running)
    assert asked(tmp_path)[1].sound == request.sound
    (back, answer) = conversation_from_dict(conversation_to_dict(page.controller.chat)).path()
    assert back.sound == request.sound and answer.reply == page.controller.chat.path()[1].reply


@pytest.fixture
def microphone(monkeypatch: pytest.MonkeyPatch, qapp: object) -> FakeMicrophone:
    one = FakeMicrophone()
    monkeypatch.setattr("app.chat.speech.sound_device.open_microphone", lambda _owner: one)
    return one


def test_a_recording_is_made_transcribed_and_saved_with_the_chats(
    make: Make, qtbot: QtBot, tmp_path: Path, microphone: FakeMicrophone
) -> None:
    page = make(listens=True, reply="good morning")
    row = page.composer.attachments.speech
    assert row.record.text() == "Record" and row.record.isEnabled() and not row.level.isVisible()
    row.record.click()
    microphone.speak(16384, 1.0)
    assert (row.record.text(), row.length.text(), row.level.value()) == ("Stop and transcribe", "0:01.0", 50)
    assert row.level.isVisible() and not row.choose.isEnabled()
    assert not page.composer.attachments.takes(files(tmp_path / "a.wav"))
    row.record.click()
    qtbot.waitUntil(lambda: len(page.controller.chat) == 2 and not page.controller.running)
    (request,) = asked(tmp_path)
    assert request.sound is not None
    path = Path(request.sound.path)
    assert path.parent == page.store.folder / "recordings" and path.is_file()
    assert row.record.text() == "Record" and row.choose.isEnabled()


def test_the_keyboard_stays_with_what_sends_and_stops(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    """The pressed button is disabled while the reply runs: the focus must not go into the transcript."""
    page = make(listens=True, reply="good morning", pause=0.05)
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    choose = page.composer.attachments.speech.choose
    choose.setFocus()
    page.do(SendSound(SoundPrompt(str(tmp_path / "a.wav"))))
    assert page.composer.button.hasFocus() and page.composer.button.text() == "Stop"
    qtbot.waitUntil(lambda: not page.controller.running)
    assert choose.hasFocus()


def test_a_recording_stops_what_plays(
    make: Make, qtbot: QtBot, tmp_path: Path, microphone: FakeMicrophone, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = FakePlayer()
    monkeypatch.setattr("app.chat.speech.sound_device.open_player", lambda _owner: player)
    page = make(listens=True)
    page.do(SendSound(SoundPrompt(str(tmp_path / "a.wav"))))
    qtbot.waitUntil(lambda: not page.controller.running and len(page.controller.chat) == 2)
    page.do(PlaySound(1))
    page.composer.attachments.speech.record.click()
    assert player.calls[-1] == "pause" and microphone.running


def test_escape_drops_a_recording(composer: Composer, wants: list[object], microphone: FakeMicrophone) -> None:
    composer.set_senses(False, SPEECH)
    composer.attachments.speech.record.click()
    microphone.speak(1, 1.0)
    composer.escape()
    assert not composer.attachments.recorder.recording and wants == []


def test_a_recording_ends_with_its_bundle_and_its_file_is_named(
    composer: Composer, wants: list[object], microphone: FakeMicrophone, qtbot: QtBot, tmp_path: Path
) -> None:
    composer.set_senses(False, SPEECH)
    composer.attachments.set_folder(tmp_path)
    composer.attachments.speech.record.click()
    microphone.speak(1, 1.0)
    with qtbot.waitSignal(composer.attachments.failed) as failed:
        composer.set_senses(True, None)
    (made,) = (tmp_path / "recordings").iterdir()
    assert wants == [] and str(made) in failed.args[0] and not microphone.running


def test_without_a_microphone_the_button_says_why(composer: Composer) -> None:
    composer.set_senses(False, SPEECH)
    record = composer.attachments.speech.record
    assert not record.isEnabled() and "There is no microphone." in record.toolTip()
    assert record.accessibleDescription() == "There is no microphone."


def test_a_drop_area_leaves_other_files_to_the_window(qtbot: QtBot, composer: Composer, tmp_path: Path) -> None:
    from PySide6.QtWidgets import QWidget

    area, attachments = QWidget(), composer.attachments
    qtbot.addWidget(area)
    AttachmentDrop(area, attachments)
    assert isinstance(attachments, Attachments) and not dropped(area, files(tmp_path))
    a = picture(tmp_path / "a.png")
    assert dropped(area, files(a)) and attachments.row.files == (a,)
