"""What of the system is missing, said before Qt is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.startup.system_libraries import missing, missing_libraries_message, platforms
from workflows.process.subprocesses import module_search_path

ON_X = {"DISPLAY": ":0"}
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone has packages of these")


def without(*names: str) -> Callable[[str], object]:
    """A system that lacks libraries."""

    def load(name: str) -> object:
        if name in names:
            raise OSError(f"{name}: cannot open shared object file")
        return name

    return load


def has(*managers: str) -> Callable[[str], str | None]:
    return lambda name: f"/usr/bin/{name}" if name in managers else None


@pytest.mark.parametrize(
    ("managers", "words"),
    [
        (("apt", "dnf"), "run `sudo apt install libxcb-cursor0 libxcb-icccm4`, then"),
        (("dnf",), "run `sudo dnf install xcb-util-cursor xcb-util-wm`, then"),
        ((), "install what Debian calls libxcb-cursor0, libxcb-icccm4 with"),
    ],
)
def test_what_is_missing_is_named_with_the_command(managers: tuple[str, ...], words: str) -> None:
    said = missing_libraries_message(ON_X, without("libxcb-cursor.so.0", "libxcb-icccm.so.4"), has(*managers))
    assert said.startswith("The window needs libxcb-cursor.so.0, libxcb-icccm.so.4: ")
    assert words in said


def test_nothing_is_reported_where_all_is_there_or_is_not_needed() -> None:
    lacks_x = without("libxcb-cursor.so.0")
    assert missing_libraries_message(ON_X, without(), has("apt")) == ""
    assert missing_libraries_message({"QT_QPA_PLATFORM": "offscreen"}, lacks_x, has("apt")) == ""
    assert missing_libraries_message({**ON_X, "WAYLAND_DISPLAY": "wayland-0"}, lacks_x, has("apt")) == ""
    assert "libxcb-cursor0" in missing_libraries_message({**ON_X, "QT_QPA_PLATFORM": "xcb"}, lacks_x, has("apt"))
    assert list(missing({"QT_QPA_PLATFORM": "offscreen"}, without("libGL.so.1"))) == ["libGL.so.1"]


def test_no_display_is_reported() -> None:
    assert missing_libraries_message({}, without(), has("apt")).startswith("There is no display")


def test_the_platforms_are_those_that_qt_would_try() -> None:
    assert platforms({"QT_QPA_PLATFORM": "wayland-egl;xcb:x=1"}) == ["wayland", "xcb"]
    assert platforms({"DISPLAY": ":1", "WAYLAND_DISPLAY": ""}) == ["xcb"]


def test_the_program_reports_it_and_exits_with_1(tmp_path: Path) -> None:
    """A library of no use stands before the system's."""
    (tmp_path / "libxcb-cursor.so.0").write_bytes(b"no library")
    env = {name: value for name, value in os.environ.items() if name not in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")}
    env |= {"DISPLAY": ":99", "LD_LIBRARY_PATH": str(tmp_path), "PYTHONPATH": module_search_path("")}
    done = subprocess.run([sys.executable, "-P", "-m", "app"], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "libxcb-cursor" in done.stderr and done.stdout == ""
