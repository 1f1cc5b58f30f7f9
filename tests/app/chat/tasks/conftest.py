"""Chat pages over the fake worker, with a bundle of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.chat.page import ChatPage
from app.state.context import AppContext
from tests.fakes.worker import program

FACTS = {
    "vectors": {"task": "feature-extraction", "labels": None},
    "others": {"task": "feature-extraction", "labels": None},
    "moods": {"task": "text-classification", "labels": 2},
    "reranker": {"task": "text-classification", "labels": 1},
    "names": {"task": "token-classification", "labels": 9},
    "chat": {"task": "text-generation", "labels": None},
    "digits": {"task": "image-classification", "labels": 10},
    "rooms": {"task": "depth-estimation", "labels": None},
    "tiles": {"task": "depth-estimation", "labels": None},
    "masks": {"task": "fill-mask", "labels": None},
}


@pytest.fixture
def make_page(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[..., ChatPage]]:
    """Takes the name of a bundle of FACTS, and what the fake worker is to do."""
    made: list[ChatPage] = []

    def summary(folder: str) -> dict[str, Any]:
        facts = {"model_type": "bert", "precision": "fp32", "layout": "", "capacity": None}
        return {"path": folder, "name": Path(folder).name, **facts, **FACTS[Path(folder).name]}

    def build(name: str, **scenario: Any) -> ChatPage:
        page = ChatPage(AppContext(tmp_path / "home", program(**scenario), summary))
        qtbot.addWidget(page)
        made.append(page)
        page.resize(1000, 700)
        page.context.open_bundle(f"/b/{name}")
        page.show()
        return page

    yield build
    for page in made:
        page.shut()
        page.hide()
        page.context.close()
