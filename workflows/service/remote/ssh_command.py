"""The command line of `ssh`, and what its failures mean.

    RemoteMachine ──ssh_command──▶ ssh -T … host sh -c 'find Python and Joinery, exec the agent'
    the end of ssh, its stderr ──connection_problem──▶ one sentence with what to do

The user's own ssh configuration, agent, known hosts and jump hosts apply. JOINERY_SSH replaces the program `ssh`, with
options: `JOINERY_SSH="ssh -F ~/other_config"`.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import NamedTuple

from workflows.common.errors import RequestError, printable
from workflows.process.machines import RemoteMachine

AGENT = "workflows.service.remote.agent"
_FORWARDED = {
    "ClearAllForwardings": "no",  # it would clear this one, too
    "ControlPath": "none",  # a shared connection keeps the port after this process
}
_OPTIONS = {
    "BatchMode": "yes",  # no password is asked: nobody could answer
    "ConnectTimeout": "15",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "2",
    "ClearAllForwardings": "yes",
    "RemoteCommand": "none",
    "LogLevel": "ERROR",
}
# Finds Python and Joinery there: $1 is their folder, the program `joinery`, or empty. An installed wheel has its
# packages in the folder of `joinery`. POSIX sh.
_START = """\
j=$1; p=; w=
case $j in "~/"*) j=$HOME/${j#??};; ""|/*) ;; *) j=$HOME/$j;; esac
[ -n "$j" ] || j=$(command -v joinery) || for c in "$HOME/joinery" "$HOME/.local/bin/joinery"; do
  [ -e "$c" ] && j=$c && break; done
if [ -d "$j" ]; then
  for c in "$j/.venv/bin/python" "$j/bin/python"; do [ -x "$c" ] && p=$c && break; done
  [ -d "$j/workflows" ] && w=$j
elif [ -f "$j" ]; then
  c=$(readlink -f "$j" 2>/dev/null || echo "$j"); c=${c%/*}/python; [ -x "$c" ] && p=$c
fi
[ -n "$p" ] || p=$(command -v python3) || { echo joinery:no-python >&2; exit 127; }
[ -e "$j" ] || { echo joinery:no-joinery >&2; exit 127; }
[ -n "$w" ] || w=$("$p" -P -c 'import joinery; print(joinery.__path__[0])' 2>/dev/null)
[ -n "$w" ] && export PYTHONPATH="$w${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONUNBUFFERED=1 PYTHONIOENCODING=utf-8 PYTHONUTF8=1
cd / && exec "$p" -P -m MODULE
"""


class Forward(NamedTuple):
    """A port of this machine whose connections go to a port of the other one's loopback."""

    host: str
    port: int
    there: int

    @property
    def option(self) -> list[str]:
        """The option of `ssh`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return ["-L", f"{host}:{self.port}:127.0.0.1:{self.there}"]


def ssh_command(machine: RemoteMachine, forward: Forward | None = None) -> list[str]:
    """The command line that connects stdin and stdout with the agent on a machine. Raises RequestError."""
    try:
        program = shlex.split(os.environ.get("JOINERY_SSH", "")) or ["ssh"]
    except ValueError as error:
        raise RequestError(f"JOINERY_SSH is no command line ({error}): write it as in a shell.") from None
    chosen = _OPTIONS if forward is None else _OPTIONS | _FORWARDED
    options = [part for name, value in chosen.items() for part in ("-o", f"{name}={value}")]
    options += forward.option if forward is not None else []
    script = _START.replace("MODULE", AGENT)
    remote = f"exec sh -c {shlex.quote(script)} sh {shlex.quote(machine.joinery)}"
    return [*program, "-T", *options, *machine.destination, remote]


_PROBLEMS = (  # what ssh, sh or Python print on stderr → the sentence after the machine's name
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|host key .*has changed",
        "has another host key than before, so another machine may answer in its place: if it was set up anew, run "
        "`ssh-keygen -R {host}` and then `ssh {login}` once.",
    ),
    (
        r"Host key verification failed|No \S+ host key is known",
        "has a host key that is not known here: run `ssh {login}` once and compare the fingerprint that it shows.",
    ),
    (
        r"Permission denied \([^)]*(?:password|keyboard-interactive)",
        "accepts none of your keys and would ask for a password, which Joinery never does: run `ssh-copy-id {login}`, "
        "or load the key by `ssh-add`.",
    ),
    (
        r"Permission denied|Too many authentication failures",
        "accepts none of your keys: add your public key to ~/.ssh/authorized_keys there, or load another by `ssh-add`.",
    ),
    (r"Could not resolve hostname", "has a host name that is not known: check the address {address}."),
    (r"Connection refused", "answers, but no ssh server listens at {address}: start one there, or correct the port."),
    (
        r"timed out|No route to host|Network is unreachable|not responding",
        "cannot be reached at {address}: check that it runs, the network, and the address.",
    ),
    (
        r"kex_exchange_identification|Connection (?:closed|reset) by",
        "closes the connection at {address} before ssh has begun: check the port, and that its ssh server lets you in.",
    ),
    (r"joinery:no-python", "has no Python: install Python 3.11 or newer there."),
    (
        r"joinery:no-joinery",
        "has no Joinery{place}: install it there, or name its folder by `joinery remote add {name} {address} "
        "--joinery PATH_THERE`.",
    ),
    (r"(?i)unknown option:? -P", "has a Python that is too old: Joinery needs Python 3.11 or newer there."),
    (
        r"No module named '?workflows'?(?![.\w])",
        "has a Python without Joinery{place}: install it there, or name its folder by `joinery remote add {name} "
        "{address} --joinery PATH_THERE`.",
    ),
    (
        r"(?:No module named|Error while finding module specification for) '?workflows\.",
        "has an older Joinery, which knows no remote machines: install the version of this machine there.",
    ),
    (
        r"No module named '?([\w.]+)",
        "has a Joinery that lacks the package {0}: run `pip install joinery` in its environment there.",
    ),
    (r"No space left on device|Disk quota exceeded", "has a full disk: make room there."),
)


def connection_problem(machine: RemoteMachine, code: int | None, stderr: str) -> str:
    """Why a connection could not be made, as one sentence. code: of ssh; None if it did not answer in time."""
    host = machine.destination[-1]
    facts = {
        "name": machine.name,
        "address": machine.address,
        "login": machine.login,
        "host": f"[{host}]:{machine.destination[1]}" if machine.destination[0] == "-p" else host,
        "place": f" at {printable(machine.joinery)}" if machine.joinery else "",
    }
    for pattern, sentence in _PROBLEMS:
        if match := re.search(pattern, stderr):
            return f"{machine.name} " + sentence.format(*map(printable, match.groups()), **facts)
    if code is None:
        return f"{machine.name} did not answer in time at {machine.address}: check that it runs, and the network."
    last = next((line for line in reversed(stderr.splitlines()) if line.strip()), f"ssh ended with code {code}")
    return f"{machine.name} cannot be used: {printable(last.strip(), 300)}; try `ssh {machine.login}` by hand."
