"""The model of the build part: one question and one installation at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.window import MainWindow

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def test_one_installation_at_a_time(qtbot: Any, make_window: Callable[..., MainWindow]) -> None:
    part = make_window(part=True, delay=0.05).context.build_part
    with qtbot.waitSignal(part.described, timeout=10_000) as report:
        part.describe()
        part.describe()
    assert not report.args[0].installed and not part.running
    with qtbot.waitSignal(part.installed, timeout=10_000):
        part.install()
        assert part.running
        part.install()
        part.describe()  # not while it is being installed
    assert not part.running
