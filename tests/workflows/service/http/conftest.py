"""A demo whose chat template has tools; a server of a module's `bundles`, and OpenAI's client of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from tests.workflows.conftest import Built
from tests.workflows.generate.test_tool_calls import XML
from tests.workflows.service.http.serving import DEMOS, Server, running


@pytest.fixture(scope="session")
def calling(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calling") / "qwen3"
    shutil.copytree(DEMOS / "qwen3", folder, ignore=shutil.ignore_patterns("*.md"))
    (folder / "chat_template.jinja").write_text(XML, "utf-8")
    return built(folder)


@pytest.fixture(scope="module")
def server(bundles: dict[str, Path]) -> Iterator[Server]:
    with running(bundles) as one:
        yield one


@pytest.fixture
def client(server: Server) -> Iterator[openai.OpenAI]:
    with server.client as one:
        yield one
