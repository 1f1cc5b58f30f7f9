"""Reports of windows that died: by a signal, by an exception, killed, properly closed; two at once; no paths."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.startup import crash_reports
from app.startup.crash_reports import FOLDER, MOST_REPORTS, crash_time, recorded_crashes, take_new_report

DIES = """
import os, signal, sys
from pathlib import Path
from app.startup.crash_reports import recorded_crashes

def act_of_the_program():
    os.kill(os.getpid(), int(sys.argv[2]))

with recorded_crashes(Path(sys.argv[1])):
    act_of_the_program()
"""


def die(home: Path, number: int) -> int:
    """A process that a signal ends; its exit code."""
    done = subprocess.run([sys.executable, "-c", DIES, str(home), str(number)], stderr=subprocess.PIPE)
    assert done.stderr == b"", "the stacks are in the report, not on the terminal"
    return done.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals of POSIX")
@pytest.mark.parametrize(
    ("number", "text"), [("SIGSEGV", "Fatal Python error: Segmentation fault"), ("SIGABRT", "Fatal Python error: Abo")]
)
def test_a_signal_leaves_versions_signal_and_stack_once(home: Path, number: str, text: str) -> None:
    assert die(home, signal.Signals[number]) == -signal.Signals[number]
    report = take_new_report(home)
    assert report is not None
    head, stacks = report.read_text().split("\n\n", 1)
    assert [line.split()[0] for line in head.splitlines()][:2] == ["Joinery", "Python"] and "PySide6 6" in head
    assert stacks.startswith(text) and "in act_of_the_program" in stacks
    assert crash_time(report) in head and crash_time(report).endswith("+00:00")
    assert take_new_report(home) is None
    assert [path.name for path in (home / FOLDER).iterdir()] == [report.name]


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals of POSIX")
def test_a_killed_process_leaves_no_report(home: Path) -> None:
    assert die(home, signal.SIGKILL) == -signal.SIGKILL
    assert len(list((home / FOLDER).glob("*.running"))) == 1
    assert take_new_report(home) is None and list((home / FOLDER).glob("*.running")) == []


def test_a_proper_end_leaves_nothing(home: Path) -> None:
    with recorded_crashes(home):
        (running,) = (home / FOLDER).glob("*.running")
        assert running.read_text().startswith("Joinery ")
    with pytest.raises(SystemExit), recorded_crashes(home):
        sys.exit(2)  # a wrong command line
    assert list((home / FOLDER).iterdir()) == []


def test_an_exception_leaves_its_kind_and_stack_without_its_message(home: Path) -> None:
    with pytest.raises(ValueError, match="/home/ada"), recorded_crashes(home):
        raise ValueError("/home/ada/secret.txt")
    report = take_new_report(home)
    assert report is not None and "Python exception ValueError\n\n  File" in report.read_text()
    assert "in test_an_exception_leaves" in report.read_text() and "ada" not in report.read_text()


def test_the_log_of_an_open_window_stays(home: Path) -> None:
    with recorded_crashes(home):
        assert take_new_report(home) is None
        assert len(list((home / FOLDER).glob("*.running"))) == 1
        with recorded_crashes(home):  # a second window
            assert len(list((home / FOLDER).glob("*.running"))) == 2


def test_the_newest_report_is_returned_and_few_are_stored(home: Path) -> None:
    (home / FOLDER).mkdir(parents=True)
    for number in range(MOST_REPORTS + 2):
        (home / FOLDER / f"2026010{number}-000000-0000.running").write_text(f"Joinery 1\n\nstack {number}")
    report = take_new_report(home)
    assert report is not None and report.read_text().endswith(f"stack {MOST_REPORTS + 1}")
    assert sorted(path.name[:8] for path in report.parent.iterdir()) == [
        f"2026010{number}" for number in range(2, MOST_REPORTS + 2)
    ]


def test_without_a_folder_there_is_no_report_and_the_window_opens(home: Path) -> None:
    home.write_text("a file where the folder should be")
    with recorded_crashes(home):
        opened = True
    assert opened and take_new_report(home) is None


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("/home/ada/w/.venv/lib/python3.11/site-packages/pyqtgraph/Qt/__init__.py", "pyqtgraph/Qt/__init__.py"),
        (r"C:\Users\ada\venv\Lib\site-packages\numpy\ma.py", "numpy/ma.py"),
        ("/home/ada/.pyenv/lib/python3.11/threading.py", "threading.py"),
        ("/home/ada/secret/own.py", "own.py"),
        (crash_reports.__file__, "app/startup/crash_reports.py"),
        ("<frozen runpy>", "<frozen runpy>"),
    ],
)
def test_a_stack_names_the_path_within_the_package(home: Path, path: str, short: str) -> None:
    (home / FOLDER).mkdir(parents=True)
    (home / FOLDER / "one.running").write_text(f'Joinery 1\n\n  File "{path}", line 3 in f\n')
    report = take_new_report(home)
    assert report is not None and report.read_text().endswith(f'  File "{short}", line 3 in f\n')
