"""Clients that others wrote, each in an environment of its own, get what the engine replies."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import Built
from tests.workflows.predict.text_bundles import made_bundle
from tests.workflows.service.http.serving import TOKEN, Server, running
from tests.workflows.service.http.test_openai_client import TOOLS
from workflows.bundle.text_tasks import EmbeddingSettings, NormalizeStep
from workflows.predict import open_embedder

pytestmark = pytest.mark.real
CLIENTS = Path(__file__).with_name("clients")
NODE = "openai@6.49.0"
LANGCHAIN = ("langchain-openai==1.7.4",)
LLAMA_INDEX = ("llama-index-llms-openai-like==0.8.1", "llama-index-embeddings-openai-like==0.4.0")
TEXTS = ["the cat", "the dog sat"]
_SECONDS = 600


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = EmbeddingSettings(pooling=["mean"], steps=[NormalizeStep()])
    return made_bundle(tmp_path_factory.mktemp("served") / "vectors", embedding=settings, task="feature-extraction")


@pytest.fixture(scope="module")
def server(built: Built, calling: Path, vectors: Path) -> Iterator[Server]:
    with running({"demo": built("demo:qwen3"), "calling": calling, "vectors": vectors}) as one:
        yield one


def seen_by(command: list[Any], server: Server, folder: Path) -> dict[str, Any]:
    """What a client's script prints."""
    asked = [*map(str, command), server.url, TOKEN, json.dumps(TOOLS)]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, timeout=_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout))


def python_with(packages: tuple[str, ...], folder: Path) -> Path:
    """The interpreter of a new environment."""
    venv.create(folder)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, *packages], check=True, timeout=_SECONDS)
    return python


def check(seen: dict[str, Any], vectors: Path, error: str) -> None:
    """What all clients ask."""
    assert seen["chat"] == seen["stream"] == "8 * 7 = 56"
    name, arguments = seen["call"]
    assert name == "find" and arguments["word"] in ("cat", "dog")
    assert seen["after"] == "stop"
    own = [one.vector.tolist() for one in open_embedder(vectors).embed(TEXTS)]
    assert seen["vectors"] == [pytest.approx(vector, abs=1e-6) for vector in own]
    assert seen["error"] == [error, 404, "model_not_found"]


def check_openai(seen: dict[str, Any]) -> None:
    """What clients of all of OpenAI's interface ask beside it."""
    assert seen["usage"] == 9 and seen["streamed_call"] == seen["call"]
    assert isinstance(seen["fits"]["n"], int)
    assert seen["response"] == seen["response_stream"] == "8 * 7 = 56"


def test_openai_for_node(server: Server, vectors: Path, tmp_path: Path) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("Node is not installed")
    subprocess.run([npm, "install", "--silent", NODE], cwd=tmp_path, check=True, timeout=_SECONDS)
    script = shutil.copy(CLIENTS / "openai_node.mjs", tmp_path)  # whose packages are those beside it
    seen = seen_by([node, script], server, tmp_path)
    check(seen, vectors, "NotFoundError")
    check_openai(seen)
    assert seen["models"] == ["calling", "demo", "vectors"]


def test_langchain(server: Server, vectors: Path, tmp_path: Path) -> None:
    seen = seen_by([python_with(LANGCHAIN, tmp_path / "env"), CLIENTS / "langchain_client.py"], server, tmp_path)
    check(seen, vectors, "OpenAIModelNotFoundError")
    check_openai(seen)


def test_llama_index(server: Server, vectors: Path, tmp_path: Path) -> None:
    seen = seen_by([python_with(LLAMA_INDEX, tmp_path / "env"), CLIENTS / "llama_index_client.py"], server, tmp_path)
    check(seen, vectors, "NotFoundError")
    assert seen["completion"].strip() == "56"
