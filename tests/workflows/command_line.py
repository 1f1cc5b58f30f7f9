"""The `joinery` command in a process of its own, which imports nothing where it can be forked from one that has."""

from __future__ import annotations

import atexit
import subprocess
import sys
from functools import cache
from typing import Any

from tests.fakes import fork_server

PRELOADED = ("workflows.cli", "workflows.generate", "workflows.inspection", "onnxruntime")
# what most commands import when they run
PRELOADED += ("workflows.cli.output", "workflows.measure.recording", "workflows.builder", "onnx_ir", "rich.progress")


@cache
def _server() -> fork_server.Server:
    server = fork_server.Server("workflows.__main__", *PRELOADED)
    atexit.register(server.close)
    return server


def command(*arguments: object) -> list[str]:
    """The command line; its streams are pipes or files, not a terminal."""
    words = [str(argument) for argument in arguments]
    return _server().command(*words) if fork_server.AVAILABLE else [sys.executable, "-m", "workflows", *words]


def joinery(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """What a command line came to."""
    return subprocess.run(command(*arguments), capture_output=True, encoding="utf-8", timeout=120, **options)
