"""The tour without its worker: what stops it is said in one sentence, and its exit code tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from app.frame.page_stack import PageStack
from app.startup import tour as module
from app.startup.tour import QUESTIONS, Tour, TourError, process_events_until, run_tour
from app.widgets.theme import theme
from app.window import MainWindow
from tests.app.conftest import make_bundle
from workflows.wire.events import TokenEvent

Make = Callable[..., MainWindow]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "process_events_for", lambda _seconds: QApplication.processEvents())


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found = list[str]()
    monkeypatch.setattr(module, "write_line", lambda text, end="\n": found.append(text + end))
    return found


@pytest.fixture
def walk(make_window: Make, tmp_path: Path) -> Tour:
    made = Tour(make_window(), tmp_path / "pictures")
    made.folder.mkdir()
    return made


def test_patience_ends_with_what_was_waited_for() -> None:
    process_events_until(lambda: True, "nothing", patience=0)
    with pytest.raises(TourError, match="gave up waiting for the reply"):
        process_events_until(lambda: False, "the reply", patience=0)


@pytest.mark.parametrize("reason", ["gave up waiting for the reply", "The disk is full."])
def test_what_stops_it_is_one_sentence_and_the_code_is_1(
    make_window: Make, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    def fail(_walk: Tour) -> None:
        raise TourError(reason)

    monkeypatch.setattr(Tour, "run", fail)
    window = make_window()
    assert run_tour(QApplication.instance(), window, tmp_path) == 1
    assert said == [f"The tour stopped: {reason.rstrip('.')}.\n"] and not window.isVisible()


def test_a_walk_to_the_end_says_where_its_pictures_are(
    make_window: Make, tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tour, "run", lambda walk: walk.pictures.append(tmp_path / "one.png"))
    window = make_window()
    assert run_tour(QApplication.instance(), window, tmp_path) == 0
    assert said == [f"1 picture in {tmp_path}\n"] and not window.isVisible()


def test_a_demo_that_is_built_is_opened_and_not_built_again(walk: Tour, tmp_path: Path, said: list[str]) -> None:
    bundle = make_bundle(tmp_path / "qwen3-demo-int4")
    walk.context.recents.add(str(bundle))
    walk.build()
    assert said == [f"The demo is built already: {bundle}\n"] and not walk.context.build.running
    assert walk.context.bundle is not None and walk.context.bundle["path"] == str(bundle)


def test_a_bundle_that_cannot_be_opened_stops_it_with_its_own_message(walk: Tour, tmp_path: Path) -> None:
    damaged = make_bundle(tmp_path / "demo", damaged=True)
    with pytest.raises(TourError, match=r"model\.onnx in .*demo has 12 bytes"):
        walk._open(str(damaged))


@pytest.mark.parametrize("state", ["running", "ended"])
def test_a_stage_is_reported_once_when_it_has_ended(walk: Tour, said: list[str], state: str) -> None:
    row = SimpleNamespace(stage="export", state=state, ended=state == "ended", seconds=1.26)
    walk.context = SimpleNamespace(build=SimpleNamespace(rows=[row]))  # type: ignore[assignment]
    told = set[tuple[str, str]]()
    walk._print_stages(told)
    walk._print_stages(told)
    assert said == (["  export ended 1.3 s\n"] if state == "ended" else [])


@pytest.mark.parametrize(
    ("error", "words"),
    [(SimpleNamespace(message="No memory."), "No memory."), (None, "the build ended without a bundle")],
)
def test_a_build_without_a_bundle_stops_it(walk: Tour, error: Any, words: str) -> None:
    build = SimpleNamespace(running=False, rows=[], outcome=None, error=error)
    walk.context = SimpleNamespace(build=build)  # type: ignore[assignment]
    with pytest.raises(TourError) as stopped:
        walk._follow_build()
    assert str(stopped.value) == words


def page_that(ends: list[object], end: object, *words: str, walk: Tour) -> Any:
    """A chat page that answers at once."""

    def send(_question: str) -> None:
        for word in words:
            walk._on_token(TokenEvent(id=1, text=word, step=0, phase="decode", latency_ms=1.0, cache_used=1,
                                      cache_capacity=8))  # fmt: skip
        ends.append(end)

    return SimpleNamespace(send=send)


def test_a_reply_is_written_as_it_comes_with_its_speed(walk: Tour, said: list[str]) -> None:
    ends = list[object](["of the question before"])
    walk._ask(page_that(ends, SimpleNamespace(decode_tokens_per_s=96.4), "It", " is", walk=walk), QUESTIONS[0], ends)
    assert said[:4] == [f"> {QUESTIONS[0]}\n", "It", " is", "\n"] and said[4].endswith("s: 96 tok/s\n")
    assert walk.reply == "It is"


@pytest.mark.parametrize(
    ("end", "words"), [(SimpleNamespace(message="The worker died."), "The worker died."), (object(), "no reply came")]
)
def test_no_reply_stops_it(walk: Tour, said: list[str], end: object, words: str) -> None:
    ends = list[object]()
    with pytest.raises(TourError, match=words):
        walk._ask(page_that(ends, end, walk=walk), QUESTIONS[0], ends)


def test_each_page_is_photographed_in_both_themes_and_the_old_one_comes_back(
    walk: Tour, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, names = list[tuple[str, str]](), ["home", "settings"]
    monkeypatch.setattr(PageStack, "names", property(lambda _stack: names))
    monkeypatch.setattr(walk, "_save", lambda window, name: shown.append((name, window.stack.current_name)))
    theme().set_mode("dark")
    walk.photograph()
    assert shown == [(f"{name}-{mode}", name) for mode in ("light", "dark") for name in names]
    assert theme().mode == "dark"


def test_a_page_is_photographed_when_its_jobs_have_ended(walk: Tour, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, taken = iter([False, False, True, True]), list[str]()
    monkeypatch.setattr(PageStack, "names", property(lambda _stack: ["home"]))
    monkeypatch.setattr(type(walk.context.activities), "idle", property(lambda _activities: next(looks)))
    monkeypatch.setattr(walk, "_save", lambda _window, name: taken.append(f"{name} after {4 - len(list(looks))}"))
    with pytest.raises(StopIteration):
        walk.photograph()
    assert taken == ["home-light after 3"]


def test_a_picture_that_cannot_be_written_stops_it(walk: Tour, qtbot: Any) -> None:
    picture = QLabel("seen")
    qtbot.addWidget(picture)
    walk._save(picture, "seen")
    assert walk.pictures == [walk.folder / "seen.png"] and walk.pictures[0].stat().st_size > 0
    with pytest.raises(TourError, match="could not be written"):
        walk._save(picture, "no/folder")
    assert len(walk.pictures) == 1
