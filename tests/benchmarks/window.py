"""The window as a person feels it, offscreen, with real processes: start, first token, stalls, a dead worker, memory.

    python -m tests.benchmarks.window [--rounds 5] [--only start click stall kill memory]

    this process ──spawns, one process a scene──▶ a real window ──▶ real workers (the stream of 200/s is the fake's)

Prints figures and asserts no clock. The load average stands beside them: on a busy machine a stall may be another's.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

SCENES = ("starting", "idle", "chat", "measure", "switching")
PARTS = ("start", "click", "stall", "kill", "memory")
RATE = 200
STALL_S = 20.0
MANY_TOKENS = 50_000


# -- the parent: spawns and prints --------------------------------------------------------------------------------


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def spread(values: list[float], unit: str) -> str:
    """Median, least and most."""
    return f"median {statistics.median(values):.0f} {unit} (min {min(values):.0f}, max {max(values):.0f})"


def environment(home: Path) -> dict[str, str]:
    """Ours, with Joinery's folder elsewhere."""
    return {**os.environ, "JOINERY_HOME": str(home)}


def scene(name: str, home: Path) -> dict[str, Any]:
    """What a window in a process of its own found out; it remembers nothing but the bundle."""
    (home / "window.ini").unlink(missing_ok=True)
    shutil.rmtree(home / "chats", ignore_errors=True)
    command = [sys.executable, "-m", "tests.benchmarks.window", "--scene", name]
    out = subprocess.run(command, env=environment(home), stdout=subprocess.PIPE, check=True).stdout
    result: dict[str, Any] = json.loads(out.splitlines()[-1])
    return result


def build_demo(home: Path) -> None:
    """The demo as the window would have built it, listed as the bundle that was used last."""
    bundle = home / "bundles" / "qwen3-demo"
    command = [sys.executable, "-m", "workflows", "build", "demo:qwen3", "--out", str(bundle)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    row = {"path": str(bundle), "used_at": "2026-01-02T03:04:05+00:00", "speed": 0.0}
    (home / "recents.json").write_text(json.dumps([row]))


def first_picture(home: Path) -> float:
    """Milliseconds from the start of a process to the window's first picture."""
    command = [sys.executable, "-m", "tests.benchmarks.first_paint"]
    began = time.monotonic_ns()
    out = subprocess.run(command, env=environment(home), stdout=subprocess.PIPE, check=True).stdout
    return (int(out) - began) / 1e6


def part_start(home: Path, rounds: int) -> None:
    """How long until the window is seen: with nothing of the past, and on the chat with the last bundle."""
    with tempfile.TemporaryDirectory() as empty:
        fresh = [first_picture(Path(empty) / str(i)) for i in range(rounds)]
    say(f"start, fresh home              {spread(fresh, 'ms')}   target 1500")
    (home / "window.ini").write_text(f"[General]\nbundle={home / 'bundles' / 'qwen3-demo'}\npage=chat\n")
    last = [first_picture(home) for _ in range(rounds)]
    (home / "window.ini").unlink()
    say(f"start, last bundle, chat page  {spread(last, 'ms')}   target 1500")


def part_click(home: Path, rounds: int) -> None:
    """From a click to what it is for."""
    warm = [scene("click", home) for _ in range(rounds)]
    cold = [scene("click-at-once", home) for _ in range(rounds)]
    say(f"Chat with the demo → can type  {spread([r['type_ms'] for r in warm], 'ms')}")
    say(f"Chat with the demo → open      {spread([r['open_ms'] for r in warm], 'ms')}")
    say(f"Send → first token, open       {spread([r['send_ms'] for r in warm], 'ms')}   target 2000")
    say(f"Send → first token, cold       {spread([r['send_ms'] for r in cold], 'ms')}   target 2000")
    say(f"Chat with the demo → token     {spread([r['whole_ms'] for r in cold], 'ms')}   target 2000")


def part_stall(home: Path, rounds: int) -> None:
    """How long the event loop is away while a build and a stream run, and how long when nothing does."""
    for name in SCENES:
        for _ in range(min(rounds, 3)):
            found = scene(name, home)
            say(stall_line(name, found))
            for gap in found["gaps"]:
                say(f"    {gap['wall']:6.1f} ms, own {gap['own']:6.1f} ms: {gap['doing']}")


def stall_line(name: str, found: dict[str, Any]) -> str:
    """A scene's figures in one line."""
    f = found["figures"]
    return (
        f"stall, {name:9}  worst {f['worst_ms']:5.1f}  (own {f['worst_own_ms']:5.1f})  p99 {f['p99_ms']:4.1f} ms "
        f"over 50 ms: {f['over_limit']:2.0f}  busy {f['busy_percent']:2.0f} %  {found['rate']:3.0f} tok/s  "
        f"builds {found['builds']}  load {os.getloadavg()[0]:.1f}"
    )


def part_kill(home: Path, _rounds: int) -> None:
    """kill -9 of the session's worker amid a stream."""
    found = scene("kill", home)
    say(f"kill -9 after {found['tokens']} tokens       “{found['message']}” [{found['action']}]")
    say(f"  {found['action']} → open {found['open_ms']:.0f} ms; the next reply: “{found['reply']}”")


def part_memory(home: Path, _rounds: int) -> None:
    """What a long time of streaming leaves in the window's process."""
    found = scene("memory", home)
    say(f"memory, {MANY_TOKENS:,} tokens: " + ", ".join(f"{k} {v:.0f} MiB" for k, v in found.items()))


# -- a scene: a window, in a process of its own -------------------------------------------------------------------


def run_scene(name: str) -> dict[str, Any]:
    """The scene called `name`."""
    from tests.benchmarks import window_scenes as scenes

    play: dict[str, Callable[[], dict[str, Any]]] = {
        "click": scenes.click,
        "click-at-once": lambda: scenes.click(at_once=True),
        "kill": scenes.kill,
        "memory": lambda: scenes.memory(MANY_TOKENS),
        **{each: lambda each=each: scenes.stall(each, STALL_S, RATE) for each in SCENES},  # type: ignore[misc]
    }
    return play[name]()


def main() -> None:
    """Every part, or those that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--scene", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if arguments.scene:
        say(json.dumps(run_scene(arguments.scene)))
        return
    parts: dict[str, Callable[[Path, int], None]] = {
        "start": part_start,
        "click": part_click,
        "stall": part_stall,
        "kill": part_kill,
        "memory": part_memory,
    }
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        build_demo(home)
        for name in arguments.only:
            say(f"-- {name}, {os.cpu_count()} processors, load average {os.getloadavg()[0]:.2f}")
            parts[name](home, arguments.rounds)


if __name__ == "__main__":
    main()
