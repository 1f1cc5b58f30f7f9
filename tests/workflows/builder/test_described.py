"""What pipeline.json says of a session's precision is true of it, and what the CPU emulates is known by session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from workflows.builder.describe import describe
from workflows.bundle import Pipeline
from workflows.checkpoint import open_checkpoint
from workflows.recipe import choose
from workflows.runtime import device_named
from workflows.runtime.emulation import emulation_note, is_emulated

ROLES = ("embeddings", "prefill", "decode", "head")
WORDS = {
    "fp32": ("fp32", None),
    "fp16": ("fp16", None),
    "bf16": ("bf16", None),
    "int8": (None, "int8"),
    "int4": (None, "int4"),
    "int8-dynamic": (None, "int8"),
    "w8a16": (None, "int8"),
    "w8a8": (None, "int8"),
}


def described(**options: Any) -> Pipeline:
    """The file of a transformer-only build with these options."""
    checkpoint = open_checkpoint("demo:qwen3")
    recipe = choose(checkpoint, {"variant": "transformer-only", "capacity": 128} | options)
    tensors: dict[str, list[str]] = {"inputs": [], "outputs": []}
    components = [{"component": role, "role": role, "file": f"{role}.onnx", **tensors} for role in ROLES]
    return describe(checkpoint, recipe, components)


@pytest.mark.parametrize("precision", WORDS)
def test_the_words_of_other_readers_are_true(precision: str) -> None:
    """runtime.precision names a type where all is of it, and is absent where integers take part."""
    for session in described(precision=precision).pipeline.sessions.values():
        options = session.session_options
        requires = options.build_requires.quantization if options.build_requires else None
        assert (options.runtime.precision, requires) == WORDS[precision]


def test_one_component_has_a_word_of_its_own() -> None:
    """An fp32 bundle whose decode is int4 says so of that session alone."""
    pipeline = described(quantize={"components": {"decode": "int4"}})
    said = {name: one.session_options.runtime.precision for name, one in pipeline.pipeline.sessions.items()}
    assert said == {"embeddings": "fp32", "prefill": "fp32", "decode": None, "head": "fp32"}
    assert [pipeline.precision_of(name) for name in ROLES] == ["fp32", "fp32", "int4", "fp32"]


@pytest.mark.parametrize(
    ("options", "emulated", "told"),
    [
        ({}, [], ""),
        ({"precision": "w8a16"}, list(ROLES), "computes it in float32"),
        ({"quantize": {"components": {"head": "w8a16"}}}, ["head"], "computes head in float32"),
        ({"precision": "w8a16", "quantize": {"components": dict.fromkeys(ROLES[2:], "fp32")}}, list(ROLES[:2]),
         "computes embeddings and prefill in float32"),
    ],
)  # fmt: skip
def test_emulation_is_known_by_session(options: dict[str, Any], emulated: list[str], told: str) -> None:
    """Of a bundle in which one component alone is w8a16 too, and of none on another provider."""
    pipeline, cpu = described(**options), device_named("cpu")
    assert [name for name in ROLES if is_emulated(pipeline, name, cpu)] == emulated
    assert told in emulation_note(pipeline, cpu) and bool(told) == bool(emulation_note(pipeline, cpu))
    assert emulation_note(pipeline, replace(cpu, name="qnn")) == ""


def test_a_bundle_from_before_has_the_word_of_the_whole() -> None:
    """Version 0.1 wrote no precision of components."""
    pipeline = described(precision="w8a16")
    bare = [one.model_copy(update={"precision": ""}) for one in pipeline.metadata.components]
    old = pipeline.model_copy(update={"metadata": pipeline.metadata.model_copy(update={"components": bare})})
    assert is_emulated(old, "head", device_named("cpu"))
