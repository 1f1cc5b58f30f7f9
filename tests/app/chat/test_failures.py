"""What is said of each kind of failure, and which way out is offered for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.chat.controller import REFUSALS
from app.chat.failures import PROVIDER_FAILURES, FailureBanner
from app.chat.intents import EditPrompt, Intent, NewChat, StartOver
from app.state.bundle_session import SessionFailure
from app.widgets import Banner
from tests.app.test_session import StubWorker
from workflows.common.errors import CapacityError, JoineryError, PromptError, PromptLengthError, RequestError
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.inspection import FileProblem, VerifyReport
from workflows.wire.requests import Open, VerifyBundle


class Bench:
    """Failures over a session that only remembers what it was told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.did: list[object] = []
        self.seen: list[str] = []
        self.session = SimpleNamespace(
            state="ready",
            request=Open("/b", "cpu"),
            bundle="/b",
            reopen=lambda *, provider="reopen": self.did.append(provider),
        )
        self.worker = StubWorker()
        navigate = SimpleNamespace(emit=self.did.append)
        self.summary = {"name": "b"}
        context: Any = SimpleNamespace(session=self.session, probe_worker=self.worker, navigate=navigate)
        context.describe = lambda _path: self.summary
        self.owner = QObject()
        self.banner = Banner()
        qtbot.addWidget(self.banner)
        context.activities = SimpleNamespace(acknowledge=lambda kind: self.seen.append(kind))
        self.controller: Any = SimpleNamespace(chat=SimpleNamespace(tokens=0))
        self.failures = FailureBanner(context, self.banner, self.controller, self._do, self.owner)

    def _do(self, intent: Intent) -> None:
        self.did.append(intent)

    def fail(self, kind: str, **session: object) -> str:
        """The words on the banner's button."""
        for name, value in session.items():
            setattr(self.session, name, value)
        self.failures.show(SessionFailure(kind, "It broke.", "why"))
        return self.offered

    @property
    def offered(self) -> str:
        return self.banner._action.text() if not self.banner._action.isHidden() else ""


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    return Bench(qtbot)


@pytest.mark.parametrize(
    ("kind", "state", "words", "did"),
    [
        ("crashed", "failed", "Reopen", "reopen"),
        ("stopped", "failed", "Reopen", "reopen"),
        ("cache", "ready", "New chat", NewChat()),
        ("recipe", "failed", "Try again", "reopen"),
        *((kind, "ready", "Edit the prompt", EditPrompt()) for kind in REFUSALS),
    ],
)
def test_each_kind_has_its_likely_fix(bench: Bench, kind: str, state: str, words: str, did: object) -> None:
    assert bench.fail(kind, state=state) == words
    assert bench.banner.message == "It broke."
    bench.banner._action.click()
    assert bench.did == [did]


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_prompt_that_a_long_chat_leaves_no_room_for_goes_into_a_new_one(bench: Bench, kind: str) -> None:
    bench.controller.chat.tokens = 500
    assert bench.fail(kind) == "Ask in a new chat"
    bench.banner._action.click()
    assert bench.did == [StartOver()]


def test_a_failure_that_the_banner_shows_is_not_in_the_status_line_too(bench: Bench, qtbot: QtBot) -> None:
    bench.banner.show()
    bench.fail("prompt")
    qtbot.waitUntil(lambda: bench.seen == ["generate", "open"])


def test_what_nothing_helps_against_offers_nothing(bench: Bench) -> None:
    assert bench.fail("recipe", state="ready") == ""


@pytest.mark.parametrize("kind", PROVIDER_FAILURES)
def test_on_another_provider_the_cpu_is_the_way_out(bench: Bench, kind: str) -> None:
    assert bench.fail(kind, request=Open("/b", "qnn")) == "Use the CPU"
    bench.banner._action.click()
    assert bench.did == ["cpu"]
    assert bench.fail(kind, request=Open("/b", "cpu")) != "Use the CPU"


def test_a_failure_of_a_reply_is_not_reported_again_as_one_of_the_session(bench: Bench) -> None:
    failure = SessionFailure("crashed", "It broke.", "")
    bench.failures.show(failure)
    bench.banner.clear()
    bench.failures.show_of_session(failure)
    bench.failures.show_of_session(SessionFailure("cancelled", "Stopped.", ""))
    assert bench.banner.message == ""
    bench.failures.show_of_session(SessionFailure("crashed", "Again.", ""))
    assert bench.banner.message == "Again."


@pytest.mark.parametrize("kind", ["bundle", "graph"])
def test_a_bundle_that_may_be_damaged_is_verified_on_demand(bench: Bench, kind: str) -> None:
    assert bench.fail(kind) == "Verify bundle"
    bench.banner._action.click()
    assert bench.worker.jobs[-1].request == VerifyBundle("/b") and "Checking" in bench.banner.message
    bench.worker.jobs[-1].answered.emit(VerifyReport(True, 7, 1, []))
    assert bench.banner.message == "All 7 files of the bundle are unchanged."
    bench.banner._action.click()
    assert bench.did == ["reopen"]


def test_what_is_damaged_is_named_and_leads_home(bench: Bench) -> None:
    bench.fail("bundle")
    bench.banner._action.click()
    problem = FileProblem("model.onnx", "has 12 bytes instead of 9,000")
    bench.worker.jobs[-1].answered.emit(VerifyReport(False, 7, 1, [problem]))
    assert bench.banner.message == "The bundle is damaged; build it again."
    assert "model.onnx: has 12 bytes instead of 9,000" in bench.banner._details.toPlainText()
    bench.banner._action.click()
    assert bench.did == ["home"]


def test_a_bundle_that_cannot_even_be_checked_gives_the_reason(bench: Bench) -> None:
    bench.fail("bundle")
    bench.banner._action.click()
    bench.worker.jobs[-1].failed.emit(ErrorEvent(kind="bundle", message="There is no such folder."))
    assert bench.banner.message == "There is no such folder." and bench.offered == ""


def test_a_bundle_that_went_leads_to_where_it_can_be_located(bench: Bench) -> None:
    bench.summary = {}
    assert bench.fail("bundle") == "Go to Home"
    bench.banner._action.click()
    assert bench.did == ["home"]


@pytest.mark.parametrize("kind", [CapacityError, PromptError, PromptLengthError, RequestError])
def test_what_the_engine_says_of_a_prompt_that_cannot_run_is_a_refusal(kind: type[JoineryError]) -> None:
    assert kind("It is too long.").kind in REFUSALS
