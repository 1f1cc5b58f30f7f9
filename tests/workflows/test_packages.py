"""A package that is missing or broken is named, with the command that installs it, wherever it is first imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workflows.common.errors import GraphError, error_to_dict, is_out_of_memory, package_error

ROOT = Path(__file__).parents[2]
PROMPT = ("--prompt", "8*7=", "--max-new-tokens", "2")
MISSING: dict[str, tuple[str, tuple[str, ...]]] = {
    "typer": ("typer>=", ("--help",)),
    "platformdirs": ("platformdirs>=", ("--version",)),
    "rich": ("rich>=", ("runs", "list")),
    "numpy": ("numpy>=", ("generate", "BUNDLE", *PROMPT)),
    "onnxruntime": ("onnxruntime>=", ("generate", "BUNDLE", *PROMPT)),
    "tokenizers": ("tokenizers>=", ("generate", "BUNDLE", *PROMPT)),
    "jinja2": ("jinja2>=", ("generate", "BUNDLE", "--chat", *PROMPT)),
    "llguidance": ("llguidance>=", ("generate", "BUNDLE", "--regex", "a+", *PROMPT)),
    "prompt_toolkit": ("prompt-toolkit>=", ("chat", "BUNDLE")),
    "pydantic": ("pydantic>=", ("inspect", "BUNDLE")),
    "filelock": ("filelock>=", ("build", "demo:qwen3", "--out", "OUT")),
    "psutil": ("psutil>=", ("bench", "BUNDLE")),
    "onnx": ("onnx>=", ("inspect", "BUNDLE")),
    "onnx_ir": ("onnx-ir>=", ("build", "demo:qwen3", "--out", "OUT")),
    "onnxscript": ("joinery[build]", ("build", "demo:qwen3", "--out", "OUT")),
    "torch": ("joinery[build]", ("build", "demo:qwen3", "--out", "OUT")),
    "transformers": ("joinery[build]", ("build", "demo:qwen3", "--out", "OUT")),
    "safetensors": ("safetensors>=", ("build", "demo:qwen3", "--out", "OUT")),
    "pyarrow": ("joinery[parquet]", ("eval", "BUNDLE", "--against", "BUNDLE", "--task-file", "T.parquet")),
}
HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""


def hidden(folder: Path, package: str) -> dict[str, str]:
    """The environment of processes that find no such package, however many they start."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(HIDE.format(package=package))
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


@pytest.mark.parametrize("package", [
    pytest.param(name, marks=[pytest.mark.slow] * (line[0] in ("build", "eval"))) for name, (_, line) in MISSING.items()
])  # fmt: skip
def test_a_missing_package_is_named(package: str, demo_bundle: Path, tmp_path: Path) -> None:
    """With what installs it, in one sentence, and nothing is left behind."""
    wanted, line = MISSING[package]
    (tmp_path / "T.parquet").write_bytes(b"PAR1")
    places = {"BUNDLE": str(demo_bundle), "OUT": str(tmp_path / "out"), "T.parquet": str(tmp_path / "T.parquet")}
    command = [sys.executable, "-m", "workflows", *(places.get(word, word) for word in line)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, input="8*7=\n", check=False,
                          env=hidden(tmp_path / "site", package), cwd=tmp_path)  # fmt: skip
    if package == "prompt_toolkit":  # which a pipe does not need
        assert done.returncode == 0
        return
    assert done.returncode in (1, 2), done
    [told] = done.stderr.splitlines()
    assert told.startswith("joinery: ") and "fault" not in told, told
    assert f"pip install '{wanted}" in told and (package in told), told
    assert not (tmp_path / "out").exists()


def test_the_worker_names_it(demo_bundle: Path, tmp_path: Path) -> None:
    """In an error event of its own kind."""
    line = json.dumps({"id": 1, "job": "inspect", "path": str(demo_bundle)})
    command = [sys.executable, "-m", "workflows.service.worker"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=hidden(tmp_path / "site", "onnx")) as worker:  # fmt: skip
        assert worker.stdin and worker.stdout
        worker.stdin.write(line + "\n")
        worker.stdin.flush()
        greeting, event = (json.loads(worker.stdout.readline()) for _ in range(2))
        worker.stdin.close()
    assert greeting["event"] == "hello"
    assert (event["event"], event["kind"]) == ("error", "package"), event
    assert "pip install 'onnx>=" in event["message"]


def test_what_is_no_missing_package_stays_what_it_is() -> None:
    """Our own modules, errors that only name an import that failed before, and other errors."""
    ours = ModuleNotFoundError("No module named 'workflows.gone'", name="workflows.gone")
    assert package_error(ours, "build") is None and package_error(ValueError("x"), "build") is None
    known = GraphError("a sentence")
    known.__context__ = ModuleNotFoundError("No module named 'torch'", name="torch")
    assert error_to_dict(known, "build") == {"error": "GraphError", "message": "a sentence"}
    broken = ImportError("libcudart.so: no such file", name="torch._C")
    assert "cannot be loaded (libcudart.so" in str(package_error(broken, "build"))
    assert str(package_error(broken, "build")).endswith("pip install --force-reinstall 'torch==2.13.0'.")
    unknown = ModuleNotFoundError("No module named 'einops'", name="einops")
    assert str(package_error(unknown, "build")).endswith("pip install 'einops'.")
    wrapped, refusal = ValueError("advice"), GraphError("a sentence")
    wrapped.__cause__, refusal.__context__ = refusal, wrapped  # raised again while its wrapper was handled
    assert package_error(refusal, "build") is None and not is_out_of_memory(refusal)
    renamed = ModuleNotFoundError("No module named 'PIL'", name="PIL.Image")
    assert "pip install 'pillow" in str(package_error(renamed, "generate"))
