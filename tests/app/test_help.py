"""F1, the documentation, the list of shortcuts, and About."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel, QMessageBox

from app.help.dialog import about_text, action_shortcuts, version_facts
from app.help.documentation import (
    FIRST,
    FOLDER,
    DocumentationSheet,
    heading_anchor,
    open_in_browser,
    read_pages,
)
from app.help.page_help import page_help
from app.main import PAGES
from app.window import MainWindow

Make = Callable[..., MainWindow]


@pytest.mark.parametrize("name", [*(page.name for page in PAGES), "settings"])
def test_every_page_has_a_help(qapp: Any, name: str) -> None:
    told = page_help(name)
    assert len(told.what) > 40 and told.what.endswith(".") and told.first.endswith(".")


def test_f1_shows_help_for_the_page_in_front_and_follows(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    window.show_page("chat")
    help_action = next(one for one in window.every_action() if one.text() == "Help for this page")
    assert help_action.shortcut().toString() == "F1"
    help_action.trigger()
    dialog = window.help.dialog
    assert dialog.isVisible() and dialog.tabs.currentIndex() == 0
    assert dialog.page.title.text() == "Chat" and "conversation" in dialog.page.what.text()
    shown = [part.text() for part in dialog.page.findChildren(QLabel)]
    assert "Shift+Enter" in shown and "a new line" in shown
    window.show_page("devices")
    assert dialog.page.title.text() == "Devices"
    dialog.close()
    window.show_page("home")
    assert dialog.page.title.text() == "Devices"  # nobody looks
    window.help.show_sheet("page")
    assert dialog.page.title.text() == "Home"
    dialog.close()


def test_shortcuts_are_those_of_the_actions_and_can_be_searched(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    for name in window.stack.names:
        window.stack.page(name)
    window.help.show_sheet("shortcuts")
    sheet = window.help.dialog.shortcuts
    every = sheet.visible_texts
    with_keys = {one.text().replace("&", "") for one in window.every_action() if not one.shortcut().isEmpty()}
    assert with_keys <= set(every) and {"Find an action", "Quit", "Keyboard shortcuts", "send"} <= set(every)
    wanted = (("ctrl+k", "Find an action"), ("CHAT new line", "a new line"), ("measure ctrl+5", "Go to Measure"))
    for words, text in wanted:
        sheet.field.setText(words)
        assert text in sheet.visible_texts and len(sheet.visible_texts) < len(every)
    sheet.field.setText("no such thing")
    assert sheet.visible_texts == []
    window.help.dialog.close()


def test_no_two_shortcuts_of_the_window_are_the_same(make_window: Make) -> None:
    window = make_window()
    keys = [one.keys for one in action_shortcuts(window.actions())]
    assert len(keys) == len(set(keys)) > 10


def test_an_action_without_keys_is_none_and_one_twice_is_once(qapp: Any) -> None:
    save, quiet = QAction("&Save"), QAction("Quiet")
    save.setShortcuts(["Ctrl+S", "F2"])
    assert [(one.keys, one.text) for one in action_shortcuts([save, quiet, save])] == [
        ("Ctrl+S", "Save"),
        ("F2", "Save"),
    ]


def test_about_reads_versions_without_importing(qtbot: Any, make_window: Make, home: Path) -> None:
    loaded = {name for name in ("torch", "transformers", "onnxruntime") if name in sys.modules}
    told = {
        name: (version, licence) for name, version, licence in version_facts(("torch", "onnxruntime", "no-such-thing"))
    }
    assert told["torch"][0] == metadata.version("torch") and told["onnxruntime"][1].startswith("MIT")
    assert "no-such-thing" not in told and told["Joinery"][1] == "Apache-2.0"
    assert loaded == {name for name in ("torch", "transformers", "onnxruntime") if name in sys.modules}
    window = make_window()
    window.help.show_sheet("about")
    qtbot.mouseClick(window.help.dialog.about.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied == about_text(home) and f"torch {metadata.version('torch')}" in copied and copied.endswith(str(home))
    window.help.dialog.close()


def test_documentation_lists_every_page_with_the_first_steps_first(qapp: Any) -> None:
    names = [page.name for page in read_pages()]
    assert names[0] == FIRST and set(names) == {file.name for file in FOLDER.glob("*.md")}
    assert all(page.title and "#" not in page.title for page in read_pages())


def test_documentation_follows_links_between_pages_and_asks_before_a_browser(qtbot: Any, tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(
        "# Beta\n" + "text\n\n" * 200 + "## KV cache, twice\n<b>raw</b> ![x](x.png)", "utf-8"
    )
    (tmp_path / "a.md").write_text("no heading\n\n[b](b.md#kv-cache-twice)", "utf-8")
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\x00")
    opened: list[str] = []
    sheet = DocumentationSheet(tmp_path, lambda url, _parent: opened.append(url.toString()))
    qtbot.addWidget(sheet)
    sheet.resize(600, 300)
    sheet.show()
    sheet.load()
    assert [page.title for page in sheet.pages] == ["a", "Beta"]
    sheet.follow_link(QUrl("b.md#kv-cache-twice"))
    assert sheet.list.currentItem().text() == "Beta" and sheet.view.textCursor().block().text() == "KV cache, twice"
    assert sheet.view.verticalScrollBar().value() > 100
    shown = sheet.view.toPlainText()
    assert "<b>raw</b>" in shown and "![x](x.png)" in shown  # neither HTML nor an image
    sheet.follow_link(QUrl("https://example.org/a?b"))
    assert opened == ["https://example.org/a?b"] and sheet.note.isHidden()
    for outside in ("../secret.md", "file:///etc/passwd", "missing.md", "javascript:alert(1)"):
        sheet.follow_link(QUrl(outside))
        assert outside in sheet.note.text() and not sheet.note.isHidden()
    assert opened == ["https://example.org/a?b"] and sheet.list.currentItem().text() == "Beta"


def test_a_link_to_the_web_is_a_question_that_shows_the_address(
    qtbot: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    sheet = DocumentationSheet(tmp_path)
    qtbot.addWidget(sheet)
    for answer in ("Cancel", "Open"):
        open_in_browser(QUrl("https://example.org/<b>"), sheet)
        box = sheet.findChildren(QMessageBox)[-1]
        assert "example.org/" in box.informativeText() and box.textFormat() == Qt.TextFormat.PlainText
        next(one for one in box.buttons() if one.text().replace("&", "") == answer).click()
    assert [url.host() for url in opened] == ["example.org"]


def test_every_link_of_the_documentation_leads_somewhere(qapp: Any) -> None:
    pages = {page.name: page for page in read_pages()}
    for page in pages.values():
        for target in re.findall(r"\]\(([^)]+)\)", page.text):
            name, _, anchor = target.partition("#")
            if "://" not in target:
                other = pages[name or page.name]
                headings = re.findall(r"^#+ (.*)$", other.text, re.M)
                assert not anchor or anchor in [heading_anchor(one) for one in headings], (page.name, target)


def test_the_documentation_opens_from_the_window(qtbot: Any, make_window: Make) -> None:
    window = make_window()
    next(one for one in window.every_action() if one.text() == "Documentation").trigger()
    dialog = window.help.dialog
    assert dialog.tabs.currentWidget() is dialog.documentation
    assert dialog.documentation.list.count() == len(list(FOLDER.glob("*.md")))
    dialog.close()
