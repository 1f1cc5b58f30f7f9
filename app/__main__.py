"""`python -m app [PATH]`: opens the window, or reports in a sentence which system libraries are missing."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from app.startup.crash_reports import recorded_crashes
from app.startup.system_libraries import missing_libraries_message
from workflows.common.paths import home


def start(argv: Sequence[str]) -> int:
    """Opens the window and returns its exit code; a fault from here on leaves a report in Joinery's folder."""
    with recorded_crashes(_home(argv)):
        from app.main import main  # imports Qt, which needs the libraries

        return main(argv)


def _home(argv: Sequence[str]) -> Path:
    """The folder that --home names; the other arguments are parsed once Qt is there."""
    parser = argparse.ArgumentParser(prog="python -m app", add_help=False)
    parser.add_argument("--home", type=Path, default=home())
    folder: Path = parser.parse_known_args(argv)[0].home
    return folder


if __name__ == "__main__":
    problem = missing_libraries_message(os.environ)
    if problem:
        sys.exit(problem)  # on stderr, with exit code 1
    sys.exit(start(sys.argv[1:]))
