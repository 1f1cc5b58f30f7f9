"""The targets dml and openvino: every node has a kernel or is taken, and the default build's logits and tokens.

DirectML is not here: its nodes are held against its table, its values are those of the CPU provider. OpenVINO runs in
an environment of its own, whose Python JOINERY_OPENVINO_PYTHON names.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY, save_decoder, save_encoder_decoder
from workflows.bundle import read_bundle
from workflows.generate.prefill import start_prompt
from workflows.inspection.preflight import preflight
from workflows.process.subprocesses import module_search_path, python_command
from workflows.runtime import device_named, open_machine

pytestmark = pytest.mark.slow
CHUNK, STEPS = 8, 12
LENGTHS = (1, CHUNK - 1, CHUNK, CHUNK + 1, 20)
SHAPES = ("qwen3", "llama", "gemma3_text", "phi3", "t5")
RECURRENT = ("lfm2", "mamba", "qwen3_5_text")  # convolutions alone; a decay by dimension; the delta rule
OTHERS = os.environ.get("JOINERY_OPENVINO_PYTHON", "")
openvino = pytest.mark.skipif(
    not OTHERS, reason="JOINERY_OPENVINO_PYTHON names no Python of an environment with onnxruntime-openvino 1.24.1"
)


@dataclass(frozen=True)
class Told:
    """tokens: greedy ones. logits: [V] after the prompt and after each token."""

    tokens: list[int]
    logits: list[np.ndarray]


def answer(bundle: Path, length: int) -> Told:
    """On the CPU provider, to a drawn prompt (or source) of so many tokens."""
    ids = [int(token) for token in np.random.default_rng(length).integers(3, VOCABULARY, length)]
    opened, logits, tokens = read_bundle(bundle), list[np.ndarray](), list[int]()
    with open_machine(opened, device_named("cpu")) as machine:
        prompt = start_prompt(machine, opened.pipeline, ids, prefix=ids if machine.has_source else ())
        for chunk, phase in [*machine.chunks(prompt)]:
            row = np.array(machine.step(chunk, phase)[-1])
        for _ in range(STEPS):
            logits.append(row)
            tokens.append(int(row.argmax()))
            row = np.array(machine.step(tokens[-1:], "decode")[-1])
    return Told(tokens, logits)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """A source by the name of its shape: the demo, or a tiny random model."""
    folder, made = tmp_path_factory.mktemp("shapes"), dict[str, str]()

    def get(name: str) -> str:
        if name not in made:
            save = save_encoder_decoder if name == "t5" else save_decoder
            made[name] = "demo:qwen3" if name == "qwen3" else str(save(name, folder / name))
        return made[name]

    return get


def options(shape: str, **more: Any) -> dict[str, Any]:
    return {"capacity": 64, "chunk": CHUNK, **({"source_length": 32} if shape == "t5" else {}), **more}


def check_all_have_a_kernel(bundle: Path) -> None:
    report = preflight(bundle, "dml")
    assert not report.usable and "Nothing was run" in report.reason
    for one in report.components:
        assert one.on_provider == one.nodes > 10, (one.name, one.elsewhere)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("target", ["dml", "openvino"])
def test_values_are_those_of_the_default_build(
    built: Built, checkpoint: Callable[[str], str], shape: str, target: str
) -> None:
    default = built(checkpoint(shape), capacity=64, chunk=CHUNK)
    ours = built(checkpoint(shape), **options(shape, target=target))
    for length in LENGTHS:
        wanted, got = answer(default, length), answer(ours, length)
        assert got.tokens == wanted.tokens, length
        assert max(float(np.abs(a - b).max()) for a, b in zip(got.logits, wanted.logits, strict=True)) <= 1e-4
    if target == "dml":
        check_all_have_a_kernel(ours)


@pytest.mark.parametrize("shape", RECURRENT[1:])
def test_recurrences_in_onnx_s_own_operators_give_the_tokens(
    built: Built, checkpoint: Callable[[str], str], shape: str
) -> None:
    default = built(checkpoint(shape), capacity=64, chunk=CHUNK)
    ours = built(checkpoint(shape), **options(shape, target="dml"))
    for length in LENGTHS:
        assert answer(ours, length).tokens == answer(default, length).tokens, length
    left = {node.op for one in preflight(ours, "dml").components for node in one.elsewhere}
    assert left <= {"ScatterElements", "ScatterND"}  # of M-RoPE's sections


@pytest.mark.parametrize("more", [
    {"precision": "int4"}, {"precision": "int8"}, {"precision": "fp16"}, {"precision": "int8-dynamic"},
    {"precision": "w8a8"}, {"graphs": "single"}, {"cache": "window"},
])  # fmt: skip
def test_every_precision_that_directml_has_keeps_its_kernels(built: Built, more: dict[str, str]) -> None:
    bundle = built("demo:qwen3", capacity=64, chunk=CHUNK, target="dml", **more)
    check_all_have_a_kernel(bundle)
    with open_machine(read_bundle(bundle), device_named("cpu")) as machine:
        logits = machine.step([5, 17, 29], "prefill")
    assert np.isfinite(logits).all()


def test_biased_products_in_blocks_keep_their_kernels(built: Built, checkpoint: Callable[[str], str]) -> None:
    """Its kernel takes no bias: qwen2 has them."""
    check_all_have_a_kernel(built(checkpoint("qwen2"), **options("qwen2", target="dml", precision="int4")))


def test_a_default_build_is_reported_by_node(built: Built) -> None:
    report = preflight(built("demo:qwen3", graphs="prefill-decode", capacity=256), "dml")
    left = {node.op: node.reason for one in report.components for node in one.elsewhere}
    assert left["Attention"] == "DirectML has no kernel for Attention."
    assert left["Cos"] == "DirectML has kernels for Cos of version 7, and the graph's is of 22."


# -- OpenVINO, in its own environment --------------------------------------------------------------------------


def elsewhere(*arguments: str) -> dict[str, Any]:
    """The last line of a command of ours that runs with that environment's onnxruntime, as JSON."""
    told = subprocess.run(
        [OTHERS, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, check=True
    )
    place = os.pathsep.join([told.stdout.decode().strip(), module_search_path("")])
    done = subprocess.run(
        [*python_command("workflows"), *arguments, "--json"],
        capture_output=True, env=os.environ | {"PYTHONPATH": place}, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout.decode().splitlines()[-1])
    return found


@openvino
@pytest.mark.parametrize("shape", (*SHAPES, *RECURRENT))
def test_openvino_takes_every_node_and_gives_the_tokens(
    built: Built, checkpoint: Callable[[str], str], shape: str
) -> None:
    bundle = built(checkpoint(shape), **options(shape, target="openvino"))
    report = elsewhere("preflight", str(bundle), "--provider", "openvino")
    assert report["usable"], report
    assert all(one["on_provider"] == one["nodes"] for one in report["components"])
    for length in LENGTHS:
        ids = ",".join(str(token) for token in np.random.default_rng(length).integers(3, VOCABULARY, length))
        told = [
            elsewhere("generate", str(bundle), "--provider", provider, "--prompt-ids", ids, "--max-new-tokens", "12")
            for provider in ("cpu", "openvino")
        ]
        assert told[1]["provider"] == "openvino" and told[0]["token_ids"] == told[1]["token_ids"], length


@openvino
@pytest.mark.parametrize("precision", ["int4", "int8", "fp16", "w8a16"])
def test_openvino_in_other_precisions(built: Built, precision: str) -> None:
    bundle = built("demo:qwen3", capacity=64, chunk=CHUNK, target="openvino", precision=precision)
    told = elsewhere("generate", str(bundle), "--provider", "openvino", "--chat", "--prompt", "8 * 7 =")
    assert told["text"] == "8 * 7 = 56"
