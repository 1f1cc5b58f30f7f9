"""A demo whose chat template has tools."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from tests.workflows.generate.test_tool_calls import XML
from tests.workflows.service.http.serving import DEMOS


@pytest.fixture(scope="session")
def calling(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calling") / "qwen3"
    shutil.copytree(DEMOS / "qwen3", folder, ignore=shutil.ignore_patterns("*.md"))
    (folder / "chat_template.jinja").write_text(XML, "utf-8")
    return built(folder)
