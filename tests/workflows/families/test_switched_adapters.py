"""Bundles with adapters beside the weights: the tokens of eager peft with each of them, without one, after a switch."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import onnxruntime as ort
import pytest
import torch
from safetensors.numpy import load_file, save_file

from tests.workflows.checkpoint.gguf.converting import make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.making import F32, Q8_0, write_gguf
from tests.workflows.checkpoint.peft.making import make_adapter, make_base
from tests.workflows.families.test_adapters import COUNT, LENGTHS, greedy, prompt_of, take_numbers_of
from workflows.builder import BuildRequest, build
from workflows.builder.evaluate import EvalRequest, evaluate
from workflows.bundle.manifest import write_manifest
from workflows.cli import run
from workflows.common.errors import BundleError, CheckpointError, PromptCacheError, RequestError
from workflows.export import stand_ins
from workflows.generate import open_engine
from workflows.generate.options import GenerateOptions
from workflows.graph.weights import load_saved_graph
from workflows.wire.events import GenerationDone, NoticeEvent

FIRST = {"target_modules": ["q_proj", "v_proj", "down_proj"], "r": 4, "lora_alpha": 8}
SECOND = {
    "target_modules": "all-linear", "r": 6, "lora_alpha": 4, "use_rslora": True,
    "rank_pattern": {"layers.1.*.q_proj": 3},
}  # fmt: skip
GPT2 = ({"target_modules": ["c_attn", "c_fc"], "r": 4, "fan_in_fan_out": True},
        {"target_modules": ["c_proj"], "r": 2, "fan_in_fan_out": True})  # fmt: skip
SCALE = 0.75  # of the second adapter


@dataclass(frozen=True)
class Made:
    """A bundle, its base and its adapters as peft's models, and the folder with all of them."""

    folder: Path
    models: Mapping[str, Any]

    @property
    def bundle(self) -> Path:
        return self.folder / "bundle"

    def tokens(self, name: str, prompt: list[int]) -> list[int]:
        """peft's tokens; of the base for no name."""
        if name:
            return greedy(self.models[name], prompt)
        with self.models["first"].disable_adapter():
            return greedy(self.models["first"], prompt)


def make_bundle(folder: Path, name: str = "qwen3", **options: Any) -> Made:
    """A bundle with the adapters first and second, the latter scaled."""
    settings, models = GPT2 if name == "gpt2" else (FIRST, SECOND), {}
    for seed, (adapter, own) in enumerate(zip(("first", "second"), settings, strict=True)):
        models[adapter] = make_adapter(make_base(name, folder / "base"), folder / adapter, seed, **own)
    for layer in models["second"].modules():
        if hasattr(layer, "scale_layer") and hasattr(layer, "scaling"):
            layer.scale_layer(SCALE)
    chosen = [{"folder": str(folder / "first")}, {"folder": str(folder / "second"), "scale": SCALE}]
    common = {"capacity": 160, "check": "quick", "adapters": "runtime", "adapter": chosen}
    build(BuildRequest(str(folder / "base"), folder / "bundle", common | options))
    return Made(folder, models)


def reply(engine: Any, prompt: list[int], adapter: str = "", count: int = COUNT) -> list[int]:
    options = GenerateOptions(max_new_tokens=count, adapter=adapter or None)
    *_, done = engine.generate(prompt, options)
    assert isinstance(done, GenerationDone)
    return list(done.token_ids)


def compare(made: Made) -> None:
    """Each prompt with each adapter after each other one, and with none: the tokens of peft, which differ."""
    with open_engine(made.bundle) as engine:
        assert engine.ready().adapters == ["first", "second"]
        every: dict[str, list[int]] = {"": [], "first": [], "second": []}
        for length in LENGTHS:
            prompt = prompt_of(length)
            wanted = {name: made.tokens(name, prompt) for name in every}
            for name, theirs in wanted.items():
                every[name] += theirs
            for name in ("", "first", "second", "first", ""):
                tokens = reply(engine, prompt, name)
                assert tokens == wanted[name][: len(tokens)], f"{length} tokens, {name or 'no adapter'}"
        assert len({tuple(tokens) for tokens in every.values()}) == 3  # a random model may repeat one after some prompt


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_bundle(tmp_path_factory.mktemp("switched"))


def test_tokens_are_peft_s(made: Made) -> None:
    compare(made)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("qwen3", {"cache": "static"}),
        ("qwen3", {"cache": "window"}),
        ("qwen3", {"cache": "scatter", "opset": 24}),
        ("qwen3", {"precision": "fp16"}),
        ("qwen3", {"graphs": "prefill-decode", "cache": "static", "chunk": 64}),
        ("llama", {}),
        ("llama", {"cache": "static"}),
        ("mistral", {}),
        ("gpt2", {}),
    ],
)
def test_layouts_and_families(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    compare(make_bundle(tmp_path, name, **options))


def test_an_evaluation_without_the_adapters_merges_none(made: Made) -> None:
    adapter = {"folder": str(made.folder / "first")}
    with pytest.raises(RequestError, match="is evaluated without its adapters, so none can be merged"):
        evaluate(EvalRequest(made.bundle, str(made.folder / "base"), adapters=(adapter,)))


def test_a_switch_in_a_chat_reads_the_text_anew(made: Made) -> None:
    """The second turn is the first one's text with another adapter: nothing of the cache is reused, and it is said."""
    with open_engine(made.bundle) as engine:
        prompt = prompt_of(65)
        text = prompt + reply(engine, prompt, "first") + prompt_of(20)
        events = list(engine.generate(text, GenerateOptions(max_new_tokens=COUNT, adapter="second")))
        done = events[-1]
        assert isinstance(done, GenerationDone)
        assert done.token_ids == made.tokens("second", text)[: len(done.token_ids)]
        notices = [event.message for event in events if isinstance(event, NoticeEvent) and event.code == "adapter"]
        assert notices == ["The adapter second reads the text anew: the cache is of the weights before."]
        again = list(engine.generate(text, GenerateOptions(max_new_tokens=COUNT, adapter="second")))
        assert not [event for event in again if isinstance(event, NoticeEvent)]
        assert again[-1].token_ids == done.token_ids  # type: ignore[attr-defined]


def test_drafts_and_guidance_follow_the_adapter(made: Made) -> None:
    """The tokens with drafts are those without; the second cache of guidance is of the same adapter."""
    prompt = prompt_of(12) * 4
    with open_engine(made.bundle) as engine:
        for name in ("first", "second"):
            options = {"max_new_tokens": COUNT, "adapter": name}
            *_, drafted = engine.generate(prompt, GenerateOptions(**options, ngram=True))
            assert drafted.token_ids == made.tokens(name, prompt)[: len(drafted.token_ids)]  # type: ignore[union-attr]
            *_, led = engine.generate(prompt, GenerateOptions(**options, guidance=1.5))
            with open_engine(made.bundle) as fresh:
                *_, alone = fresh.generate(prompt, GenerateOptions(**options, guidance=1.5))
            assert led.token_ids == alone.token_ids  # type: ignore[union-attr]


def test_a_saved_cache_is_of_its_adapter(made: Made, tmp_path: Path) -> None:
    """It is refused with another one, and with none."""
    file, prompt = tmp_path / "cache.safetensors", prompt_of(30)
    with open_engine(made.bundle) as engine:
        first = reply(engine, prompt, "first")
        engine.save_cache(file)
        reply(engine, prompt, "second")
        with pytest.raises(PromptCacheError, match="another model"):
            engine.load_cache(file)
        reply(engine, prompt_of(3), "first", 1)
        engine.load_cache(file)
        assert reply(engine, prompt, "first") == first


def test_the_command_line_names_adapters(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    """The last line holds the tokens; an unknown name is refused with those that there are."""
    ids = ",".join(map(str, prompt_of(65)))
    words = ["generate", str(made.bundle), "--prompt-ids", ids, "--max-new-tokens", str(COUNT), "--json"]
    for name in ("", "first", "second"):
        assert run([*words, *(["--adapter", name] if name else [])]) == 0
        done = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert done["token_ids"] == made.tokens(name, prompt_of(65))[: len(done["token_ids"])]
    assert run([*words, "--adapter", "third"]) == 2
    assert "The bundle has no adapter 'third': it has first, second." in capsys.readouterr().err
    assert run(["inspect", str(made.bundle)]) == 0
    assert f"switched adapters: first (rank 4, scale 1), second (rank 6, scale {SCALE})" in capsys.readouterr().out
    assert run(["inspect", str(made.bundle), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["adapters"]
    assert [(one["name"], one["rank"], one["scale"]) for one in listed] == [("first", 4, 1.0), ("second", 6, SCALE)]
    assert run(["verify", str(made.bundle)]) == 0
    for command in ("export-genai", "export-gguf"):
        assert run([command, str(made.bundle), "--out", str(made.folder / "out.gguf")]) == 2
        assert "adapters" in capsys.readouterr().err and not (made.folder / "out.gguf").exists()


def test_measurements_take_an_adapter_or_say_that_none_was_active(
    made: Made, demo_bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A profile counts what products with the factors read, of rank 0 without an adapter."""

    def measured(*words: str) -> list[dict[str, Any]]:
        assert run([*words, "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    sizes = ["--prompt-tokens", "8", "--new-tokens", "4", "--repeats", "1"]
    for name, flags in (("", []), ("first", ["--adapter", "first"])):
        assert [row["adapter"] for row in measured("bench", str(made.bundle), *sizes, *flags)] == [name]
    assert "adapter" not in measured("bench", str(demo_bundle), *sizes)[0]
    reads = dict[str, int]()
    for name in ("", "first", "second"):
        (report,) = measured("profile", str(made.bundle), "--steps", "1", *(["--adapter", name] if name else []))
        assert report["adapter"] == name
        parts = [part["nodes"] for part in report["components"] if part["phase"] == "decode"]
        reads[name] = sum(node["activation_bytes"] for nodes in parts for node in nodes if node["op"] == "MatMul")
    assert reads[""] < reads["first"] < reads["second"]  # of rank 0, 4 and 6
    for command in ("bench", "profile"):
        assert run([command, str(made.bundle), "--adapter", "third"]) == 2
        assert "The bundle has no adapter 'third': it has first, second." in capsys.readouterr().err
        assert run([command, str(demo_bundle), "--adapter", "first"]) == 2
    prompts = made.folder / "prompts.txt"
    prompts.write_text("3,4,5\n", "utf-8")
    notes = evaluate(EvalRequest(made.bundle, str(made.bundle), prompts, steps=2, questions=0)).notes
    (parted,) = measured("diverge", str(made.bundle), str(made.bundle), "--prompt-ids", "3,4,5", "--steps", "1")
    said = "No adapter was active: the bundle's own weights alone were read, without first, second."
    assert said in notes and parted["notes"] == [said]


def test_a_file_that_does_not_fit_is_refused(made: Made) -> None:
    """By name; the adapter before stays."""
    file = made.bundle / "adapters" / "1.safetensors"
    whole, manifest = load_file(file), (made.bundle / "manifest.json").read_text()
    name = next(iter(whole))
    changes: list[dict[str, np.ndarray]] = [
        {name: whole[name][:, :1]}, {name: whole[name].astype(np.float16)}, {"lora_A.unknown": whole[name]},
        {name: whole[name][0]},
    ]  # fmt: skip
    lacking = {key: value for key, value in whole.items() if key != name}
    try:
        for tensors in (*(whole | change for change in changes), lacking):
            save_file({key: np.ascontiguousarray(value) for key, value in tensors.items()}, file)
            write_manifest(made.bundle)
            with open_engine(made.bundle) as engine:
                before = reply(engine, prompt_of(5), "first")
                with pytest.raises(BundleError, match="does not fit the graphs' inputs"):
                    reply(engine, prompt_of(5), "second")
                assert reply(engine, prompt_of(5), "first") == before
        file.write_bytes(b"nonsense")
        write_manifest(made.bundle)
        with open_engine(made.bundle) as engine, pytest.raises(BundleError, match="cannot be read from adapters/1"):
            reply(engine, prompt_of(5), "second")
    finally:
        save_file(whole, file)
        (made.bundle / "manifest.json").write_text(manifest)
    with open_engine(made.bundle) as engine, pytest.raises(RequestError, match="has no adapter 'x': it has first"):
        reply(engine, prompt_of(5), "x")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (
            {"num_attention_heads": 2},
            r"changes \[32, 64\] numbers of model.layers.0.self_attn.q_proj, which has",
        ),
        ({"num_hidden_layers": 4}, "changes model.layers.3.self_attn.q_proj, which is no linear layer of this base"),
    ],
)
def test_an_adapter_of_another_base_is_refused_after_the_export(
    sizes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    make_adapter(make_base("qwen3", tmp_path / "other", **sizes), tmp_path / "mine", target_modules=["q_proj"], r=2)
    make_base("qwen3", tmp_path / "base")
    options = {"capacity": 160, "check": "quick", "adapters": "runtime", "adapter": [{"folder": f"{tmp_path}/mine"}]}
    with pytest.raises(CheckpointError, match=message):
        build(BuildRequest(str(tmp_path / "base"), tmp_path / "bundle", options))
    assert not (tmp_path / "bundle").exists()


@pytest.mark.slow
def test_tokens_over_int4_are_those_of_the_rounded_weights(tmp_path: Path) -> None:
    """The reference is peft over the numbers that MatMulNBits multiplies with, which it gives for the identity."""
    exact = {"accuracy_level": 0, "embedding": "fp32", "head": "fp32"}
    made = make_bundle(tmp_path, "llama", precision="int4", quantize=exact)
    model = load_saved_graph(made.bundle / "decoder.onnx")
    names = itertools.cycle((("q_proj", "k_proj", "v_proj"), ("o_proj",), ("gate_proj", "up_proj"), ("down_proj",)))
    layers, count = [], 0
    for node in model.graph:
        if node.op_type == "MatMulNBits":
            layers.append((next(names), count // 4, rounded_weight(node)))
            count += 1
    assert count == 4 * 3
    for peft_model in made.models.values():
        modules = dict(peft_model.get_base_model().named_modules())
        for members, layer, weight in layers:
            start = 0
            for name in members:
                kind = "mlp" if name in ("gate_proj", "up_proj", "down_proj") else "self_attn"
                module = modules[f"model.layers.{layer}.{kind}.{name}"]
                own = getattr(module, "base_layer", module).weight
                with torch.no_grad():
                    own.copy_(torch.from_numpy(weight[start : start + len(own)]))
                start += len(own)
    compare(made)


@pytest.mark.slow
def test_a_model_in_gguf_keeps_its_integers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A merged adapter would make numbers of them. The reference is peft over the numbers that they stand for."""
    monkeypatch.setattr(stand_ins, "REAL_BELOW", 1 << 10)  # else weights as small as these are no part of the file
    models, file = {}, tmp_path / "m.gguf"
    for seed, (name, own) in enumerate((("first", FIRST), ("second", SECOND))):
        model = make_model("llama", num_hidden_layers=3).eval()
        if not file.exists():
            tensors = tensors_of("llama", model, lambda _, array: F32 if array.ndim == 1 else Q8_0)
            write_gguf(file, metadata_of("llama", model.config), tensors)
        take_numbers_of(model, file)
        models[name] = make_adapter(model, tmp_path / name, seed, **own)
    chosen = [{"folder": str(tmp_path / name)} for name in models]
    options = {"capacity": 160, "check": "quick", "adapters": "runtime", "adapter": chosen,
               "quantize": {"accuracy_level": 0}}  # fmt: skip
    build(BuildRequest(str(file), tmp_path / "bundle", options))
    assert json.loads((tmp_path / "bundle" / "recipe.json").read_text())["precision"] == "stored"
    compare(Made(tmp_path, models))


def rounded_weight(node: ir.Node) -> np.ndarray:
    """The weight [N, K] of a MatMulNBits: its product with the identity."""
    size = node.attributes["K"].as_int()
    inputs = [value for value in node.inputs if value is not None]
    one = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([size, size]))
    out = ir.Value(name="y", type=ir.TensorType(ir.DataType.FLOAT))
    held = [ir.Value(name=str(value.name), const_value=ir.tensor(value.const_value.numpy())) for value in inputs[1:]]
    attributes = {name: attribute.value for name, attribute in node.attributes.items()}
    copy = ir.node("MatMulNBits", [one, *held], attributes, domain="com.microsoft", outputs=[out])
    graph = ir.Graph([one], [out], nodes=[copy], initializers=held, opset_imports={"": 23, "com.microsoft": 1})
    session = ort.InferenceSession(ir.to_proto(ir.Model(graph, ir_version=10)).SerializeToString())
    return np.ascontiguousarray(session.run(None, {"x": np.eye(size, dtype=np.float32)})[0].T)
