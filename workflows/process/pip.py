"""Runs pip in a process that can be stopped, and tells where it takes packages from.

    run_pip(["install", …]) ──starts──▶ pip ──its lines──▶ on_line │ ProcessResult

An environment without pip (uv makes such) uses the one that Python carries for new environments (ensurepip).
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from workflows.process.subprocesses import ProcessResult, exit_with_parent, run_isolated

QUIET = ("--no-input", "--disable-pip-version-check")
WRONG_HASH = "DO NOT MATCH THE HASHES"
"""pip's words."""
_SECONDS = 3600.0  # enough for a slow connection
_PYPI = "https://pypi.org/simple"


def run_pip(
    arguments: Sequence[str],
    on_line: Callable[[str], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    temporary: Path | None = None,
) -> ProcessResult:
    """Runs pip's command line. temporary: the folder of its temporary files, which torch's are too large for elsewhere.

    Raises Cancelled.
    """
    folder = str(temporary) if temporary else ""
    ended = run_isolated(__name__, [folder, *arguments], _SECONDS, on_line=on_line, cancelled=cancelled)
    importlib.invalidate_caches()
    return ended


def package_indexes() -> list[str]:
    """The indexes and folders that pip searches, without user names and passwords."""
    lines: list[str] = []
    run_pip(["config", "list"], lines.append)
    return indexes_of(lines)


def indexes_of(lines: Sequence[str]) -> list[str]:
    """The package sources in the lines of `pip config list`; `:env:` wins over `install`, and that over `global`."""
    found: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for line in lines:
            key, _, value = line.partition("=")
            if key.startswith(f"{section}."):
                found[key.removeprefix(f"{section}.")] = value.strip("'\"").replace("\\n", " ")
    indexes = [found.get("index-url", _PYPI), *found.get("extra-index-url", "").split()]
    offline = found.get("no-index", "").lower() in ("1", "true", "yes", "on")
    return [without_credentials(url) for url in [*([] if offline else indexes), *found.get("find-links", "").split()]]


def without_credentials(url: str) -> str:
    """The URL without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if parts.netloc else url


def last_complaint(log: str) -> str:
    """pip's last line on stderr that says what failed; empty if there is none."""
    lines = [line for line in log.strip().splitlines() if not re.match(r"WARNING: |\[notice\]", line)]
    return lines[-1] if lines else ""


def carried_pip() -> Path | None:
    """The wheel of pip that Python carries; None where a distribution took it out."""
    if (found := importlib.util.find_spec("ensurepip")) is None or found.origin is None:
        return None
    return next(iter(sorted(Path(found.origin).parent.glob("_bundled/pip-*.whl"))), None)


def has_pip() -> bool:
    """Whether there is a pip to run."""
    return _is_installed() or carried_pip() is not None


def _is_installed() -> bool:
    return importlib.util.find_spec("pip") is not None


def main(arguments: Sequence[str]) -> None:
    """Runs pip in a process that ends with its parent. arguments: the folder of temporary files, then pip's own."""
    exit_with_parent()
    folder, *own = arguments
    if folder:
        os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder))
    if not _is_installed() and (wheel := carried_pip()) is not None:
        sys.path.insert(0, str(wheel))
    sys.argv = ["pip", *own]
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
