"""Each command of the command line is found in the palette by its name and by other words, and goes somewhere."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QDialog

from app.frame.cli_actions import SYNONYMS
from app.inspect.graph.graph_tab import GraphTab
from tests.app.conftest import make_bundle
from tests.fakes.inspections import BUNDLE
from workflows.cli.commands import COMMANDS

PAGES = {
    "build": "build", "tune": "build", "inspect": "inspect", "verify": "inspect", "profile": "inspect",
    "eval": "measure", "sweep": "measure", "runs": "measure", "report": "measure", "devices": "devices",
    "preflight": "devices", "compile": "devices", "remote": "devices", "generate": "chat", "chat": "chat",
    "embed": "chat", "rank": "chat", "classify": "chat", "depth": "chat", "serve": "server",
}  # fmt: skip
"""Where a command goes that shows a page; the others open a dialog."""


def shown(window: Any, words: str) -> list[str]:
    palette = window.palette_box
    palette.open()
    palette.field.setText(words)
    texts = [palette.list.item(row).text() for row in range(palette.list.count())]
    palette.close_quietly()
    return texts


@pytest.fixture
def window(make_window: Any, tmp_path: Any) -> Any:
    made = make_window(inspection=BUNDLE)
    made.context.open_bundle(make_bundle(tmp_path / "b"))
    return made


def test_every_command_is_found(window: Any) -> None:
    for name in COMMANDS:
        assert any(text.startswith(f"joinery {name} · ") for text in shown(window, f"joinery {name}")), name


@pytest.mark.parametrize(
    ("words", "command"),
    [("node costs", "profile"), ("slow nodes", "profile"), ("difference", "diverge"), ("convert", "build"),
     ("perplexity", "eval"), ("ssh", "remote"), ("NPU", "devices"), ("reranker", "rank"), ("grid", "sweep"),
     ("endpoint", "serve")],
)  # fmt: skip
def test_a_command_is_found_by_other_words(window: Any, words: str, command: str) -> None:
    assert any(text.startswith(f"joinery {command} · ") for text in shown(window, words)), shown(window, words)


@pytest.mark.parametrize(("command", "page"), PAGES.items())
def test_a_command_goes_to_its_page(window: Any, qtbot: Any, command: str, page: str) -> None:
    window.show_page("settings")
    action = next(one for one in window.every_action() if one.text().startswith(f"joinery {command} · "))
    assert action.property(SYNONYMS)
    action.trigger()
    assert window.stack.current_name == page
    if command == "profile":
        tabs = window.stack.page("inspect").tabs
        assert isinstance(tabs.graph, GraphTab) and tabs.graph.tools.heat.isChecked()
    for dialog in window.findChildren(QDialog):
        dialog.close()
