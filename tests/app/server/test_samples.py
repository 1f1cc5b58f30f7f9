"""Samples that are run as they are copied: against a server of the demo, and for the other kinds by their text."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.server.samples import (
    TOKEN_VARIABLE,
    SampleTarget,
    curl_sample,
    javascript_sample,
    python_sample,
    request_kind,
)
from resources import demos
from tests.workflows.conftest import Built
from tests.workflows.predict.text_bundles import made_bundle
from tests.workflows.service.http.serving import TOKEN, running
from workflows.bundle.text_tasks import ClassificationSettings, EmbeddingSettings, NormalizeStep
from workflows.wire.reports.server import RequestKind

Served = tuple[RequestKind, Path]


def output(command: list[str], folder: Path) -> str:
    """What a program prints."""
    environment = os.environ | {TOKEN_VARIABLE: TOKEN}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def runs(target: SampleTarget, folder: Path) -> dict[str, str]:
    """What each sample prints; those whose program is not on this machine are left out."""
    files = {
        "sample.py": python_sample(target),
        "sample.mjs": javascript_sample(target),
        "sample.sh": curl_sample(target),
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    commands = {"python": [sys.executable, "sample.py"]}
    if shutil.which("node"):
        commands["javascript"] = ["node", "sample.mjs"]
    if shutil.which("curl") and shutil.which("sh"):
        commands["curl"] = ["sh", "sample.sh"]
    return {name: output(command, folder) for name, command in commands.items()}


@pytest.fixture(scope="module", params=["completion", "embedding", "rerank", "transcription"])
def served(request: pytest.FixtureRequest, built: Built, tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A kind of requests, and a bundle for it; built before a test looks for what it left behind."""
    folder = tmp_path_factory.mktemp("served") / "b"
    vectors = EmbeddingSettings(pooling=["mean"], steps=[NormalizeStep()])
    scores = ClassificationSettings(labels=["score"])
    made: dict[RequestKind, Callable[[], Path]] = {
        "completion": lambda: built("demo:qwen3"),
        "transcription": lambda: built("demo:whisper"),
        "embedding": lambda: made_bundle(folder, embedding=vectors, task="feature-extraction"),
        "rerank": lambda: made_bundle(
            folder, "logits", 1, tokens=12, task="text-classification", classification=scores
        ),
    }
    return request.param, made[request.param]()


@pytest.fixture(scope="module")
def demo(built: Built) -> Path:
    return built("demo:qwen3")


@pytest.mark.slow
def test_a_chat_by_each_sample(demo: Path, tmp_path: Path) -> None:
    with running({"it's": demo}) as server:
        shown = runs(SampleTarget(server.url.removesuffix("/v1"), "it's", "chat", True), tmp_path)
    assert shown["python"].strip() == "8 * 7 = 56"
    assert shown.get("javascript", "8 * 7 = 56").strip() == "8 * 7 = 56"
    if "curl" in shown:
        assert json.loads(shown["curl"])["choices"][0]["message"]["content"] == "8 * 7 = 56"


@pytest.mark.slow
def test_each_kind_by_each_sample(served: Served, tmp_path: Path) -> None:
    kind, bundle = served
    if kind == "transcription":
        shutil.copy(next((Path(demos.__file__).parent / "whisper-clips").glob("*.wav")), tmp_path / "recording.wav")
    with running({"b": bundle}) as server:
        shown = runs(SampleTarget(server.url.removesuffix("/v1"), "b", kind, True), tmp_path)
    assert all(text.strip() for text in shown.values()), shown


def test_a_bundle_s_kind_is_that_of_its_task() -> None:
    tasks = (
        "text-generation",
        "feature-extraction",
        "text-classification",
        "automatic-speech-recognition",
        "translation",
    )
    kinds = [request_kind({"task": task}) for task in tasks]
    assert kinds == ["chat", "embedding", "rerank", "transcription", "completion"] and request_kind({}) == "chat"
