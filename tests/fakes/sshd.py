"""An ssh server of the tests' own on loopback: keys, known hosts and configuration in one folder.

LoopbackServer(folder) ──▶ sshd on a free port;  .environment ──▶ JOINERY_SSH: an ssh that knows it
"""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from workflows.process.machines import RemoteMachine

SSHD = shutil.which("sshd", path=f"/usr/sbin:/usr/local/sbin:{os.environ.get('PATH', '')}")
MISSING = "" if SSHD and shutil.which("ssh") and shutil.which("ssh-keygen") else "no sshd: install openssh-server"


CHECKOUT = str(Path(__file__).parents[2])
_SCRIPT = """\
#!/bin/sh
# what ssh would run there, is run here; HOME and the rest of the other machine are in its environment
for last; do :; done
exec env HOME={home} JOINERY_HOME={home}/joinery sh -c "$last"
"""


def machine_without_network(folder: Path, home: Path) -> tuple[str, RemoteMachine]:
    """JOINERY_SSH with a script in the place of ssh, and a machine that it reaches. home: HOME there."""
    program = folder / "ssh"
    program.write_text(_SCRIPT.format(home=home))
    program.chmod(0o755)
    return str(program), RemoteMachine("box", "ssh://user@example.org", CHECKOUT)


class LoopbackServer:
    """A running sshd. home: HOME of what it starts, and so where Joinery keeps its copies there."""

    def __init__(self, folder: Path, options: tuple[str, ...] = ()) -> None:
        assert SSHD is not None
        self.folder, self.port = folder, free_port()
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        for name in ("host", "user", "stranger"):
            make_key(folder / name)
        public = (folder / "user.pub").read_text()
        (folder / "authorized_keys").write_text(public)
        self.known_hosts = folder / "known_hosts"
        self.write_known_hosts(folder / "host.pub")
        self._options = options
        self._write_configurations()
        self.process = self._start()

    @property
    def address(self) -> str:
        """What `joinery remote add` takes."""
        return f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}"

    def ssh(self, key: str = "user") -> str:
        """JOINERY_SSH that logs in with a key of this folder."""
        return f"ssh -F {self.folder}/client_config -i {self.folder}/{key}"

    def write_known_hosts(self, public: Path | None, port: int | None = None) -> None:
        """Makes a host key known; None makes none known."""
        text = "" if public is None else f"[127.0.0.1]:{port or self.port} {public.read_text()}"
        self.known_hosts.write_text(text)

    def know_port(self, port: int) -> None:
        """Makes the host key known for a relay's port, too."""
        with self.known_hosts.open("a") as file:
            file.write(f"[127.0.0.1]:{port} {(self.folder / 'host.pub').read_text()}")

    def stop(self) -> None:
        """Ends the server."""
        self.process.terminate()
        self.process.wait(10)

    def _write_configurations(self) -> None:
        environment = f"HOME={self.home} JOINERY_HOME={self.home}/joinery OMP_NUM_THREADS=1"
        lines = (
            f"Port {self.port}",
            "ListenAddress 127.0.0.1",
            f"HostKey {self.folder}/host",
            f"AuthorizedKeysFile {self.folder}/authorized_keys",
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password",
            f"SetEnv {environment}",
            f"PidFile {self.folder}/pid",
        )
        own = {line.split()[0] for line in self._options}
        text = "\n".join([*self._options, *(line for line in lines if line.split()[0] not in own)])
        (self.folder / "server_config").write_text(text + "\n")
        (self.folder / "client_config").write_text(
            f"UserKnownHostsFile {self.known_hosts}\nGlobalKnownHostsFile /dev/null\nIdentitiesOnly yes\n"
            "IdentityAgent none\nStrictHostKeyChecking yes\n"
        )

    def _start(self) -> subprocess.Popen[bytes]:
        assert SSHD is not None
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        log = (self.folder / "log").open("wb")
        running = subprocess.Popen([SSHD, "-D", "-e", "-f", f"{self.folder}/server_config"], stderr=log)
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return running
            if running.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text())


def make_key(path: Path) -> None:
    """An ed25519 key without a passphrase."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
