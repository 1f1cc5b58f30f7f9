"""A server in a process of its own, and what it serves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil
from openai import OpenAI

from resources import demos

DEMOS = Path(demos.__file__).parent
TOKEN = "a-token-of-the-tests"


class Server(NamedTuple):
    """A running server. url: with /v1."""

    url: str
    process: subprocess.Popen[str]

    @property
    def client(self) -> OpenAI:
        """OpenAI's own client, which tries once."""
        return OpenAI(base_url=self.url, api_key=TOKEN, max_retries=0, timeout=120)

    def workers(self) -> list[psutil.Process]:
        """The processes that have bundles open."""
        return psutil.Process(self.process.pid).children()


@contextmanager
def running(bundles: Mapping[str, Path], *options: str) -> Iterator[Server]:
    """`joinery serve` on a free port."""
    command = [sys.executable, "-m", "workflows", "serve", *(f"{name}={path}" for name, path in bundles.items())]
    environment = os.environ | {"JOINERY_SERVE_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [*command, "--port", "0", *options], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        assert " at http" in line, process.stderr.read()
        yield Server(line.split(" at ")[1].strip(), process)
    finally:
        process.terminate()
        process.wait(60)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
