"""GGUF files of bundles: read again by value, by transformers, and run by llama.cpp with the same tokens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import F32, Q4_0, Q8_0, byte_tokenizer, write_gguf
from tests.workflows.conftest import Built
from workflows.builder import BuildRequest, build
from workflows.checkpoint import open_checkpoint
from workflows.checkpoint.gguf.forms import FORMS, unpack
from workflows.cli import run
from workflows.common.errors import BundleError, RequestError
from workflows.export import stand_ins
from workflows.export.checkpoint_tensors import CheckpointTensor
from workflows.generate import open_engine
from workflows.generate.options import GenerateOptions
from workflows.interop.gguf_export.export import export_gguf
from workflows.interop.gguf_export.packing import (
    BF16,
    F16,
    Q4_1,
    InexactError,
    Integers,
    pack_floats,
    pack_integers,
    unpack_rows,
)

RANDOM = np.random.default_rng(2)
LENGTHS, COUNT = (1, 65, 130), 12
ENGINES = Path(__file__).parents[3] / "benchmarks" / "peers" / "engines"
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": {"rope_parameters": {
        "rope_type": "llama3", "rope_theta": 20_000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    }},
    "qwen2": {}, "qwen3": {}, "gemma": {}, "gemma2": {}, "gemma3": {},
}  # fmt: skip


def tensors_in(source: Path | str) -> dict[str, torch.Tensor]:
    """The numbers of a checkpoint or a GGUF file in float32, by transformers' names."""
    checkpoint = open_checkpoint(str(source))
    folder = checkpoint.weights_folder
    return {name: CheckpointTensor(folder, one).read().float() for name, one in checkpoint.tensors.items()}


def assert_equal(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert found.keys() == expected.keys()
    differing = [name for name in expected if not torch.equal(found[name], expected[name])]
    assert not differing


def save_family(name: str, folder: Path) -> Path:
    """A small random model of the architecture, with a tokenizer of bytes."""
    model = make_model(name, **FAMILIES[name])
    model.save_pretrained(folder)
    tokens = byte_tokenizer(model.config.vocab_size)["tokenizer.ggml.tokens"]
    added = [{"id": at, "content": one, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": True} for at, one in enumerate(tokens) if at >= 258]  # fmt: skip
    parts = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    pieces = {"type": "BPE", "vocab": {one: at for at, one in enumerate(tokens)}, "merges": [["t", "h"], ["th", "e"]]}
    file = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
            "pre_tokenizer": parts, "post_processor": None, "decoder": parts, "model": pieces}  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(file))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    return folder


# -- forms -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bits", "zeros", "form"), [(4, False, Q4_0), (4, True, Q4_1), (8, False, Q8_0)])
@pytest.mark.parametrize("size", [32, 64])
def test_integers_are_the_same_numbers(bits: int, zeros: bool, form: int, size: int) -> None:
    integers = RANDOM.integers(0, 1 << bits, (6, 128)).astype(np.uint8)
    scales = RANDOM.integers(1, 64, (6, 128 // size)).astype(np.float32) / 1024
    middles = RANDOM.integers(0, 16, scales.shape).astype(np.uint8) if zeros else None
    found, content = pack_integers(Integers(integers, scales, middles, bits), rounds=False)
    assert found == form
    middle = np.full(scales.shape, 1 << (bits - 1)) if middles is None else middles
    numbers = (integers.reshape(6, -1, size) - middle[..., None].astype(np.float32)) * scales[..., None]
    read = unpack(FORMS[form].name, content).values().reshape(6, 128)
    assert np.abs(read - numbers.reshape(6, 128)).max() == 0


def test_what_no_form_holds_is_refused() -> None:
    integers, scales = np.full((2, 64), 255, np.uint8), np.full((2, 2), 0.1, np.float32)
    with pytest.raises(InexactError, match="scales have 32 bits"):
        pack_integers(Integers(integers, scales, None, 8), rounds=False)
    rounded = unpack("Q8_0", pack_integers(Integers(integers, scales, None, 8), rounds=True)[1]).values()
    assert np.abs(rounded / (127 * scales[0, 0]) - 1).max() < 2.0**-11
    with pytest.raises(InexactError, match=r"zero points, which Q8_0 has not"):
        pack_integers(Integers(integers, scales, np.zeros((2, 2), np.uint8), 8), rounds=True)
    with pytest.raises(InexactError, match="blocks of 16"):
        pack_integers(Integers(integers, np.ones((2, 4), np.float32), None, 8), rounds=True)
    with pytest.raises(InexactError, match="beyond what 16 bits hold"):
        pack_integers(Integers(integers, scales * 1e7, None, 8), rounds=True)


def test_floats_stay_in_their_form() -> None:
    for dtype, form in (("float32", F32), ("float16", F16)):
        numbers = RANDOM.normal(size=(3, 5)).astype(dtype)
        assert pack_floats(numbers) == (form, numbers.tobytes())
    assert BF16 in FORMS
    with pytest.raises(InexactError, match="int8"):
        pack_floats(np.ones((2, 2), np.int8))


def test_rows_of_onnxruntime_are_unpacked() -> None:
    packed = np.array([[[0x21, 0x43], [0x65, 0x07]]], np.uint8)
    assert unpack_rows(packed, 7, 4).tolist() == [[1, 2, 3, 4, 5, 6, 7]]
    assert unpack_rows(packed, 3, 8).tolist() == [[0x21, 0x43, 0x65]]


# -- whole files -------------------------------------------------------------------------------------------------------


def test_a_bundle_is_read_again_by_value(default_bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "demo.gguf"
    assert run(["export-gguf", str(default_bundle), "--out", str(out)]) == 0
    assert_equal(tensors_in(out), tensors_in("demo:qwen3"))
    theirs, ours = open_checkpoint(str(out)), open_checkpoint("demo:qwen3")
    assert theirs.eos_token_ids == ours.eos_token_ids
    assert theirs.tokenizer is not None and theirs.tokenizer.chat_template
    with pytest.raises(RequestError, match=r"must be a new file whose name ends in .gguf"):
        export_gguf(default_bundle, out)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_read_again_by_value(name: str, tmp_path: Path) -> None:
    """Packed products, biases, turned rows of q and k, norms that the model raises, and divisors of the rotation."""
    folder = save_family(name, tmp_path / "checkpoint")
    build(BuildRequest(str(folder), tmp_path / "bundle", {"capacity": 160, "check": "quick"}))
    out = tmp_path / f"{name}.gguf"
    export_gguf(tmp_path / "bundle", out)
    expected = tensors_in(folder)
    found = tensors_in(out)
    assert found.keys() == expected.keys()
    worst = {one: float((found[one] - expected[one]).abs().max()) for one in expected}
    assert max(worst.values()) < (3e-7 if name.startswith("gemma") else 1e-30), worst  # 1 is added to norms, and taken
    if llama := os.environ.get("JOINERY_LLAMA"):
        compare_with_llama(tmp_path / "bundle", out, llama)


@pytest.mark.slow
def test_integers_of_a_gguf_file_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)
    model = make_model("llama")

    def kind_of(name: str, array: Any) -> int:
        return F32 if array.ndim == 1 else Q4_0 if "ffn" in name else Q8_0

    file = write_gguf(tmp_path / "m.gguf", metadata_of("llama", model.config), tensors_of("llama", model, kind_of))
    options = {"capacity": 64, "check": "quick", "precision": "stored"}
    build(BuildRequest(str(file), tmp_path / "bundle", options))
    out = tmp_path / "again.gguf"
    export_gguf(tmp_path / "bundle", out)
    assert_equal(tensors_in(out), tensors_in(file))
    forms = {one.dtype for one in open_checkpoint(str(out)).tensors.values()}
    assert {"Q4_0", "Q8_0", "float32"} == forms


def test_transformers_reads_it(default_bundle: Path, tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="transformers' reader needs the gguf package")
    import transformers

    export_gguf(default_bundle, tmp_path / "demo.gguf")
    auto = transformers.AutoModelForCausalLM
    ours = auto.from_pretrained(open_checkpoint("demo:qwen3").root, dtype=torch.float32).eval()
    settings = {"gguf_file": "demo.gguf", "config": ours.config, "dtype": torch.float32}  # it reads no size of a head
    theirs = auto.from_pretrained(tmp_path, **settings).eval()
    ids = torch.arange(5, 45)[None]
    with torch.no_grad():
        assert float((theirs(ids).logits - ours(ids).logits).abs().max()) < 1e-4


def compare_with_llama(bundle: Path, out: Path, libraries: str) -> None:
    """Tokens of llama.cpp, whose libraries JOINERY_LLAMA names, beside the bundle's; each in a process of its own."""
    own = out.parent / "alone"
    own.mkdir()
    out.rename(own / out.name)
    prompts = [[int(one) for one in np.random.default_rng(n).integers(3, 250, n)] for n in LENGTHS]
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); from run_llama import LlamaCpp; one = LlamaCpp();"
        "one.open(sys.argv[2], 512);"
        "print(json.dumps([[one.begin(p, False), *(one.step() for _ in range(int(sys.argv[4]) - 1))]"
        " for p in json.loads(sys.argv[3])]))"
    )
    arguments = [str(ENGINES), str(own), json.dumps(prompts), str(COUNT)]
    ended = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True,
                           env={**os.environ, "JOINERY_LLAMA": libraries})  # fmt: skip
    engine = open_engine(bundle)
    for prompt, theirs in zip(prompts, json.loads(ended.stdout.splitlines()[-1]), strict=True):
        *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=COUNT))
        tokens = done.token_ids  # type: ignore[union-attr]
        assert tokens == theirs[: len(tokens)], f"{len(prompt)} tokens"


def test_llama_runs_it(default_bundle: Path, tmp_path: Path) -> None:
    libraries = os.environ.get("JOINERY_LLAMA")
    if not libraries:
        pytest.skip("JOINERY_LLAMA names no folder with llama.cpp's libraries")
    export_gguf(default_bundle, tmp_path / "demo.gguf")
    compare_with_llama(default_bundle, tmp_path / "demo.gguf", libraries)


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_other_bundles_are_refused_by_name(built: Built, demo_split_bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.gguf"
    with pytest.raises(BundleError, match="its architecture is t5, and these are written: gemma, gemma2"):
        export_gguf(built("demo:t5"), out)
    with pytest.raises(BundleError, match="one graph is read"):
        export_gguf(demo_split_bundle, out)
    with pytest.raises(BundleError, match=r"scales have 32 bits, and GGUF's 16 do not hold them \(--round-scales"):
        export_gguf(built("demo:qwen3", precision="int4", quantize={"rounding": "nearest"}), out)
    assert not list(tmp_path.iterdir())
