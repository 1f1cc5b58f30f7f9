"""A process with the real browser: shows models in Netron, prints what it saw as JSON.

    python -m tests.app.netron_probe FILE…

A process of its own, since the browser's helpers live as long as the one that started them, and write to stderr.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"  # tests run as root in a container

import psutil
from PySide6.QtCore import QEventLoop, QTimer, QtMsgType, QUrl, qInstallMessageHandler

from app.main import application
from app.widgets.theme import theme

LOADED = "document.getElementById('canvas') ? document.querySelectorAll('#canvas g.node').length : 0"
TEXT = "Array.from(document.querySelectorAll('#canvas g.node text')).map((t) => t.textContent).join(' ')"
REQUESTS = """
window.answers = [];
const ask = (url) => {
  const request = new XMLHttpRequest();
  request.onload = () => answers.push(`${url}: ${request.responseText}`);
  request.onerror = () => answers.push("");
  request.open("GET", url, true);
  request.send();
};
ask("https://example.com/x");
ask("file:///etc/hostname");
ask("netron://nobody/index.html");
ask("netron://nobody/model.onnx");
ask("server.py");
ask("../../../../etc/hostname");
ask("favicon.ico");
new Image().src = "http://example.com/y.png";
try { new WebSocket("ws://example.com/z"); } catch { 0 }
"""
ANSWERS = "answers.length == 7 ? JSON.stringify(answers.map((a) => a.slice(0, 11))) : ''"
CHROMIUM = re.compile("QRhiGles2|RHI for backend|GBM is not|QVulkanInstance|createPlatformVulkan|GPUInfo not init")
"""What Qt says where there is no graphics card at all."""


def wait(seconds: float) -> None:
    """Let the browser live."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def until(done: Callable[[], Any], seconds: float = 30) -> Any:
    """The first true answer; what came last after `seconds`."""
    end = time.monotonic() + seconds
    while not (answer := done()) and time.monotonic() < end:
        wait(0.05)
    return answer


def run(view: Any, script: str) -> Any:
    """What a script comes to in a view."""
    answers: list[Any] = []
    view.page().runJavaScript(script, 0, answers.append)
    until(lambda: answers)
    return answers[0] if answers else None


def connections() -> list[str]:
    """Sockets to anywhere, of this process and the browser's helpers."""
    me = psutil.Process()
    found = []
    for process in [me, *me.children(recursive=True)]:
        found += [f"{c.laddr} → {c.raddr}" for c in process.net_connections("inet")]
    return found


def main(files: list[str]) -> int:
    """Prints one JSON object."""
    warnings: list[str] = []
    keep = (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg)
    qInstallMessageHandler(lambda kind, _where, text: warnings.append(text) if kind in keep else None)
    app = application()
    from app.inspect.netron.browser_engine import browser_engine, close_engine
    from app.inspect.netron.netron_view import NetronView

    found = browser_engine()
    views, seconds = [], []
    for place, file in enumerate(files):
        began = time.perf_counter()
        view = NetronView(found)
        view.resize(700, 500)
        view.show()
        view.open(Path(file), f"model {place}")
        views.append(view)
        until(lambda view=view: run(view, LOADED))
        until(lambda view=view: "spinner" not in run(view, "document.body.className"))  # which outlives the loading
        seconds.append(time.perf_counter() - began)
    result: dict[str, Any] = {"seconds": seconds, "blocked at first": list(found.guard.blocked)}
    result["texts"] = [run(view, TEXT) for view in views]
    result["alerts"] = [run(view, "document.body.className") for view in views]
    result["light"] = run(views[0], "getComputedStyle(document.body).backgroundColor")
    theme().set_mode("dark")
    wait(0.2)
    result["dark"] = run(views[0], "getComputedStyle(document.body).backgroundColor")
    result["nodes after dark"] = run(views[0], LOADED)
    run(views[0], REQUESTS)
    result["answers"] = json.loads(until(lambda: run(views[0], ANSWERS)) or "[]")
    views[0].load(QUrl("https://example.com/away"))
    wait(0.5)
    result["blocked"] = sorted(set(found.guard.blocked))
    result["address"] = views[0].url().toString()
    result["connections"] = connections()
    result["off the record"] = found.profile.isOffTheRecord()
    picture = os.environ.get("NETRON_PICTURE")
    if picture:
        wait(0.5)
        views[-1].grab().save(picture)
    for view in views:
        view.close_model()
    wait(0.1)
    close_engine()
    wait(0.1)
    result["warnings"] = [w for w in warnings if not CHROMIUM.search(w) and "propagateSizeHints" not in w]
    sys.stdout.write(json.dumps(result) + "\n")
    sys.stdout.flush()
    del app
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
