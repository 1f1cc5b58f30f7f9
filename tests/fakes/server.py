"""A `joinery serve --json --stop-at-eof` that follows a script, and serves nothing.

    python tests/fakes/server.py '{"statuses": [...], "crash_after": 3}' serve NAME=FOLDER …

Its fields, all optional:
    error            {"kind", "message"}: it ends with this error before it serves, exit code 2
    address          ("http://127.0.0.1:8080")
    statuses         fields of the ServerStatus of each line, one every `every` seconds; the last one stays
    every            seconds (0.05)
    copies           messages of the progress of a copy, before it serves
    lines            lines to standard error before it serves
    silent           true: it neither serves nor ends before its standard input does
    crash_after      lines after which it kills itself
    linger           seconds from the end of standard input to its own end (0)
    arguments        a file to which its arguments and the variables JOINERY_SERVE_… are written
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

IDLE: dict[str, Any] = {
    "uptime_s": 1.0, "bundles": [], "requests": [], "done": 0, "failed": 0, "cancelled": 0, "prompt_tokens": 0,
    "cached_tokens": 0, "tokens": 0,
}  # fmt: skip


def program(**scenario: Any) -> list[str]:
    """The command line of a fake server."""
    return [sys.executable, __file__, json.dumps(scenario)]


def traffic(steps: int) -> list[dict[str, Any]]:
    """So many statuses of a server of two bundles that clients ask: requests come, wait, run and end."""
    return [_moment(step) for step in range(steps)]


def _moment(step: int) -> dict[str, Any]:
    kinds = ("chat", "chat", "completion", "chat", "embedding")
    requests, made = list[dict[str, Any]](), 0
    for number in range(1, step + 4):
        age, kind = step - number + 3, kinds[number % 5]
        bundle = "minilm-l6-v2" if kind == "embedding" else "qwen3-demo"
        state = "done" if age > 6 else "running" if age > 1 else "waiting"
        state = {11: "cancelled", 13: "failed"}.get(number, state) if state == "done" else state
        tokens = 0 if kind == "embedding" or state == "waiting" else min(age, 7) * 31 - 31
        made += tokens
        requests.append({
            "number": number, "model": bundle, "kind": kind, "state": state, "seconds": 0.5 * min(age + 1, 8),
            "prompt_tokens": 0 if state == "waiting" else 240 + number, "cached_tokens": 64 * (number % 3 == 0),
            "tokens": tokens, "tokens_per_s": 61.5 + number if tokens else 0.0,
            "reason": "context_length_exceeded" if state == "failed" else "",
        })  # fmt: skip
    running = sum(one["state"] == "running" for one in requests)
    rows = {"gives": "tokens", "open": True, "rows": 8, "waiting": len(requests[-2:]), "running": running}
    slots = {"cache_used": 480 * running, "cache_slots": 8192}
    idle = {"gives": "vectors", "open": False, "rows": 1, "waiting": 0, "running": 0}
    return {
        "uptime_s": step * 0.5,
        "bundles": [{"name": "qwen3-demo", **rows, **slots}, {"name": "minilm-l6-v2", **idle, "cache_used": 0,
                                                              "cache_slots": 0}],
        "requests": requests,
        "done": sum(one["state"] == "done" for one in requests),
        "failed": sum(one["state"] == "failed" for one in requests),
        "cancelled": sum(one["state"] == "cancelled" for one in requests),
        "prompt_tokens": sum(one["prompt_tokens"] for one in requests),
        "cached_tokens": sum(one["cached_tokens"] for one in requests),
        "tokens": made,
    }  # fmt: skip


def write(payload: dict[str, Any]) -> None:
    """One line."""
    sys.stdout.write(json.dumps(payload) + "\n")
    sys.stdout.flush()


def serve(scenario: dict[str, Any]) -> None:
    """Until standard input ends."""
    for line in scenario.get("lines", ()):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    for message in scenario.get("copies", ()):
        write({"event": "progress", "stage": "copy", "message": message, "done": 0, "total": 1, "unit": "bytes"})
    if (error := scenario.get("error")) is not None:
        write({"event": "error", "details": "", **error})
        sys.stderr.write(f"joinery: {error['message']}\n")
        sys.exit(2)
    if not scenario.get("silent"):
        write({"event": "serving", "address": scenario.get("address", "http://127.0.0.1:8080"), "bundles": []})
        threading.Thread(target=report, args=(scenario,), daemon=True).start()
    while os.read(0, 4096):
        pass
    time.sleep(scenario.get("linger", 0))
    os._exit(0)


def report(scenario: dict[str, Any]) -> None:
    """The lines of what it does."""
    for place, status in enumerate(scenario.get("statuses", [{}])):
        if place == scenario.get("crash_after"):
            os.kill(os.getpid(), signal.SIGKILL)
        write({"event": "status", **IDLE, **status})
        time.sleep(scenario.get("every", 0.05))


if __name__ == "__main__":
    chosen = json.loads(sys.argv[1])
    if "arguments" in chosen:
        own = {name: value for name, value in os.environ.items() if name.startswith("JOINERY_SERVE_")}
        with open(chosen["arguments"], "w", encoding="utf-8") as file:  # noqa: PTH123  this imports little
            json.dump([sys.argv[2:], own], file)
    serve(chosen)
