"""A worker that falls ill at the first generation of all its lives, and is well from then on.

python tests/faults/sick.py '{"illness": "segv", "state": FILE, …}'    the rest is a scenario of the fake worker
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.fakes.worker import Fake

FLOOD = 200 << 20


class Sick(Fake):
    """Falls ill where it should generate."""

    def do_generate(self, request: Any) -> None:
        """The first time, what the scenario calls its illness."""
        state = Path(self.scenario["state"])
        if not state.exists():
            state.touch()
            getattr(self, self.scenario["illness"])()
        super().do_generate(request)

    def segv(self) -> None:
        """What a provider's library does."""
        os.kill(os.getpid(), signal.SIGSEGV)

    def kill(self) -> None:
        """What the system does that has no memory left."""
        os.kill(os.getpid(), signal.SIGKILL)

    def stop(self) -> None:
        """It hangs, and hears no message."""
        os.kill(os.getpid(), signal.SIGSTOP)

    def memory(self) -> None:
        """A limit that is met, and nobody who catches that."""
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        bytearray(2 << 30)

    def flood(self) -> None:
        """One line without an end."""
        for _ in range(FLOOD >> 20):
            sys.stdout.write("x" * (1 << 20))
        sys.stdout.write("\n")
        sys.stdout.flush()

    def garbage(self) -> None:
        """Bytes that are no text, half of an event, nested brackets, and events with wrong fields; then the end."""
        wrong = [{"job": self.id, "event": "token", "id": "x"}, {"job": self.id}, {"job": "1", "event": "done"}, 7]
        last = {"job": self.id, "event": "done", "text": 3}
        lines = [os.urandom(4096).replace(b"\n", b""), b"[" * 100_000, b"[" * 400_000]
        lines += [json.dumps(one).encode() for one in (*wrong, last)]
        sys.stdout.flush()
        sys.stdout.buffer.write(b"\n".join(lines) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    Sick(json.loads(sys.argv[1])).serve()
