"""Folders of genai's changed at random, each opened and run: `python -m tests.workflows.interop.mutations SEED N`.

A process of its own, so that a signal is a finding and not the end of the tests. It prints a JSON object a mutation:
which folder was changed and how, and then the tokens and whether the logits were right, or the error.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from tests.workflows.interop import peers
from tests.workflows.runtime.toy_bundles import IMAGE
from workflows.bundle import Bundle, read_bundle
from workflows.common.errors import JoineryError
from workflows.generate import Engine, GenerateOptions
from workflows.runtime import device_named, open_machine
from workflows.wire.events import GenerationDone

PROMPT = [5, 17, 29, 11, 7, 34, 33, 2, 30]
NEW = 4
Data = dict[str, Any]
Given = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """A folder to change, and what its model is asked."""

    make: Callable[[Path], peers.Peer]
    prompt: list[int]
    given: Given


def _frames(rows: int, size: int) -> Any:
    return np.random.default_rng(2).normal(size=(rows, size)).astype(np.float32)


KINDS = {
    "single": Kind(peers.single, PROMPT, {}),
    "grouped": Kind(peers.grouped, PROMPT, {}),
    "combined": Kind(peers.combined, PROMPT, {}),
    "staged": Kind(peers.staged, PROMPT, {}),
    "split": Kind(peers.split, PROMPT, {}),
    "hearing": Kind(peers.hearing, PROMPT, {"audio_features": _frames(5, 8)[None]}),
    "seeing": Kind(peers.seeing, [*PROMPT[:3], IMAGE, IMAGE, *PROMPT[3:]], {"pixel_values": _frames(2, 3)}),
}


def asked(bundle: Bundle, kind: Kind) -> Data:
    """The tokens that the composite gives, and the sum of its logits after the prompt."""
    with open_machine(bundle, device_named("cpu")) as machine:
        engine = Engine(bundle, machine, 0.0)
        options = GenerateOptions(max_new_tokens=NEW)
        *_, done = engine.generate(kind.prompt, options, eos=[], inputs=kind.given or None)
        assert isinstance(done, GenerationDone)
        machine.cache.reset()
        machine.start(kind.given or None, kind.prompt)
        rows = [machine.step(chunk, phase)[-1] for chunk, phase in machine.chunks(kind.prompt)]
        return {"tokens": done.token_ids, "logits": np.round(rows[-1], 3).tolist()}


# -- the configuration ---------------------------------------------------------------------------------------------

JUNK: tuple[Any, ...] = (
    None, -1, 0, 3, 2.5, 1 << 70, -(1 << 40), 1e308, 10**400, True, False, "", "x", "%d", "..", "../../etc/passwd",
    "a\\b", "x" * 5000, "\u0000", "é\u202e", [], {}, [[]], ["x"], {"x": 1},
)  # fmt: skip


def places(data: Any, path: str = "") -> list[tuple[Any, Any, str]]:
    """(object or list, key, path) of everything that stands somewhere."""
    keys = list(data) if isinstance(data, dict) else list(range(len(data))) if isinstance(data, list) else []
    found = [(data, key, f"{path}.{key}") for key in keys]
    return found + [one for key in keys for one in places(data[key], f"{path}.{key}")]


def spoil(data: Data, chances: random.Random) -> str:
    here, key, path = chances.choice(places(data))
    here[key] = copy.deepcopy(chances.choice(JUNK))
    return f"{path} is {str(here[key])[:60]}"


def take(data: Data, chances: random.Random) -> str:
    here, key, path = chances.choice(places(data))
    del here[key]
    return f"{path} is gone"


def add(data: Data, chances: random.Random) -> str:
    """A key that stands elsewhere in the file, or in none."""
    objects = [here[key] for here, key, _ in places(data) if isinstance(here[key], dict)] or [data]
    others = [(key, here[key]) for here, key, _ in places(data) if isinstance(here, dict)] or [("x", 1)]
    key, value = chances.choice([*others, ("surprise", 1)])
    chances.choice(objects)[key] = copy.deepcopy(value)
    return f"has another {key}"


def swap(data: Data, chances: random.Random) -> str:
    """Two names, files or numbers change places."""
    leaves = [one for one in places(data) if not isinstance(one[0][one[1]], dict | list)]
    (here, key, path), (there, other, elsewhere) = chances.choice(leaves), chances.choice(leaves)
    here[key], there[other] = there[other], here[key]
    return f"{path} and {elsewhere} change places"


def rename(data: Data, chances: random.Random) -> str:
    """A text becomes one that stands elsewhere, or like it."""
    texts = [one for one in places(data) if isinstance(one[0][one[1]], str)]
    if not texts:
        return "nothing"
    here, key, path = chances.choice(texts)
    (there, other, _), old = chances.choice(texts), here[key]
    like = (f"{old}x", old.upper(), f"../{old}", f"/{old}", f"{old}.%d", f"C:\\{old}")
    here[key] = chances.choice((there[other], *like))
    return f"{path} is {here[key]}"


def number(data: Data, chances: random.Random) -> str:
    found = [one for one in places(data) if isinstance(one[0][one[1]], int | float)]
    if not found:
        return "nothing"
    here, key, path = chances.choice(found)
    here[key] = chances.choice((-1, 0, 1, 2, 3, 64, 65, 1 << 31, 1 << 63, 0.5, 1e30, True, [here[key]], [1, 2, 3]))
    return f"{path} is {here[key]}"


def deepen(data: Data, chances: random.Random) -> str:
    here, key, path = chances.choice(places(data))
    for _ in range(chances.choice((1, 3, 200))):
        here[key] = [here[key]] if chances.random() < 0.5 else {str(key): here[key]}
    return f"{path} is nested"


def duplicate(data: Data, chances: random.Random) -> str:
    """A stage twice: in the list, or under another name; else the decoder as another part."""
    model = data.get("model", {})
    stages = model.get("decoder", {}).get("pipeline")
    if not stages:
        part = chances.choice(("encoder", "vision", "embedding", "speech", "draft", "mtp", "joiner", "vad"))
        model[part] = copy.deepcopy(model["decoder"])
        return f"{part} is another decoder"
    row = copy.deepcopy(chances.choice(stages))
    name = chances.choice(list(row))
    if chances.random() < 0.5:
        row = {chances.choice(("vision", "encoder", "again", "decoder", "")): row[name]}
    stages.insert(chances.randrange(len(stages) + 1), row)
    return f"{name} stands there twice"


def retime(data: Data, chances: random.Random) -> str:
    rows = data["model"]["decoder"].get("pipeline") or [{"": {}}]
    stage = chances.choice([one for row in rows for one in row.values()])
    stage[chances.choice(("run_on_prompt", "run_on_token_gen"))] = chances.choice((True, False, "yes"))
    return f"a stage is {stage}"[:80]


def mix(data: Data, chances: random.Random) -> str:
    """Words of the other version."""
    second: tuple[Data, ...] = (
        {"version": 2}, {"version": 2, "pipeline": {}}, {"pipeline": {"extends": "autoregressive-decoder"}},
        {"version": 2, "pipeline": {"extends": "autoregressive-decoder", "sessions": {"decoder": {"file": "x.onnx"}}}},
        {"version": 2, "pipeline": {"sessions": {"decoder": {"file": "decoder.onnx"}}, "flow": [{"run": "decoder"}]}},
        {"version": 2, "tokens": {"eos": "x"}}, {"version": 2, "generation": {"max_length": 8}},
        {"version": 2, "metadata": {"names": {"decoder.x": "input_ids"}}}, {"version": 3}, {"version": []},
        {"version": 2, "metadata": {"layout": "window"}}, {"version": 2, "metadata": {"carried": {"decoder.x": "y"}}},
        {"version": 2, "pipeline": {"strategy": {"kind": "speculative"}}}, {"version": 2, "metadata": 5},
        {"version": 2, "generation": {"logits": [{"op": "sample"}]}}, {"version": 2, "metadata": {"counts": False}},
        {"version": 2, "metadata": {"genai": 5}}, {"version": 2, "metadata": {"chunk": 1}},
    )  # fmt: skip
    said = copy.deepcopy(chances.choice(second))
    data.update(said)
    return f"has {said}"


WORDS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("model.decoder.sliding_window", ({"window_size": 4}, {"window_size": 0}, {"window_size": 4, "layers": [0]})),
    ("model.decoder.layer_types", (["conv", "conv"], ["full_attention"] * 99, ["x"])),
    ("model.decoder.inputs.past_conv_names", ("past_conv.%d", "past_key_values.%d.key")),
    ("model.decoder.outputs.present_conv_names", ("present.%d.key", "logits")),
    ("model.decoder.inputs.past_names", ("past_%d", "past_key_values.%d.key")),
    ("model.decoder.inputs.write_indices", ("position_ids", "x")),
    ("model.decoder.inputs.total_sequence_length", ("position_ids", "input_ids")),
    ("model.decoder.inputs.encoder_hidden_states", ("input_ids", "x")),
    ("model.decoder.inputs.encoder_attention_mask", ("attention_mask",)),
    ("model.decoder.outputs.logits", ("present.0.key", "x")),
    ("model.decoder.num_hidden_layers", (0, 1, 9, 10**7)),
    ("model.decoder.session_options", ({"intra_op_num_threads": 1}, {"custom_ops_library": "x.so"}, {"x.y": "../z"})),
    ("model.encoder", ({"filename": "decoder.onnx"}, {"filename": ""}, {})),
    ("model.vision", ({"filename": "decoder.onnx"}, {"pipeline": []})),
    ("model.embedding", ({"filename": "decoder.onnx"},)),
    ("model.type", ("qwen2_vl", "gpt2", "whisper", "decoder")),
    ("model.tokenizer_dir", ("..", "x", "/etc", "C:\\x", "decoder.onnx")),
    ("model.eos_token_id", ([], [-1], -1, [10**9], 10**9, "2")),
    ("model.image_token_id", (-5, 10**9, 0)),
    ("model.vocab_size", (1, 41, 10**12)),
    ("model.context_length", (1, 3, 10**12)),
    ("search", ({"max_length": 5}, {"repetition_penalty": 1e30}, {"min_length": 99}, {"no_repeat_ngram_size": 1},
                {"num_beams": 4}, {"do_sample": True, "temperature": 0.0})),
    ("speculative", ({"ngram_size": 2},)),
)  # fmt: skip


def say(data: Data, chances: random.Random) -> str:
    """A word of the schema with a value that may be wrong for these graphs."""
    path, values = chances.choice(WORDS)
    *way, last = path.split(".")
    here = data
    for key in way:
        here = here.setdefault(key, {})
    here[last] = copy.deepcopy(chances.choice(values))
    return f"{path} is {here[last]}"


MUTATIONS = (spoil, spoil, spoil, take, take, add, swap, swap, rename, rename, number, deepen, duplicate, retime, mix,
             say, say, say)  # fmt: skip


def changed(data: Data, chances: random.Random) -> list[str]:
    """One thing, or two."""
    told = []
    for _ in range(chances.choice((1, 1, 2))):
        mutation = chances.choice(MUTATIONS)
        try:
            told.append(mutation(data, chances))
        except (KeyError, IndexError, TypeError, AttributeError):
            told.append("nothing: the change before it left no place for it")
    return told


# -- the files -----------------------------------------------------------------------------------------------------


def spoil_text(path: Path, chances: random.Random) -> str:
    """The text of the configuration: cut short, with numbers that there are not, with a byte changed."""
    text = path.read_text("utf-8")
    at = chances.randrange(len(text))
    way = chances.choice(("cut", "NaN", "byte", "twice", "deep", "latin"))
    texts = {"cut": text[:at], "NaN": text.replace("64", chances.choice(("NaN", "-Infinity", "1e999", "064")), 1),
             "byte": text[:at] + chances.choice('{}[]",:\x00 9') + text[at + 1 :], "twice": text + text,
             "deep": "[" * 100_000, "latin": text}  # fmt: skip
    path.write_bytes(texts[way].encode("utf-8") + (b"\xff" if way == "latin" else b""))
    return f"the text: {way} at {at}"


def spoil_files(folder: Path, chances: random.Random) -> str:
    """The graphs: swapped, cut short, gone, with tensors of other names or types."""
    graphs = sorted(folder.glob("*.onnx"))
    path, other = chances.choice(graphs), chances.choice(graphs)
    way = chances.choice(("swap", "cut", "gone", "folder", "rename", "retype", "reshape", "drop", "empty"))
    if way == "swap":
        one, two = path.read_bytes(), other.read_bytes()
        path.write_bytes(two)
        other.write_bytes(one)
        return f"{path.name} and {other.name} change places"
    if way in ("cut", "empty"):
        path.write_bytes(path.read_bytes()[: 0 if way == "empty" else chances.randrange(path.stat().st_size)])
    elif way in ("gone", "folder"):
        path.unlink()
        if way == "folder":
            path.mkdir()
    else:
        return _spoil_graph(path, way, chances)
    return f"{path.name}: {way}"


def _spoil_graph(path: Path, way: str, chances: random.Random) -> str:
    model = onnx.load(path)
    side = chances.choice((model.graph.input, model.graph.output))
    value = chances.choice(side)
    told, kind = f"{path.name}: {way} {value.name}", value.type.tensor_type
    if way == "rename":
        value.name = chances.choice(("x", "input_ids", "logits", "past_key_values.0.key", "attention_mask"))
    elif way == "retype":
        kind.elem_type = chances.choice((1, 6, 7, 10, 11, 9))
    elif way == "reshape" and kind.shape.dim:
        chances.choice(kind.shape.dim).dim_value = chances.choice((1, 3, 2))
    else:
        side.remove(value)
    path.write_bytes(model.SerializeToString())
    return told


def mutate(folder: Path, chances: random.Random) -> list[str]:
    """Changes a folder: its configuration, the text of that, or its graphs."""
    path = folder / "genai_config.json"
    way = chances.random()
    if way < 0.1:
        return [spoil_text(path, chances)]
    if way < 0.25:
        return [spoil_files(folder, chances)]
    data = json.loads(path.read_text("utf-8"))
    told = changed(data, chances)
    path.write_text(json.dumps(data), "utf-8")
    return told


def outcome(folder: Path, kind: Kind) -> Data:
    """What the folder gives, or how it was refused."""
    try:
        return asked(read_bundle(folder), kind)
    except JoineryError as error:
        return {"refused": str(error), "kind": error.kind}


def main() -> None:
    """See the module."""
    seed, count = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        truths: dict[str, Data] = {}
        for name, kind in KINDS.items():
            (root / name).mkdir()
            kind.make(root / name)
            truths[name] = asked(read_bundle(root / name), kind)
        for number_ in range(seed, seed + count):
            chances = random.Random(number_)
            name = chances.choice(list(KINDS))
            copied = Path(shutil.copytree(root / name, root / "changed"))
            print(json.dumps({"seed": number_, "kind": name, "changes": mutate(copied, chances)}), flush=True)
            found = outcome(copied, KINDS[name])
            if "logits" in found:
                row = found.pop("logits")
                found |= {"finite": bool(np.isfinite(row).all()), "same": row == truths[name]["logits"]}
            print(json.dumps(found), flush=True)  # after it: a signal leaves the line before the last
            shutil.rmtree(copied)


if __name__ == "__main__":
    main()
