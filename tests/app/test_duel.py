"""Two bundles side by side: a worker each, one prompt, what differs marked, one stop for both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from app.chat.compare import CompareView
from app.chat.sampling import SamplingSettings
from app.state.bundle_comparison import BundleComparison
from app.widgets.token_diff import insert_token_diff, visible_text
from tests.app.conftest import make_bundle

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window
REPLIES = {"one": "the answer is fifty six", "two": "the answer is sixty six and more"}


@pytest.fixture
def duel(qtbot: Any, make_context: Any) -> Any:
    made: list[BundleComparison] = []

    def make(**scenario: Any) -> BundleComparison:
        duel = BundleComparison(make_context(**({"replies": REPLIES} | scenario)).new_worker)
        for lane, name in zip(duel.lanes, REPLIES, strict=True):
            lane.bundle = f"/bundles/{name}"
        made.append(duel)
        return duel

    yield make
    for one in made:
        one.close()


def test_both_answer_in_processes_of_their_own(qtbot: Any, duel: Any) -> None:
    both: BundleComparison = duel()
    assert both.run_prompt(" What is 8 * 7? ", {}) and both.prompt == "What is 8 * 7?"
    assert not both.run_prompt("again", {})
    qtbot.waitUntil(lambda: not both.running)
    assert ["".join(event.text for event in lane.tokens).strip() for lane in both.lanes] == list(REPLIES.values())
    assert (both.common_tokens, both.differs) == (3, True)
    workers = [lane._worker for lane in both.lanes]
    assert workers[0].pid != workers[1].pid and all(worker.pid for worker in workers)
    assert all(lane.done.ttft_ms == 21.5 for lane in both.lanes)


def test_equal_answers_differ_in_nothing(qtbot: Any, duel: Any) -> None:
    both: BundleComparison = duel(replies={"one": "the same", "two": "the same"})
    both.run_prompt("?", {})
    qtbot.waitUntil(lambda: not both.running)
    assert (both.common_tokens, both.differs) == (2, False)


def test_one_that_goes_on_differs_only_when_both_have_ended(qtbot: Any, duel: Any) -> None:
    both: BundleComparison = duel(replies={"one": "a b", "two": "a b c"})
    both.run_prompt("?", {})
    qtbot.waitUntil(lambda: not both.running)
    assert (both.common_tokens, both.differs) == (2, True)
    both.lanes[1].running = True
    assert not both.differs


def test_stop_ends_both(qtbot: Any, duel: Any) -> None:
    both: BundleComparison = duel(replies={"one": "word " * 200, "two": "word " * 200}, delay=0.05)
    both.run_prompt("?", {})
    qtbot.waitUntil(lambda: all(lane.tokens for lane in both.lanes))
    both.stop()
    qtbot.waitUntil(lambda: not both.running)
    assert [lane.done.finish_reason for lane in both.lanes] == ["cancelled", "cancelled"]


def test_stop_while_they_open(qtbot: Any, duel: Any) -> None:
    both: BundleComparison = duel(delay=5)
    both.run_prompt("?", {})
    both.stop()
    assert not both.running
    assert [lane.failure.kind for lane in both.lanes] == ["cancelled", "cancelled"]


def test_one_worker_dies_and_the_other_answers(qtbot: Any, duel: Any, tmp_path: Path) -> None:
    both: BundleComparison = duel(crash_on="generate", state=str(tmp_path / "counts"))
    both.lanes[0].run_prompt("?", {})
    qtbot.waitUntil(lambda: not both.running)
    assert both.lanes[0].failure.kind == "crashed"
    assert both.run_prompt("?", {})  # opened anew
    qtbot.waitUntil(lambda: not both.running)
    assert [lane.failure for lane in both.lanes] == [None, None]
    assert both.common_tokens == 3


def test_another_bundle_is_opened(qtbot: Any, duel: Any) -> None:
    both: BundleComparison = duel()
    both.run_prompt("?", {})
    qtbot.waitUntil(lambda: not both.running)
    both.lanes[1].bundle = "/bundles/one"
    both.run_prompt("?", {})
    qtbot.waitUntil(lambda: not both.running)
    assert not both.differs


def test_tokens_are_marked_without_colour(qtbot: Any) -> None:
    text = QTextEdit()
    qtbot.addWidget(text)
    insert_token_diff(text.textCursor(), ["a", " b", "\n", " c"], 2)
    assert text.toPlainText() == "a b⏎ c"
    styles = []
    for at in (2, 4, 6):
        cursor = QTextCursor(text.document())
        cursor.setPosition(at)
        styles.append(cursor.charFormat().underlineStyle())
    style = QTextCharFormat.UnderlineStyle
    assert styles == [style.NoUnderline, style.WaveUnderline, style.SingleUnderline]
    assert (visible_text(" "), visible_text("\t"), visible_text(" a")) == ("·", "⇥", " a")


def test_the_view(qtbot: Any, make_context: Any, tmp_path: Path) -> None:
    context = make_context(replies=REPLIES)
    view = CompareView(context)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    assert not view.composer.edit.isEnabled()
    for name in ("two", "one"):
        context.open_bundle(make_bundle(tmp_path / name))
    view.enter(str(tmp_path / "one"), SamplingSettings())
    assert [column.choice.path for column in view.columns] == [str(tmp_path / "one"), str(tmp_path / "two")]
    assert view.composer.edit.isEnabled()
    view.composer.edit.setPlainText("What is 8 * 7?")
    view.composer.submit()
    assert view.composer.button.text() == "Stop"
    qtbot.waitUntil(lambda: not view.comparison.running)
    view.refresh()
    assert view.verdict.text() == "What is 8 * 7? · the first 3 tokens are equal, the next one differs"
    assert view.columns[0].text.toPlainText().strip() == REPLIES["one"]
    assert view.columns[1].text.document().find("sixty").charFormat().underlineStyle() == (
        QTextCharFormat.UnderlineStyle.WaveUnderline
    )
    assert view.columns[0].foot.text() == "TTFT 21.5 ms · 212 tok/s · 5 tokens · on cpu · the model finished"
    with qtbot.waitSignal(view.closed):
        view.back.click()
    assert all(lane.session is None for lane in view.comparison.lanes)
    assert view.columns[0].text.toPlainText().strip() == REPLIES["one"]


def test_from_the_chat_and_back(qtbot: Any, make_window: Any, tmp_path: Path) -> None:
    window = make_window(replies=REPLIES)
    window.context.open_bundle(make_bundle(tmp_path / "one"))
    window.show_page("chat")
    page = window.stack.page("chat")
    page.header.compare.click()
    assert page.views.currentWidget() is page.views.compare
    assert page.views.compare.columns[0].choice.path == str(tmp_path / "one")
    new_chat = next(action for action in page.actions() if action.text() == "New chat")
    assert not new_chat.isEnabled()
    page.views.compare.back.click()
    assert page.views.currentIndex() == 0 and new_chat.isEnabled()
    assert page.composer.edit.hasFocus()
