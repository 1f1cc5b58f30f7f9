"""Bundles that tests share: built once a run, by the real engine, from the demo and from small seeded checkpoints."""

from __future__ import annotations

import builtins
import copy
import functools
import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.conftest import PLAIN_IMPORT
from workflows.builder import BuildRequest, build
from workflows.builder.run import toolchain_digest
from workflows.cli import run
from workflows.common.stage_cache import write_limit
from workflows.runtime.loading import sessions

Built = Callable[..., Path]


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Joinery's own folder (locks, chats) is a temporary one in every test, and no build takes another's stages."""
    patch = pytest.MonkeyPatch()
    patch.setenv("JOINERY_HOME", str(tmp_path_factory.mktemp("home")))
    write_limit(0)
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def _threads() -> Any:
    """Sessions of this process have as many threads as OMP_NUM_THREADS allows torch, where it is set.

    onnxruntime's wait for work by spinning: with a pytest worker a core, they take each other's turns.
    """
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    with pytest.MonkeyPatch.context() as patch:
        if allowed.isdecimal():
            patch.setattr(sessions, "usable_cores", lambda: int(allowed))
        yield


@pytest.fixture(scope="package", autouse=True)
def _plain_imports() -> Any:
    """The import statement as the engine's processes have it: PySide6 puts a slower one in its place."""
    ours, builtins.__import__ = builtins.__import__, PLAIN_IMPORT
    yield
    builtins.__import__ = ours


def pytest_runtest_setup() -> None:
    """Once torch's exporter is loaded, a process reads its translations once, not anew for each export.

    They are 500 functions whose source is parsed, a tenth of the build of a small model; each export gets a copy.
    """
    registration = sys.modules.get("torch.onnx._internal.exporter._registration")
    if registration is None or isinstance(registration.ONNXRegistry.from_torchlib, _Translations):
        return
    registration.ONNXRegistry.from_torchlib = _Translations(registration.ONNXRegistry.from_torchlib)


class _Translations:
    """Stands for `ONNXRegistry.from_torchlib`: a copy of the registry for an opset, which an export may add to."""

    def __init__(self, read: Callable[..., Any]) -> None:
        self._read = functools.cache(read)

    def __call__(self, **opset: int) -> Any:
        kept = self._read(**opset)
        registry = copy.copy(kept)
        registry.functions = {target: list(several) for target, several in kept.functions.items()}
        return registry


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs one command line in this process: (exit code, stdout, stderr)."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return (code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the whole run, which pytest's workers share; JOINERY_TEST_SHELF has several runs share one."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "built"
    folder = Path(os.environ.get("JOINERY_TEST_SHELF") or folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def built(shelf: Path) -> Built:
    """`built(source, **options)`: the bundle of a source, to be read and not changed.

    Each is built once a run, by the first of pytest's workers that asks; what makes it another one is the content of
    the checkpoint, the options and our code, not where the checkpoint lies. What differs in precision alone shares its
    export.
    """

    def get(source: str | Path, trust_remote_code: bool = False, **options: Any) -> Path:
        what = [toolchain_digest(), _content(Path(source)) if Path(source).is_dir() else source, options]
        out = shelf / hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]
        with FileLock(f"{out}.lock"):
            if not out.exists():
                with pytest.MonkeyPatch.context() as patch:
                    patch.setenv("JOINERY_HOME", str(shelf / "home"))
                    build(BuildRequest(str(source), out, options, trust_remote_code))
        return out

    return get


@pytest.fixture
def stage_cache(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds of this test take stages of those by `built` and of each other, and leave theirs to them.

    For tests of what comes of a bundle. Not for those of the build itself, nor where a test changes the engine under a
    build: the next one would take that for its own.
    """
    monkeypatch.setenv("JOINERY_HOME", str(shelf / "home"))


def _content(folder: Path) -> list[list[str]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [[path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()] for path in files]


@pytest.fixture(scope="session")
def demo_bundle(built: Built) -> Path:
    """demo:qwen3 as one dynamic graph with a cache that the host writes, as windows and trees need it."""
    return built("demo:qwen3", cache="static")


@pytest.fixture(scope="session")
def default_bundle(built: Built) -> Path:
    """demo:qwen3, everything at its default."""
    return built("demo:qwen3")


@pytest.fixture(scope="session")
def demo_split_bundle(built: Built) -> Path:
    """demo:qwen3 as prefill + decode over one weight file, capacity 256."""
    return built("demo:qwen3", graphs="prefill-decode", capacity=256)


@pytest.fixture(scope="session")
def sharp_qwen3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A seeded random Qwen3 checkpoint, without tokenizer: untied, grouped heads, a head size of its own."""
    return make_qwen3(tmp_path_factory.mktemp("sharp-qwen3"))


@pytest.fixture(scope="session")
def one_layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As sharp_qwen3, of one layer: for tests of a build that ask little of the model."""
    return make_qwen3(tmp_path_factory.mktemp("one-layer"), num_hidden_layers=1)


def make_qwen3(folder: Path, seed: int = 0, **changes: Any) -> Path:
    """Saves a random Qwen3 whose logits are spread widely enough that greedy choices are no coin tosses."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(seed)
    sizes = {
        "vocab_size": 997,
        "hidden_size": 64,
        "intermediate_size": 160,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 24,
        "max_position_embeddings": 2048,
        "tie_word_embeddings": False,
        "eos_token_id": None,
        "bos_token_id": None,
    }
    model = Qwen3ForCausalLM(Qwen3Config(**(sizes | changes))).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.normal_(0, 1.5 / parameter.shape[1] ** 0.5)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def eager() -> Callable[..., list[int]]:
    """The oracle: greedy tokens of eager PyTorch, the whole sequence computed anew at each step.

    window: each token sees that many positions back, itself included; None is full attention.
    """
    import torch
    from transformers import AutoModelForCausalLM

    models: dict[Path, Any] = {}

    def greedy(checkpoint: Path, prompt: list[int], count: int, window: int | None = None) -> list[int]:
        if checkpoint not in models:
            models[checkpoint] = AutoModelForCausalLM.from_pretrained(
                checkpoint, dtype=torch.float32, attn_implementation="eager"
            ).eval()
        ids = list(prompt)
        for _ in range(count):
            rows = torch.arange(len(ids))
            distance = rows[:, None] - rows[None, :]
            seen = (distance >= 0) & (distance < (window or len(ids)))
            mask = torch.where(seen, 0.0, torch.finfo(torch.float32).min)[None, None]
            with torch.no_grad():
                logits = models[checkpoint](torch.tensor([ids]), attention_mask=mask, use_cache=False).logits
            ids.append(int(logits[0, -1].argmax()))
        return ids[len(prompt) :]

    return greedy
