"""The view of Markdown: it loads nothing, and images are spelt out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QTextEdit

from app.chat.message_text import MessageText
from tests.app.canary import Canary

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")  # the offscreen platform says so of any window


@pytest.fixture
def canary(qapp: object, tmp_path: Path) -> Iterator[Canary]:
    made = Canary(tmp_path / "canary.png")
    yield made
    made.close()


def drawn(qtbot: Any, text: QTextEdit) -> QTextEdit:
    """It is laid out and painted, which is when Qt looks for images."""
    qtbot.addWidget(text)
    text.resize(400, 300)
    text.show()
    text.grab()
    return text


def forms(path: Path) -> list[str]:
    return [f"![red]({path})", f"![red]({path.as_uri()})", f"![red][r]\n\n[r]: {path}", f"|a|\n|-|\n|![red]({path})|"]


@pytest.mark.parametrize("form", range(4))
def test_no_file_is_opened(qtbot: Any, canary: Canary, form: int) -> None:
    text = MessageText()
    text.set_markdown(forms(canary.path)[form])
    drawn(qtbot, text)
    assert canary.opened() == 0
    assert f"![red]({canary.path}" in text.toPlainText() or f"![red]({canary.path.as_uri()}" in text.toPlainText()


def test_no_file_is_opened_of_an_image_that_stays(qtbot: Any, canary: Canary, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document itself gives Qt no reason to look at the disk."""
    monkeypatch.setattr("app.widgets.markdown._replace_images_with_source", lambda _document: None)
    text = MessageText()
    text.set_markdown(f"![red]({canary.path})")
    drawn(qtbot, text)
    assert "\ufffc" in text.toPlainText() and canary.opened() == 0
    for kind in QTextDocument.ResourceType:
        if kind != QTextDocument.ResourceType.ImageResource:
            assert text.document().loadResource(kind.value, canary.path.as_uri()) is None


def test_the_canary_sees_what_qt_opens(qtbot: Any, canary: Canary) -> None:
    plain = QTextEdit()
    plain.setMarkdown(f"![red]({canary.path})")
    drawn(qtbot, plain)
    assert canary.opened() > 0


def test_images_are_spelt_out_where_they_stood(qtbot: Any) -> None:
    text = MessageText()
    qtbot.addWidget(text)
    text.set_markdown("one ![a](x.png)![](y.png) \ufffc two [![b](z.png)](http://q)\n\n- ![c](w.png 'title')")
    assert text.toPlainText() == "one ![a](x.png) \ufffc two ![b](z.png)\n![c](w.png)"
    assert "<img" not in text.document().toHtml()


def test_a_link_is_a_text_that_no_click_opens(qtbot: Any) -> None:
    text = MessageText()
    qtbot.addWidget(text)
    text.set_markdown("[here](https://example.com)")
    assert not text.textInteractionFlags() & text.textInteractionFlags().LinksAccessibleByMouse
    assert text.toPlainText() == "here"
