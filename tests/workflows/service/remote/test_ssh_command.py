"""The command line of ssh, the script that finds Joinery there, and the sentence for each failure."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from workflows.common.errors import RequestError
from workflows.process.machines import RemoteMachine
from workflows.service.remote.ssh_command import Forward, connection_problem, ssh_command

MACHINE = RemoteMachine("box", "ssh://ann@npu.lan:2222", "/opt/it's here")


def test_the_command_line_asks_nothing_and_quotes_the_path() -> None:
    command = ssh_command(MACHINE)
    assert command[:2] == ["ssh", "-T"] and command[-2:-1] == ["npu.lan"] and command[-3] == "--"
    for option in ("BatchMode=yes", "ServerAliveInterval=5", "ServerAliveCountMax=2"):
        assert command[command.index(option) - 1] == "-o"
    assert shlex.split(command[-1])[-1] == "/opt/it's here"


@pytest.mark.parametrize(
    ("host", "option"), [("127.0.0.1", "127.0.0.1:80:127.0.0.1:90"), ("::1", "[::1]:80:127.0.0.1:90")]
)
def test_a_forwarded_port_is_of_this_connection_alone(host: str, option: str) -> None:
    """A shared one would keep it; the option that clears the user's own would clear it, too."""
    command = ssh_command(MACHINE, Forward(host, 80, 90))
    assert command[command.index("-L") + 1] == option
    assert {"ControlPath=none", "ClearAllForwardings=no"} <= set(command)
    assert "ClearAllForwardings=yes" in ssh_command(MACHINE) and "-L" not in ssh_command(MACHINE)


def test_another_ssh_may_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINERY_SSH", "my-ssh -F '/a b/config'")
    assert ssh_command(MACHINE)[:4] == ["my-ssh", "-F", "/a b/config", "-T"]


def test_a_program_with_an_open_quote_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOINERY_SSH", "ssh -F '/a b")
    with pytest.raises(RequestError, match="JOINERY_SSH is no command line"):
        ssh_command(MACHINE)


def run_there(joinery: str, home: Path, path: str) -> subprocess.CompletedProcess[str]:
    """What the script does on a machine with that HOME and PATH; its Python prints its arguments."""
    script = ssh_command(RemoteMachine("box", "ssh://host", joinery))[-1]
    environment = {"HOME": str(home), "PATH": path}
    return subprocess.run(["/bin/sh", "-c", script], env=environment, capture_output=True, text=True, timeout=20)


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_the_script_finds_python_and_joinery(tmp_path: Path) -> None:
    """In a checkout, in an environment, beside a program, by PATH; without either it prints which is missing."""
    shell = tmp_path / "bin"
    for name in ("sh", "readlink"):
        shell.mkdir(exist_ok=True)
        (shell / name).symlink_to(f"/usr/bin/{name}" if Path(f"/usr/bin/{name}").exists() else f"/bin/{name}")
    python = 'case $2 in -c) echo /site/joinery;; *) echo "$0 $* $PYTHONPATH";; esac'
    own = program(tmp_path / "my checkout/.venv/bin/python", python)
    (tmp_path / "my checkout/workflows").mkdir()
    arguments = "-P -m workflows.service.remote.agent"
    for joinery in (str(tmp_path / "my checkout"), "~/my checkout", "my checkout"):
        assert run_there(joinery, tmp_path, str(shell)).stdout.split("\n")[0] == (
            f"{own} {arguments} {tmp_path}/my checkout"
        )
    tool = program(tmp_path / "env/bin/joinery", "exit 1")
    beside = program(tmp_path / "env/bin/python", python)
    assert run_there(str(tool), tmp_path, str(shell)).stdout.strip() == f"{beside} {arguments} /site/joinery"
    assert run_there("", tmp_path, f"{tool.parent}:{shell}").stdout.strip() == f"{beside} {arguments} /site/joinery"
    missing = run_there(str(tmp_path / "nowhere"), tmp_path, str(shell))
    assert (missing.returncode, missing.stderr) == (127, "joinery:no-python\n")
    program(shell / "python3", python)
    missing = run_there(str(tmp_path / "nowhere"), tmp_path, str(shell))
    assert (missing.returncode, missing.stderr) == (127, "joinery:no-joinery\n")


@pytest.mark.parametrize(
    ("stderr", "sentence"),
    [
        ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.", "another host key"),
        ("No ED25519 host key is known for x.\nHost key verification failed.", "run `ssh -p 2222 ann@npu.lan` once"),
        ("ann@npu.lan: Permission denied (publickey,password).", "would ask for a password, which Joinery never does"),
        ("ann@npu.lan: Permission denied (publickey).", "accepts none of your keys: add your public key"),
        ("ssh: Could not resolve hostname npu.lan: Name or service not known", "a host name that is not known"),
        ("ssh: connect to host npu.lan port 2222: Connection refused", "no ssh server listens"),
        ("ssh: connect to host npu.lan port 2222: No route to host", "cannot be reached at ssh://ann@npu.lan:2222"),
        ("kex_exchange_identification: read: Connection reset by peer", "closes the connection at"),
        ("joinery:no-python", "has no Python: install Python 3.11"),
        ("joinery:no-joinery", "has no Joinery at /opt/it's here: install it there"),
        ("Unknown option: -P\nusage: python3", "a Python that is too old"),
        ("/usr/bin/python3: No module named workflows", "a Python without Joinery"),
        ("ModuleNotFoundError: No module named 'workflows'", "a Python without Joinery"),
        ("/usr/bin/python3: No module named workflows.service.remote", "an older Joinery"),
        ("ModuleNotFoundError: No module named 'psutil'", "lacks the package psutil"),
        ("OSError: [Errno 28] No space left on device", "has a full disk"),
        ("a banner\nsomething \x1b[1m else", "cannot be used: something"),
        ("", "cannot be used: ssh ended with code 255"),
    ],
)
def test_each_failure_is_a_sentence_that_names_the_machine(stderr: str, sentence: str) -> None:
    text = connection_problem(MACHINE, 255, stderr)
    assert text.startswith("box ") and sentence in text and text.endswith(".")
    assert text.isprintable() and text.count("\n") == 0


def test_a_changed_key_is_removed_under_the_name_that_known_hosts_has() -> None:
    text = connection_problem(MACHINE, 255, "REMOTE HOST IDENTIFICATION HAS CHANGED")
    assert "`ssh-keygen -R [npu.lan]:2222`" in text


def test_no_answer_is_a_sentence() -> None:
    assert connection_problem(MACHINE, None, "").startswith("box did not answer in time at ssh://ann@npu.lan:2222")
