"""Netron in the window: its files as they are served, what a page may ask for, and the real browser in a process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from app.inspect.netron.packaged_files import MODEL, adapt_index_page, netron_folder, read_asset
from tests.app.netron_models import chain

ROOT = netron_folder()
assert ROOT is not None, "netron is a dependency of ours"


def missing() -> str:
    """Why the browser's library cannot be loaded here; empty where it can."""
    command = [sys.executable, "-c", "import PySide6.QtWebEngineWidgets"]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    return out.stderr.strip().splitlines()[-1] if out.returncode else ""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the real browser saw of two models."""
    reason = missing()
    if reason:
        pytest.skip(f"Qt WebEngine cannot be loaded: {reason}")
    models = tmp_path_factory.mktemp("models")
    files = [chain(models / "relu.onnx", "Relu", 3), chain(models / "tanh.onnx", "Tanh", 5)]
    command = [sys.executable, "-m", "tests.app.netron_probe", *map(str, files)]
    out = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert out.returncode == 0, out.stderr
    result: dict[str, Any] = json.loads(out.stdout.splitlines()[-1])
    return result


def text_of(name: str, dark: bool = False) -> str:
    answer = read_asset(ROOT, name, "decode", dark)  # type: ignore[arg-type]
    assert answer is not None
    return answer[1].decode()


def test_the_page_has_no_date_no_version_and_our_model() -> None:
    html = text_of("index.html")
    assert 'name="date"' not in html
    assert '<meta name="version" content="0.0.0">' in html
    assert f'<meta name="file" content="{MODEL}">' in html
    assert '<meta name="identifier" content="decode">' in html


def test_a_title_cannot_leave_its_attribute() -> None:
    html = adapt_index_page((ROOT / "index.html").read_text(), '"><script>alert(1)</script>')  # type: ignore[operator]
    assert "<script>alert" not in html


def test_a_page_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match=r"reinstall netron==9\.3\.3"):
        adapt_index_page("<html></html>", "decode")


def test_dark_follows_the_window_and_not_the_system() -> None:
    for name in ("index.html", "grapher.css"):
        assert "prefers-color-scheme" not in text_of(name) + text_of(name, dark=True)
        assert "@media not all {" in text_of(name) and "@media all {" in text_of(name, dark=True)


@pytest.mark.parametrize(
    "name", ["server.py", "__init__.py", "../netron/index.js", "/etc/hostname", "none.js", "", "."]
)
def test_nothing_else_is_served(name: str) -> None:
    assert read_asset(ROOT, name, "decode", False) is None  # type: ignore[arg-type]


def test_root_is_warned_before_the_browser_would_end_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    if missing():
        pytest.skip("Qt WebEngine cannot be loaded")
    code = "import os; os.geteuid = lambda: 0; "
    code += "import app.inspect.netron.browser_engine as it; print(it.unavailable_reason())"
    monkeypatch.delenv("QTWEBENGINE_DISABLE_SANDBOX", raising=False)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip().startswith("Netron's view does not start as root") or sys.platform != "linux"


def test_side_by_side_each_view_shows_its_own_model(browser: dict[str, Any]) -> None:
    relu, tanh = browser["texts"]
    assert relu.split().count("Relu") == 3 and "Tanh" not in relu
    assert tanh.split().count("Tanh") == 5 and "Relu" not in tanh


def test_no_cookie_page_no_update_page(browser: dict[str, Any]) -> None:
    assert browser["alerts"] == ["default", "default"]


def test_netron_itself_requests_nothing_else(browser: dict[str, Any]) -> None:
    assert browser["blocked at first"] == []
    assert browser["connections"] == []
    assert browser["off the record"]


def test_every_other_request_is_blocked_and_counted(browser: dict[str, Any]) -> None:
    assert browser["blocked"] == ["http://example.com/y.png", "https://example.com/x", "ws://example.com/z"]
    assert browser["answers"].count("") == 6, "of seven requests only Netron's own picture is answered"
    assert browser["address"].startswith("netron://")


def test_theme_follows_the_window(browser: dict[str, Any]) -> None:
    assert browser["light"] == "rgb(255, 255, 255)"
    assert browser["dark"] == "rgb(64, 64, 64)"
    assert browser["nodes after dark"] == 5, "three operators, an input and an output"


def test_qt_has_nothing_to_complain_about(browser: dict[str, Any]) -> None:
    assert browser["warnings"] == []
