"""Machines that were added: which names and addresses are accepted, and what becomes of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.common.errors import RequestError
from workflows.common.locks import Lock
from workflows.process.machines import RemoteMachine, add_machine, list_machines, machine_named, remove_machine


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees another's machines."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "here"))


@pytest.mark.parametrize(
    ("address", "destination", "login"),
    [
        ("ssh://ann@npu.lan:2222", ["-p", "2222", "-l", "ann", "--", "npu.lan"], "-p 2222 ann@npu.lan"),
        ("ssh://board", ["--", "board"], "board"),
        ("ssh://ann@board/", ["-l", "ann", "--", "board"], "ann@board"),
        ("ssh://[fe80::1%eth0]:22", ["-p", "22", "--", "fe80::1%eth0"], "-p 22 fe80::1%eth0"),
    ],
)
def test_an_address_becomes_arguments_of_ssh(address: str, destination: list[str], login: str) -> None:
    machine = RemoteMachine("m", address)
    assert (machine.destination, machine.login) == (destination, login)


@pytest.mark.parametrize(
    "address",
    [
        "ssh://-oProxyCommand=touch${IFS}x",
        "ssh://-oProxyCommand=x@host",
        "ssh://host -oProxyCommand=x",
        "ssh://a;reboot",
        "ssh://$(reboot)",
        "ssh://user:password@host",
        "ssh://host:0",
        "ssh://host:65536",
        "ssh://host:22x",
        "ssh://host/folder",
        "ssh://",
        "ssh://host\n",
        "http://host",
        "user@host",
    ],
)
def test_an_address_that_ssh_or_a_shell_could_misread_is_refused(address: str) -> None:
    with pytest.raises(RequestError, match="is no address of a machine"):
        add_machine(RemoteMachine("m", address))
    assert list_machines() == []


@pytest.mark.parametrize("name", ["", "-o", "a b", "a/b", "../a", "local", "x" * 64, "a\n"])
def test_a_name_is_a_plain_word(name: str) -> None:
    with pytest.raises(RequestError, match="cannot be called"):
        add_machine(RemoteMachine(name, "ssh://host"))


def test_a_path_there_has_no_control_characters() -> None:
    with pytest.raises(RequestError, match="control characters"):
        add_machine(RemoteMachine("m", "ssh://host", "/opt\n/x"))


def test_machines_are_added_replaced_and_removed() -> None:
    add_machine(RemoteMachine("b", "ssh://b"))
    add_machine(RemoteMachine("a", "ssh://a"))
    add_machine(RemoteMachine("b", "ssh://c", "~/j"))
    assert list_machines() == [RemoteMachine("a", "ssh://a"), RemoteMachine("b", "ssh://c", "~/j")]
    remove_machine("a")
    assert list_machines() == [machine_named("b")]
    with pytest.raises(RequestError, match="No machine is called 'a', there are b: `joinery remote add"):
        remove_machine("a")


def test_a_damaged_file_is_named_and_nothing_of_it_reaches_ssh(tmp_path: Path) -> None:
    path = tmp_path / "here" / "machines.json"
    path.parent.mkdir()
    nothing = '[{"name": "m", "address": "ssh://h", "joinery": null}]'
    for text in ("{", nothing, '[{"name": "m"}]', '[{"name": "m", "address": "ssh://-oProxyCommand=x"}]', "[3]"):
        path.write_text(text)
        with pytest.raises(RequestError, match=r"machines\.json is damaged"):
            machine_named("m")


def test_a_file_that_another_process_changes_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    acquire = Lock.acquire
    monkeypatch.setattr(Lock, "acquire", lambda self, wait_s: acquire(self, 0.0))
    other = Lock(tmp_path / "here" / ".machines.json.lock")
    acquire(other)
    with other.held(), pytest.raises(RequestError, match=r"machines\.json is being changed by process \d+ on .*: try"):
        add_machine(RemoteMachine("m", "ssh://host"))
    assert list_machines() == []
