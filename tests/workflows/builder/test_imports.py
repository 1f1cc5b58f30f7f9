"""What a build may import: what its stages compute with, and nothing that only other builds, or nobody, needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

STRANGERS = {
    "accelerate", "datasets", "IPython", "matplotlib", "pandas", "pyarrow", "scipy", "sklearn", "tensorflow",
    "torchaudio", "torchvision",
}  # fmt: skip
"""Libraries that transformers or torch take where they find them."""
ENGINES = {"torch", "transformers", "onnx", "onnx_ir", "onnxscript", "onnxruntime"}
OTHERS = {
    f"workflows.{name}"
    for name in ("build.goal", "build.quantize", "build.calibrate", "evaluation.accuracy", "evaluation.goal")
}
"""Modules of other builds than to fp32."""


def loaded(statement: str) -> set[str]:
    """The modules that are there after a statement, in a process of its own."""
    code = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "statement",
    ["import workflows.builder", "import workflows.common.stage_cache", "from workflows.builder.run import build"],
)
def test_who_only_requests_a_build_loads_no_engine(statement: str) -> None:
    """Nor does one whose stages are all reused, but for what writes the tokenizer."""
    assert {name.partition(".")[0] for name in loaded(statement)} & (ENGINES | STRANGERS) == set()


def test_optimizing_needs_no_torch() -> None:
    """An export that is reused."""
    found = loaded("import workflows.builder.stages")
    assert {name.partition(".")[0] for name in found} & ({"torch", "transformers", "onnxscript"} | STRANGERS) == set()
    assert found & OTHERS == set()


def test_what_a_build_to_fp32_loads() -> None:
    """torch.export imports torch._dynamo by itself, so that is there; no compiler of kernels, and nothing of int4.

    accelerate is here for peft, by which adapters are judged; transformers takes it, and people need not have it.
    """
    found = loaded("import workflows.builder.stages, workflows.export.components, workflows.builder.tokenizer")
    assert {name.partition(".")[0] for name in found} & (STRANGERS - {"accelerate"}) == set()
    assert found & OTHERS == set()
    assert {"torch._inductor.compile_fx", "triton"} & found == set()
