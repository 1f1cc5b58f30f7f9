"""Four windows and two command lines that write to one home at once, as fast as they can: what was lost of it.

at_once ──▶ processes: `python -m tests.faults.writers HOME NAME KIND TIMES`, which begin together ──▶ lost(HOME)
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from app.state.chat_store import ChatStore
from app.state.conversation import Conversation
from app.state.recent_bundles import RecentBundles
from app.state.settings import Settings
from workflows.common.locks import LockHeldError
from workflows.measure.history import DATABASE_FILE, RunHistory, current_time, new_id
from workflows.process.subprocesses import python_command
from workflows.wire.reports.runs import RunRecord

WINDOWS, LINES, TIMES = ("w1", "w2", "w3", "w4"), ("l1", "l2"), 1000
_KINDS = 4  # of what a window writes, in turns
_PLACES = 7  # bundles of each window: of all of them fewer than the list keeps


def at_once(home: Path, times: int = TIMES) -> None:
    """Runs them all to their ends. Raises RuntimeError where one fails."""
    home.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).parents[2]
    kinds = [*((name, "window") for name in WINDOWS), *((name, "line") for name in LINES)]
    children = [
        subprocess.Popen([*python_command("tests.faults.writers"), str(home), name, kind, str(times)],
                         stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(root)})
        for name, kind in kinds
    ]  # fmt: skip
    try:
        while len(list(home.glob("ready-*"))) < len(children) and all(one.poll() is None for one in children):
            time.sleep(0.01)
        (home / "go").touch()
        for child in children:
            _, errors = child.communicate()
            if child.returncode:
                raise RuntimeError(errors.decode())
    finally:
        for child in children:
            child.kill()
            child.wait()


def lost(home: Path, times: int = TIMES) -> dict[str, int]:
    """How many writes of each kind are not there."""
    each = times // _KINDS
    settings, recents = Settings(home), RecentBundles(home, lambda path: {"name": path})
    speeds = {entry.path: entry.speed for entry in recents.entries}
    runs = {run.name for run in RunHistory(home / DATABASE_FILE).runs()}
    chats = [ChatStore(home / "chats").copy(path.name.removesuffix(".chat.json"))
             for path in (home / "chats").glob("*.chat.json")]  # fmt: skip
    asked = {one.content for chat in chats for one in chat.path()}
    last = {f"/{name}/{n % _PLACES}": n + 1.0 for name in WINDOWS for n in range(each)}
    return {
        "settings": sum(settings.text(f"{name}.{n}") != "kept" for name in WINDOWS for n in range(each)),
        "recents": sum(speeds.get(path) != speed for path, speed in last.items()),
        "chats": sum(f"{name} asks {n}" not in asked for name in WINDOWS for n in range(each)),
        "history": sum(f"{name} {n}" not in runs for name in WINDOWS for n in range(each))
        + sum(f"{name} {n}" not in runs for name in LINES for n in range(times)),
    }


def _write(home: Path, name: str, kind: str, times: int) -> None:
    (home / f"ready-{name}").touch()
    while not (home / "go").exists():
        time.sleep(0.001)
    if kind == "window":
        _as_window(home, name, times // _KINDS)
    else:
        for n in range(times):
            _keep(home, f"{name} {n}")


def _keep(home: Path, name: str) -> None:
    RunHistory(home / DATABASE_FILE).add(
        RunRecord(new_id(), "bench", current_time(), "/b", name, "0" * 16, "fp32", "static", "cpu", "1", "m", {})
    )


def _as_window(home: Path, name: str, each: int) -> None:
    """All begin with the same last chat: one has it, the others go on in chats of their own."""
    settings, recents, store = (
        Settings(home),
        RecentBundles(home, lambda path: {"name": path}),
        ChatStore(home / "chats"),
    )
    try:
        key = store.begin()
        chat = store.load(key) if key else Conversation()
    except LockHeldError:
        chat = Conversation()
    for n in range(each):
        settings.set(f"{name}.{n}", "kept")
        recents.add(f"/{name}/{n % _PLACES}")
        recents.note_speed(f"/{name}/{n % _PLACES}", n + 1.0, "cpu")
        chat.begin_reply(chat.ask(f"{name} asks {n}").id)
        store.commit(chat)
        _keep(home, f"{name} {n}")
    store.close()


if __name__ == "__main__":
    _write(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
