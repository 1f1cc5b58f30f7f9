"""Workers that die, hang, babble or flood, and the window over them: it says so, keeps what was there, and goes on."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.chat.page import ChatPage
from app.jobs.worker_client import WorkerClient
from app.main import PAGES
from app.state.context import AppContext
from app.window import MainWindow
from tests.app.conftest import fake_summary, make_bundle
from tests.faults import sick
from workflows.wire.codec import dumps
from workflows.wire.events import ErrorEvent, ResultEvent
from workflows.wire.requests import ListDevices

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="signals, and limits of memory")]
SAID = {
    "segv": "The worker process ended unexpectedly: signal SIGSEGV.",
    "kill": "The worker process ended unexpectedly: signal SIGKILL, with which the system ends what takes too much "
    "memory.",
    "memory": "The worker process ended unexpectedly: exit code 1.",
    "flood": "The worker sent a line that is too long to be read, and was ended.",
    "garbage": "The worker's answer cannot be read.",
}
HANGS = "A worker process does not respond."


@pytest.fixture
def window(qtbot: Any, home: Path, request: pytest.FixtureRequest) -> Any:
    """The window over a worker with the illness that the test names; its chat page is shown, and a bundle open."""
    program = [sys.executable, str(Path(sick.__file__)), dumps(request.param | {"state": str(home / "ill")})]
    context = AppContext(program=program, read=fake_summary)
    context.open_bundle(make_bundle(home / "bundle"))
    made = MainWindow(context, PAGES)
    qtbot.addWidget(made)
    made.show()
    made.show_page("chat")
    qtbot.waitUntil(lambda: context.session.state == "ready")
    yield made
    context.close()
    context.deleteLater()


def ask(qtbot: Any, window: MainWindow, text: str) -> ChatPage:
    page = window.stack.page("chat")
    assert isinstance(page, ChatPage)
    page.send(text)
    qtbot.waitUntil(lambda: page.controller.running)
    return page


def texts(page: ChatPage) -> list[tuple[str, str]]:
    return [(one.role, one.content) for one in page.controller.chat.path()]


def goes_on(qtbot: Any, window: MainWindow) -> None:
    """A second question, to the worker that follows, is answered; the first one is there, and on the disk."""
    page = ask(qtbot, window, "And now?")
    qtbot.waitUntil(lambda: not page.controller.running)
    assert texts(page)[0] == ("user", "What is it?")
    assert texts(page)[-2:] == [("user", "And now?"), ("assistant", "56")]
    kept = page.controller.store.copy(page.controller.chat.key)
    assert [one.content for one in kept.path()] == [content for _, content in texts(page)]


@pytest.mark.parametrize(("window", "said"), [({"illness": one}, said) for one, said in SAID.items()],
                         indirect=["window"], ids=list(SAID))  # fmt: skip
def test_the_window_says_it_and_goes_on(qtbot: Any, window: MainWindow, said: str) -> None:
    """What was asked stays; the button of the banner opens the bundle anew where its worker has gone."""
    page = ask(qtbot, window, "What is it?")
    qtbot.waitUntil(lambda: not page.controller.running)
    assert page.banner.message == said
    reply = page.controller.chat.last("assistant")
    assert reply is not None and reply.reply is not None and reply.reply.error == said
    if window.context.session.state == "failed":
        page.banner._on_action()
        qtbot.waitUntil(lambda: window.context.session.state == "ready")
    goes_on(qtbot, window)


@pytest.mark.parametrize("window", [{"illness": "stop"}], indirect=True)
def test_one_that_hangs_is_noticed_and_restarted(qtbot: Any, window: MainWindow) -> None:
    """Nobody pressed anything; the button ends it, opens the bundle anew, and the next question is answered."""
    page = ask(qtbot, window, "What is it?")
    process = psutil.Process(window.context.session_worker.pid)
    qtbot.waitUntil(lambda: process.status() == psutil.STATUS_STOPPED)
    qtbot.waitUntil(lambda: window.status.note.message == HANGS)
    window.status.note.action.click()
    qtbot.waitUntil(lambda: window.context.session.state == "ready")
    assert not page.controller.running and not window.status.note.isVisible()
    goes_on(qtbot, window)


@pytest.mark.parametrize("window", [{"illness": "stop"}], indirect=True)
def test_one_that_goes_on_by_itself_is_left_alone(qtbot: Any, window: MainWindow) -> None:
    """The notice goes, and the reply comes."""
    page = ask(qtbot, window, "What is it?")
    worker = window.context.session_worker
    pid = worker.pid
    qtbot.waitUntil(lambda: window.status.note.message == HANGS)
    os.kill(pid, signal.SIGCONT)
    qtbot.waitUntil(lambda: not page.controller.running)
    assert not window.status.note.isVisible()
    assert (worker.pid, texts(page)[-1]) == (pid, ("assistant", "56"))


def test_the_engines_own_worker_is_noticed_and_answers_again(qtbot: Any, qapp: object) -> None:
    """No fake: it is stopped before it can answer, is said to hang, and answers once it may go on."""
    worker, hung, ends = WorkerClient(), list[bool](), list[object]()
    worker.hung.connect(hung.append)
    worker.request(ListDevices()).finished.connect(ends.append)
    qtbot.waitUntil(lambda: len(ends) == 1)
    os.kill(worker.pid, signal.SIGSTOP)
    worker.request(ListDevices()).finished.connect(ends.append)
    qtbot.waitUntil(lambda: hung == [True])
    os.kill(worker.pid, signal.SIGCONT)
    qtbot.waitUntil(lambda: len(ends) == 2)
    worker.close()
    assert hung == [True, False]
    assert all(isinstance(one, ResultEvent) and not isinstance(one, ErrorEvent) for one in ends)
