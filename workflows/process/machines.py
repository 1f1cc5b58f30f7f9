"""The machines that a user has added, in one file of the Joinery folder.

    NAME, ssh://user@host:port, the path of Joinery there ──add──▶ machines.json ──machine_named──▶ RemoteMachine

Names and addresses become arguments of `ssh`: nothing is accepted that `ssh` or a shell would read as anything else.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from workflows.common.errors import RequestError, printable
from workflows.common.files import write_atomically
from workflows.common.locks import Lock, LockHeldError
from workflows.common.paths import home

_FILE = "machines.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_ADDRESS = re.compile(
    r"ssh://(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.+@\\-]{0,63})@)?"
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9_.-]+)?\])"
    r"(?::(?P<port>[0-9]{1,5}))?/?"
)
LOCAL = "local"
"""What `--on` calls this machine, so that no other may have the name."""


@dataclass(frozen=True)
class RemoteMachine:
    """Another machine. address: ssh://user@host:port. joinery: its folder or program there; "" searches for it."""

    name: str
    address: str
    joinery: str = ""

    @property
    def destination(self) -> list[str]:
        """The arguments of `ssh` that name the machine; the user's configuration has what the address leaves open."""
        user, host, port = _parts(self.address)
        options = ["-p", port] if port else []
        return [*options, *(["-l", user] if user else []), "--", host]

    @property
    def login(self) -> str:
        """The machine as a user writes it after `ssh`."""
        user, host, port = _parts(self.address)
        return f"{f'-p {port} ' if port else ''}{f'{user}@' if user else ''}{host}"


def check_machine(machine: RemoteMachine) -> None:
    """Raises RequestError for a name, an address or a path that cannot be used."""
    if not _NAME.fullmatch(machine.name) or machine.name == LOCAL:
        raise RequestError(
            f"A machine cannot be called {printable(machine.name)!r}: take letters, digits, '.', '_' and '-', a letter "
            f"or a digit first, and not {LOCAL!r}."
        )
    _parts(machine.address)
    if not machine.joinery.isprintable():
        raise RequestError("The path of Joinery on the machine has control characters: give it without.")


def list_machines() -> list[RemoteMachine]:
    """All machines by name. Raises RequestError for a damaged file."""
    path = home() / _FILE
    if not path.is_file():
        return []
    try:
        machines = [RemoteMachine(**one) for one in json.loads(path.read_text("utf-8"))]
        for one in machines:
            check_machine(one)
    except (ValueError, TypeError, AttributeError, RequestError):  # AttributeError: a value that is no text
        raise RequestError(f"{path} is damaged: remove it, and add the machines again.") from None
    return sorted(machines, key=lambda one: one.name)


def machine_named(name: str) -> RemoteMachine:
    """The machine of that name. Raises RequestError that lists those there are."""
    machines = {one.name: one for one in list_machines()}
    if name not in machines:
        there = f"there are {', '.join(machines)}" if machines else "there is none yet"
        raise RequestError(
            f"No machine is called {printable(name)!r}, {there}: `joinery remote add NAME ssh://user@host` adds one."
        )
    return machines[name]


def add_machine(machine: RemoteMachine) -> None:
    """Adds a machine, in place of one of the same name. Raises RequestError and OSError."""
    check_machine(machine)
    _change({machine.name: machine})


def remove_machine(name: str) -> None:
    """Forgets a machine; nothing changes there. Raises RequestError if there is none."""
    machine_named(name)
    _change({name: None})


def _change(changes: dict[str, RemoteMachine | None]) -> None:
    """Writes the file with some machines added, replaced or removed."""
    path: Path = home() / _FILE
    lock = Lock(path.with_name(f".{_FILE}.lock"))
    try:
        lock.acquire(wait_s=5.0)
    except LockHeldError as error:
        raise RequestError(f"{path} is being changed by {error.holder}: try again.") from None
    with lock.held():
        machines = {one.name: one for one in list_machines()} | changes
        rows = [asdict(one) for one in machines.values() if one is not None]
        write_atomically(path, (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode())


def _parts(address: str) -> tuple[str, str, str]:
    """User, host and port; empty where the address has none. Raises RequestError."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match["port"] or 22) < 65536:
        raise RequestError(
            f"{printable(address)!r} is no address of a machine: write ssh://user@host or ssh://user@host:port, "
            "without a password or a path."
        )
    return match["user"] or "", match["host"].strip("[]"), match["port"] or ""
