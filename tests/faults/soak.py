"""Long use: what memory, descriptors and threads do while tokens, sessions and messages go by.

    soak(CASES) ──a process a kind: `python -m tests.faults.soak KIND COUNT BUNDLE`──▶ Long: two levels ──▶ table

The first level is taken when a tenth has gone by: by then libraries are loaded and pools are filled. Memory is what the
process holds for itself alone (USS), after the allocator gave back what it keeps for later: stricter than the whole
(RSS), most of which is libraries. What the window records for the charts has its memory from the first step on; its
chats are in a list, and a reply holds its own tokens: that is memory by intent.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import psutil

from tests.faults.table import markdown
from workflows.common.memory import trim_heap
from workflows.generate import open_engine
from workflows.generate.options import GenerateOptions
from workflows.process.subprocesses import python_command

COUNTS = {"tokens, static": 10_000, "tokens, window": 10_000, "sessions": 100, "messages": 2_000}
"""What `python -m tests.faults --soak` has go by."""
GROWTH = 0.01
"""That memory may grow by."""
HEAD = ("what goes by", "how many", "MB at a tenth", "MB at the end", "grew", "descriptors", "threads")
_CHAT = 20  # messages of a chat
_WINDOW = 512  # tokens
_REPLY = 160  # tokens of a reply, well within the demo's capacity
_PROMPT = "What is 8 times 7?"


@dataclass(frozen=True)
class Level:
    """Of this process: bytes of its own, open descriptors (handles), threads."""

    memory: int
    descriptors: int
    threads: int


@dataclass(frozen=True)
class Long:
    """What went by, and the levels at a tenth and at the end."""

    kind: str
    count: int
    first: Level
    last: Level

    @property
    def growth(self) -> float:
        return self.last.memory / self.first.memory - 1

    def leaks(self) -> bool:
        """Descriptors or threads that were not there at a tenth."""
        return self.last.descriptors > self.first.descriptors or self.last.threads > self.first.threads

    def cells(self) -> tuple[object, ...]:
        memory = (f"{level.memory / 1e6:.1f}" for level in (self.first, self.last))
        counts = ((self.first.descriptors, self.last.descriptors), (self.first.threads, self.last.threads))
        return (self.kind, self.count, *memory, f"{self.growth:+.2%}", *(f"{a} → {b}" for a, b in counts))


def soak(counts: Mapping[str, int], bundle: Path | None = None) -> Iterator[Long]:
    """Has each kind go by so often, in a process of its own. Raises RuntimeError where one fails.

    bundle: the demo as a static cache needs it, which a window takes, too; None builds it.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for kind, count in counts.items():
            if kind != "messages" and bundle is None:
                bundle = home / "bundle"
                _apart(home, "workflows", "build", "demo:qwen3", "--out", str(bundle), "--set", "cache=static")
            place = str(home / kind if kind == "messages" else bundle)
            last_line = _apart(home, "tests.faults.soak", kind, str(count), place).splitlines()[-1]
            first, last = (Level(**one) for one in json.loads(last_line))
            yield Long(kind, count, first, last)


def _apart(home: Path, module: str, *arguments: str) -> str:
    """What a process of ours printed. Raises RuntimeError with what it said where it fails."""
    own = {"PYTHONPATH": str(Path(__file__).parents[2]), "QT_QPA_PLATFORM": "offscreen", "JOINERY_HOME": str(home)}
    command = [*python_command(module), *arguments]
    done = subprocess.run(command, env=os.environ | own, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"{module} {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def told(every: Iterable[Long]) -> str:
    """The table, a row a kind."""
    return markdown(HEAD, [one.cells() for one in every])


def level() -> Level:
    """Now, when all that nobody needs is gone."""
    gc.collect()
    trim_heap()
    me = psutil.Process()
    descriptors = me.num_handles() if sys.platform == "win32" else me.num_fds()
    return Level(me.memory_full_info().uss, descriptors, me.num_threads())


def levels(count: int, steps: Iterator[int], soonest: int = 0) -> list[Level]:
    """The level at a tenth, but not before `soonest`, and at the end. steps: how many have gone by, after each."""
    found = list[Level]()
    for gone in steps:
        if gone >= (count if found else max(soonest, count // 10)):
            found.append(level())
            if len(found) == 2:
                break
    return found


# ---- what goes by ----------------------------------------------------------------------------------------------------


def _replies(bundle: Path, cache: str = "static") -> Iterator[int]:
    """Tokens of one reply after another, which all begin anew; a window's reply slides on and on."""
    gone = 0
    with open_engine(bundle, cache=cache, capacity=_WINDOW) as engine:
        prompt = engine.encode(_PROMPT)
        longest = 1 << 30 if engine.machine.cache.layout.evicts else _REPLY
        while True:
            engine.reset()
            for event in engine.generate(prompt, GenerateOptions(max_new_tokens=longest), eos=()):
                gone += event.event == "token"
                yield gone


def _sessions(bundle: Path) -> Iterator[int]:
    """Opened, asked, closed."""
    gone = 0
    while True:
        with open_engine(bundle, capacity=_WINDOW) as engine:
            for _ in engine.generate(engine.encode(_PROMPT), GenerateOptions(max_new_tokens=8), eos=()):
                pass
        gone += 1
        yield gone


def _messages(bundle: Path) -> Iterator[int]:
    """Asked and answered in the window, twenty in a chat; the worker is the fake one."""
    from PySide6.QtCore import QEventLoop, QTimer

    from app.chat.page import ChatPage
    from app.main import PAGES, application
    from app.state.context import AppContext
    from app.window import MainWindow
    from tests.app.conftest import fake_summary, make_bundle
    from tests.fakes.worker import program

    application()
    loop, look = QEventLoop(), QTimer()  # a real loop: what is to be deleted later waits for one
    context = AppContext(program=program(tokens=8), read=fake_summary)
    context.open_bundle(make_bundle(bundle))
    window = MainWindow(context, PAGES)
    window.show()
    window.show_page("chat")
    page = window.stack.page("chat")
    assert isinstance(page, ChatPage)

    waited_for: list[Callable[[], bool]] = []
    look.timeout.connect(lambda: waited_for[-1]() and loop.quit())  # once: a connection more each time is memory, too
    look.start(2)

    def until(holds: Callable[[], bool]) -> None:
        waited_for[:] = [holds]
        loop.exec()

    until(lambda: context.session.state == "ready")
    gone = 0
    while True:
        for _ in range(_CHAT):
            page.send(_PROMPT)
            until(lambda: not page.controller.running)
            gone += 1
            yield gone
        page.controller.new_chat()


# by then pools are filled that the first ones begin: two replies, and two windows, have been as long as they get
_SETTLED = {"tokens, static": 2 * _REPLY, "tokens, window": 2 * _WINDOW, "sessions": 20, "messages": 2 * _CHAT}
_STEPS = {
    "tokens, static": _replies,
    "tokens, window": partial(_replies, cache="window"),
    "sessions": _sessions,
    "messages": _messages,
}


def main(arguments: list[str]) -> None:
    """Prints the two levels as the last line, and ends without taking the window apart."""
    kind, count, bundle = arguments
    found = levels(int(count), _STEPS[kind](Path(bundle)), _SETTLED.get(kind, 0))
    print(f"\n{json.dumps([asdict(one) for one in found])}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
    os._exit(0)
