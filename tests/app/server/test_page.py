"""The Server page: from Start to Stop over the demo, and over a fake process what each state looks like."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.main import PAGES
from app.server.page import INSTALL, ServerPage
from app.server.request_table import RequestTable, state_text
from app.state.context import AppContext
from app.window import MainWindow
from tests.app.conftest import make_bundle
from tests.fakes.server import program, traffic
from tests.workflows.conftest import Built
from workflows.process.machines import RemoteMachine, add_machine, remove_machine
from workflows.wire.codec import read
from workflows.wire.reports.server import ServedRequest

Make = Callable[..., MainWindow]


@pytest.fixture
def page(make_window: Make, tmp_path: Path) -> ServerPage:
    """The page of a window with an open bundle, over a fake server."""
    window = make_window()
    window.context.open_bundle(make_bundle(tmp_path / "demo"))
    window.context.server.program = program(statuses=traffic(4))
    window.show_page("server")
    made = window.stack.page("server")
    assert isinstance(made, ServerPage)
    return made


def serving(page: ServerPage, **scenario: Any) -> Any:
    """The server of the page, whose next start follows a scenario."""
    server = page.window().context.server  # type: ignore[attr-defined]
    server.program = program(**scenario)
    return server


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


@pytest.fixture(scope="module")
def demo(built: Built) -> Path:
    return built("demo:qwen3")  # before a test looks for the processes that it leaves behind


def test_the_demo_answers_a_client(demo: Path, qtbot: QtBot) -> None:
    """The open bundle is served by one click; a request is seen, and Stop ends the server."""
    context = AppContext()
    window = MainWindow(context, PAGES)
    qtbot.addWidget(window)
    window.show()
    context.open_bundle(demo)
    window.show_page("server")
    page: Any = window.stack.page("server")
    page.setup.address.port.setValue(0)
    qtbot.mouseClick(page.main, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.server.state != "starting")
    assert context.server.state == "running", context.server.failure
    qtbot.mouseClick(page.copy, Qt.MouseButton.LeftButton)
    assert clipboard() == page.link.text() == f"{context.server.address}/v1"
    with OpenAI(base_url=clipboard(), api_key="none", max_retries=0) as client:
        question: Any = [{"role": "user", "content": "What is 8 times 7?"}]
        reply = client.chat.completions.create(model=demo.name, messages=question)
        assert reply.choices[0].message.content == "8 * 7 = 56" and reply.usage is not None
    qtbot.waitUntil(lambda: context.server.status is not None and context.server.status.done == 1)
    rows = page.requests.table.requests
    qtbot.waitUntil(lambda: rows.rowCount() == 1 and rows.index(0, 1).data() == "done")
    counts = [str(reply.usage.prompt_tokens), str(reply.usage.completion_tokens)]
    assert [rows.index(0, column).data() for column in range(6)] == ["1", "done", f"{demo.name} · cpu", "chat", *counts]
    qtbot.mouseClick(page.main, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.server.state == "stopped")
    assert context.server.failure is None
    window.close()


def test_each_state_says_what_it_is(page: ServerPage, qtbot: QtBot) -> None:
    server = serving(page, statuses=traffic(4), linger=600)
    assert (page.state.text(), page.main.text(), page.link.isVisible()) == ("stopped", "Start", False)
    assert list(server.options.bundles) == ["demo"] and page.main.isEnabled()
    page.start()
    assert (page.state.text(), page.tabs.current) == ("starting", "requests")
    qtbot.waitUntil(lambda: server.state == "running" and server.status is not None and server.status.tokens > 0)
    assert (page.state.text(), page.main.text(), page.link.text()) == ("running", "Stop", "http://127.0.0.1:8080/v1")
    assert not page.setup.bundles.isEnabled() and page.setup.note.text().startswith("Stop the server")
    page.main.click()
    qtbot.waitUntil(lambda: "6 requests that run" in page.note.text())
    assert (page.state.text(), page.main.text()) == ("stopping", "Stop now")
    page.main.click()
    qtbot.waitUntil(lambda: server.state == "stopped")
    assert page.banner.isHidden() and page.setup.bundles.isEnabled()


def test_an_address_in_use_offers_a_free_port(page: ServerPage, qtbot: QtBot) -> None:
    server = serving(page, error={"kind": "address", "message": "Nothing can listen on 127.0.0.1, port 8080: in use."})
    page.start()
    qtbot.waitUntil(page.banner.isVisible)
    assert "port 8080" in page.banner.message
    server.program = program()
    page.banner._on_action()
    qtbot.waitUntil(lambda: server.state == "running")
    assert server.options.port == 8080 and page.banner.isHidden(), "once: another day it may be free again"


def test_a_missing_extra_offers_its_command(page: ServerPage, qtbot: QtBot) -> None:
    message = "Serving needs uvicorn: install it with pip install 'joinery[serve]'."
    serving(page, error={"kind": "package", "message": message})
    page.start()
    qtbot.waitUntil(page.banner.isVisible)
    page.banner._on_action()
    assert clipboard() == INSTALL and INSTALL in page.banner.message


def test_a_crash_offers_another_start(page: ServerPage, qtbot: QtBot) -> None:
    server = serving(page, statuses=traffic(3), crash_after=2)
    page.start()
    qtbot.waitUntil(page.banner.isVisible)
    assert "ended unexpectedly" in page.banner.message and page.main.text() == "Start"
    assert page.requests.stats["running"].accessibleName().startswith("running: 0")
    server.program = program()
    page.banner._on_action()
    qtbot.waitUntil(lambda: server.state == "running")


def test_a_failure_that_was_read_stays_away(page: ServerPage, qtbot: QtBot) -> None:
    server = serving(page, error={"kind": "bundle", "message": "There is no bundle folder."})
    page.start()
    qtbot.waitUntil(page.banner.isVisible)
    page.banner._dismiss()
    server.change(port=9000)
    assert page.banner.isHidden()


def test_others_need_a_token_that_is_shown_once(page: ServerPage, qtbot: QtBot) -> None:
    server = serving(page)
    setup = page.setup
    setup.address.reach.setCurrentIndex(1)
    setup.address.reach.activated.emit(1)
    assert server.options.host == "0.0.0.0" and not page.main.isEnabled() and "make a token" in page.note.text()
    setup.address.token.make.click()
    setup.address.token.copy.click()
    assert clipboard() == server.options.token and len(clipboard()) > 20 and page.main.isEnabled()
    page.start()
    qtbot.waitUntil(lambda: server.state == "running")
    assert not setup.address.token.field.text() and "not shown again" in setup.address.token.text.text()
    page.tabs.show_tab("samples")
    assert "$JOINERY_TOKEN" in page.samples.cards["curl"].text
    assert all(server.options.token not in card.text for card in page.samples.cards.values())


def test_it_runs_on_another_machine(page: ServerPage, qtbot: QtBot) -> None:
    """Address and certificate of this machine are of no use then; a failure there keeps its own words."""
    machines: Any = page.window().context.machines  # type: ignore[attr-defined]
    add_machine(RemoteMachine("npu", "ssh://npu.lan"))
    machines.read()
    server, setup = serving(page), page.setup
    machine = setup.address.machine
    machine.setCurrentIndex(machine.findData("npu"))
    machine.activated.emit(machine.currentIndex())
    assert server.options.machine == "npu" and machine.currentText() == "npu"
    assert setup.address.reach.isHidden() and setup.address.reach_label.isHidden() and setup.tls.isHidden()
    assert setup.address.machine_note.isVisible() and "logged in on npu" in setup.address.token.text.text()
    page.start()
    qtbot.waitUntil(lambda: server.state == "running")
    assert page.note.text() == "Programs on this machine reach it over ssh; npu answers."
    server.stop()
    qtbot.waitUntil(lambda: server.state == "stopped")
    server.program = program(error={"kind": "package", "message": "npu: Serving needs uvicorn: install it with pip."})
    page.start()
    qtbot.waitUntil(page.banner.isVisible)
    assert page.banner.message == "npu: Serving needs uvicorn: install it with pip."
    remove_machine("npu")
    machines.read()
    assert machine.currentText() == "npu", "what was chosen stays in sight"


def test_bundles_are_added_named_and_removed(page: ServerPage, tmp_path: Path) -> None:
    server, bundles = serving(page), page.setup.bundles
    bundles.add(str(make_bundle(tmp_path / "other")))
    depth = make_bundle(tmp_path / "depth")
    (depth / "task").write_text(json.dumps({"task": "depth-estimation"}), "utf-8")
    bundles.add(str(depth))
    assert list(server.options.bundles) == ["demo", "other"] and "depth-estimation" in bundles.problem.text()
    bundles.names[1].setText("demo")
    bundles.names[1].editingFinished.emit()
    assert bundles.names[1].text() == "other" and "one bundle" in bundles.problem.text()
    bundles.names[1].setText("chat")
    bundles.names[1].editingFinished.emit()
    assert list(server.options.bundles) == ["demo", "chat"] and bundles.problem.isHidden()
    bundles._remove("demo")
    assert server.options.bundles == {"chat": str(tmp_path / "other")}


def requests_at(step: int) -> list[ServedRequest]:
    return [read(ServedRequest, one) for one in traffic(step + 1)[step]["requests"]]


def test_a_selected_request_stays_selected(qtbot: QtBot) -> None:
    """While rows come, change and go."""
    table = RequestTable()
    qtbot.addWidget(table)
    providers = {"qwen3-demo": "cpu", "minilm-l6-v2": "openvino"}
    table.requests.show(requests_at(3), providers)
    table.selectRow(4)
    assert table.selected_text().startswith("2\truns\tqwen3-demo · cpu\tcompletion\t")
    for step in (6, 14):
        requests = [one for one in requests_at(step) if one.number > step - 5 or one.number == 2]
        table.requests.show(requests, providers)
        assert table.selected_text().startswith("2\t")
        numbers = [table.requests.index(row, 0).data() for row in range(table.requests.rowCount())]
        assert numbers == [str(one.number) for one in reversed(requests)]
    assert table.selected_text().startswith("2\tdone\t")


def test_a_reply_of_the_time_limit_says_so() -> None:
    cut = replace(requests_at(3)[0], state="failed", reason="timeout")
    assert [state_text(one) for one in (cut, replace(cut, reason="400"))] == ["time limit", "failed: 400"]


def test_the_charts_describe_themselves(page: ServerPage, qtbot: QtBot) -> None:
    server = serving(page, statuses=traffic(4))
    page.start()
    qtbot.waitUntil(lambda: len(server.traffic.points) > 2)
    rate, requests, _cache = page.requests.charts.charts
    assert rate.plot.accessibleName() == "Tokens a second"
    assert "running: from" in requests.plot.accessibleDescription()
    qtbot.keyClick(requests.plot, Qt.Key.Key_Left)
    assert "waiting 2" in requests.plot.accessibleDescription()


def test_every_page_says_that_it_runs(page: ServerPage, qtbot: QtBot) -> None:
    """A link in the status line, with the requests; it leads to the page."""
    server, window = serving(page, statuses=traffic(4)), page.window()
    link: Any = window.status.server  # type: ignore[attr-defined]
    assert link.isHidden()
    page.start()
    window.show_page("home")  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: link.text() == "6 requests")
    assert link.isVisible() and "127.0.0.1:8080" in link.toolTip()
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    assert window.stack.currentWidget() is page  # type: ignore[attr-defined]
    server.stop()
    qtbot.waitUntil(link.isHidden)


def test_closing_the_window_asks_while_it_serves(page: ServerPage, qtbot: QtBot) -> None:
    server, window = serving(page, statuses=traffic(4)), page.window()
    page.start()
    qtbot.waitUntil(lambda: server.busy > 1)
    window.close()
    guard: Any = window.close_guard  # type: ignore[attr-defined]
    assert window.isVisible() and "requests run" in guard.question.informativeText()
    server.stop()
    qtbot.waitUntil(lambda: guard.question is None)  # nothing would end any more
    window.close()
    assert not window.isVisible()
