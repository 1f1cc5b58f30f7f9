"""Other machines: added with the check's answer, chosen for chat, measurements and devices, and removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.devices.machines_dialog import MachinesDialog
from app.state.context import AppContext
from app.state.machines import BRIDGE, MachinesModel
from app.widgets.machine_choice import MachineChoice
from tests.app.conftest import make_bundle
from tests.fakes.worker import CPU, program
from workflows.process.machines import RemoteMachine, add_machine, list_machines
from workflows.wire.codec import to_fields

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
MACHINES = {"board": "ssh://board", "npu": "ssh://ann@npu.lan:2222", "odd": "ssh://wrong.lan"}


@pytest.fixture
def context(make_context: Callable[..., AppContext]) -> AppContext:
    for name, address in MACHINES.items():
        add_machine(RemoteMachine(name, address))
    return make_context()


@pytest.fixture
def dialog(qtbot: Any, context: AppContext) -> MachinesDialog:
    made = MachinesDialog(context.machines)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made.rows.rowCount() == 3)
    return made


def cells(dialog: MachinesDialog) -> list[str]:
    return [dialog.rows.index(row, 0).data() for row in range(dialog.rows.rowCount())]


def test_a_machine_is_added_and_its_check_is_shown(dialog: MachinesDialog, qtbot: Any) -> None:
    assert not dialog.add.isEnabled()
    dialog.name.setText(" laptop ")
    dialog.address.setText("ssh://laptop")
    dialog.add.click()
    qtbot.waitUntil(lambda: not dialog.model.running)
    assert cells(dialog) == ["board", "laptop", "npu", "odd"]
    assert dialog.banner.isVisible() and "laptop: Joinery 0.1.0, Python 3.11.2, Linux x86_64" in dialog.banner.message
    assert "cpu, qnn" in dialog.rows.index(1, 2).data()


def test_what_is_wrong_is_shown(dialog: MachinesDialog, qtbot: Any) -> None:
    assert not dialog.check.isEnabled()
    dialog.table.selectRow(2)
    dialog.check.click()
    qtbot.waitUntil(lambda: not dialog.model.running)
    problem = "odd has a host key that is not known here: run `ssh ssh://wrong.lan` once."
    assert dialog.banner.message == problem and dialog.rows.index(2, 2).data() == problem


def test_a_removed_machine_is_not_chosen_any_more(dialog: MachinesDialog, qtbot: Any) -> None:
    dialog.model.choose("board")
    dialog.table.selectRow(0)
    dialog.remove.click()
    qtbot.waitUntil(lambda: cells(dialog) == ["npu", "odd"])
    assert [one.name for one in list_machines()] == ["npu", "odd"]
    assert dialog.model.current == "" and dialog.model.program() is None


def test_a_list_that_cannot_be_read_is_a_sentence(dialog: MachinesDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> list[RemoteMachine]:
        raise PermissionError(13, "Permission denied", "/x/machines.json")

    monkeypatch.setattr("app.state.machines.list_machines", refuse)
    dialog.model.read()
    assert dialog.banner.message == (
        "The system cannot read or write /x/machines.json: Permission denied; check the path, the free space and the "
        "permissions."
    )


def test_every_choice_shows_the_same_machine(context: AppContext, qtbot: Any) -> None:
    first, second = MachineChoice(context.machines), MachineChoice(context.machines)
    for one in (first, second):
        qtbot.addWidget(one)
        one.show()
    qtbot.waitUntil(lambda: first.count() == 4)
    first.setCurrentIndex(2)
    first.activated.emit(2)
    assert context.machines.current == second.currentData() == "npu"
    assert list(context.machines.program() or ())[-2:] == [BRIDGE, "npu"]


def test_the_session_and_the_devices_move_to_the_machine(
    context: AppContext, qtbot: Any, monkeypatch: pytest.MonkeyPatch, home: Any
) -> None:
    """A fake worker stands for the machine: its reply and its devices are others, and a new worker is one there."""
    there = program(reply="there", devices=[to_fields(CPU)])
    monkeypatch.setattr(
        MachinesModel, "program", lambda self, name=None: there if (self.current if name is None else name) else None
    )
    bundle = make_bundle(home / "bundles" / "demo")
    session = context.session
    session.open(bundle)
    qtbot.waitUntil(lambda: session.state == "ready")
    here = context.session_worker.pid
    context.machines.choose("npu")
    qtbot.waitUntil(lambda: session.state == "ready" and context.session_worker.pid not in (0, here))
    replies: list[Any] = []
    session.finished.connect(replies.append)
    assert session.generate("8*7=")
    qtbot.waitUntil(lambda: bool(replies))
    assert replies[0].text == "there"
    assert context.new_machine_worker()._program == list(there) and context.new_worker()._program != list(there)
    assert context.preflights.machine == "npu"
    context.machines.choose("")
    qtbot.waitUntil(lambda: session.state == "ready")
    assert session.generate("8*7=")
    qtbot.waitUntil(lambda: len(replies) == 2)
    assert replies[1].text == "56"
