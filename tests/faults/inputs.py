"""Bad inputs of known kinds, each with its culprit: what the command line says of it must name that culprit.

    sound files ──copied──▶ root ──a seeded change──▶ Bad: arguments, culprits ──in a bounded fork──▶ Verdict

A good answer is one sentence on stderr that names the file, key or value, exit code 1 or 2, no traceback, nothing left
where the output was to be, within the bounds of bounded.py. `python -m tests.faults --only inputs` tries all.
"""

from __future__ import annotations

import gc
import json
import os
import random
import shutil
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.mutants.bounded import bounded
from tests.faults.mutants.lines import LONGEST

Change = Callable[[Path], object]
KIND = "inputs"
_LASTS_S = 30.0
PROMPT = ("--prompt-ids", "5,17,29", "--max-new-tokens", "2")


@dataclass(frozen=True)
class Bad:
    """One bad input. change: makes it in a copy of the sound files. culprits: one of them must be named."""

    kind: str
    title: str
    arguments: tuple[str, ...]
    culprits: tuple[str, ...]
    change: Change = lambda root: None


@dataclass(frozen=True)
class Verdict:
    """What came of one. wrong: empty where the answer is good."""

    bad: Bad
    code: int
    said: str
    wrong: str
    cpu_s: float

    def __str__(self) -> str:
        return f"{KIND}: {self.bad.kind}, {self.bad.title[:100]}: {self.wrong}: exit {self.code}: {self.said[-500:]!r}"


def bad_inputs(count: int | None = None, seed: int = 28) -> list[Bad]:
    """All of them, or `count` that the seed draws."""
    every = [
        bad
        for kind in (
            _configs,
            _files,
            _weights,
            _tokenizers,
            _templates,
            _recipes,
            _settings,
            _pipelines,
            _bundles,
            _graphs,
            _genai,
            _assemblies,
            _constraints,
            _options,
            _stores,
        )
        for bad in kind()
    ]
    return every if count is None else random.Random(seed).sample(every, min(count, len(every)))


def tried(base: Path, bads: list[Bad]) -> Iterator[Verdict]:
    """The verdict on each. base: a folder with checkpoint/ and b/, sound ones."""
    gc.freeze()
    for number, bad in enumerate(bads):
        root = base.parent / f"case-{number}"
        shutil.copytree(base, root, symlinks=True)
        try:
            bad.change(root)
            yield _judged(bad, root)
        finally:
            shutil.rmtree(root, ignore_errors=True)


def _judged(bad: Bad, root: Path) -> Verdict:
    before = _names(root)
    ended = bounded(lambda: _run(bad, root), _LASTS_S)
    code, _, said = ended.told.partition("\n")
    exit_code = int(code) if not ended.wrong else -1
    lines = [line for line in said.splitlines() if line.strip()]
    left = sorted(_names(root) - before - {"home"})
    if ended.wrong:
        wrong, said = ended.wrong[-400:], said or ended.noise
    elif exit_code == 0:
        wrong = "it was taken"
    elif exit_code not in (1, 2):
        wrong = "another exit code"
    elif "a fault of Joinery" in said or "Traceback" in said:
        wrong = "a fault"
    elif not lines or not all(line.startswith("joinery: ") for line in lines) or max(map(len, lines)) > LONGEST:
        wrong = "not one sentence"
    elif not any(culprit in said for culprit in bad.culprits):
        wrong = f"names none of {bad.culprits}"
    elif left:
        wrong = f"left behind: {left}"
    else:
        wrong = ""
    return Verdict(bad, exit_code, said, wrong, ended.cpu_s)


def _run(bad: Bad, root: Path) -> str:
    """Exit code and standard error of the command line, in the fork."""
    import io
    from contextlib import redirect_stderr, redirect_stdout

    from workflows.cli import run

    os.environ["JOINERY_HOME"] = str(root / "home")
    os.chdir(root)
    said = io.StringIO()
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")), redirect_stderr(said):
        code = run(list(bad.arguments))
    return f"{code}\n{said.getvalue()}"


def _names(root: Path) -> set[str]:
    """What lies at the top: drafts and locks of an output are beside it."""
    return {path.name for path in root.iterdir()}


# -- how files are changed -----------------------------------------------------------------------------------------


def _write(name: str, content: str | bytes) -> Change:
    data = content.encode() if isinstance(content, str) else content

    def change(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)

    return change


def _edit(name: str, path: str, value: Any) -> Change:
    """Sets a value of a JSON file by its dotted path."""

    def change(root: Path) -> None:
        data = json.loads((root / name).read_text("utf-8"))
        *parents, last = path.split(".")
        here = data
        for key in parents:
            here = here[int(key)] if isinstance(here, list) else here.setdefault(key, {})
        here[int(last) if isinstance(here, list) else last] = value
        (root / name).write_text(json.dumps(data), "utf-8")

    return change


def _folder(name: str) -> Change:
    def change(root: Path) -> None:
        (root / name).unlink(missing_ok=True)
        (root / name).mkdir()

    return change


def _loop(name: str) -> Change:
    def change(root: Path) -> None:
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to((root / name).name)

    return change


def _cut(name: str, size: int) -> Change:
    return lambda root: (root / name).write_bytes((root / name).read_bytes()[:size])


def _pipe(name: str) -> Change:
    def change(root: Path) -> None:
        (root / name).unlink(missing_ok=True)
        os.mkfifo(root / name)

    return change


NO_JSON: dict[str, str | bytes] = {
    "empty": "",
    "cut short": '{"a": ',
    "a list": "[1, 2]",
    "a number": "5",
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "bytes": b"\xff\xfe\x00{",
    "nested deeply": "[" * 100_000,
    "a key twice": '{"a": 1, "a": 2}',
    "no text": b"\x80abc",
}


def _broken_files(kind: str, name: str, arguments: tuple[str, ...], but: tuple[str, ...] = ()) -> Iterator[Bad]:
    """A JSON file that is none, a folder, a loop of links or a pipe."""
    culprits = (Path(name).name,)
    for title, content in NO_JSON.items():
        if title not in but:
            yield Bad(kind, f"{name} is {title}", arguments, culprits, _write(name, content))
    for title, make in (("a folder", _folder), ("a loop of links", _loop), ("a pipe", _pipe)):
        if title not in but:
            yield Bad(kind, f"{name} is {title}", arguments, culprits, make(name))


# -- checkpoints ---------------------------------------------------------------------------------------------------

BUILD = ("build", "checkpoint", "--out", "out", "--cache", "static")
_SIZES = (
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "num_hidden_layers",
    "head_dim",
    "vocab_size",
    "intermediate_size",
    "max_position_embeddings",
)


def _configs() -> Iterator[Bad]:
    config = "checkpoint/config.json"
    for key in _SIZES:
        for value in (-1, "many", [2], {"a": 1}, 1.5, 10**30, float("nan")):
            yield Bad("config", f"{key} = {value!r}", BUILD, (key,), _edit(config, key, value))
    for key, values in {
        "rms_norm_eps": ("x", float("nan"), -1.0, []),
        "rope_parameters.rope_theta": ("x", float("nan"), 0, []),
        "hidden_act": (5, "nothing", []),
        "model_type": (5, "nothing", "", [], None),
        "architectures": ("x", 5, ["Nothing"], [5]),
        "layer_types": ("many", ["nothing"], 5),
        "rope_parameters.rope_type": ("nothing", 5),
        "rope_parameters": ("many", 5),
        "tie_word_embeddings": ("x", 5),
    }.items():
        for value in values:
            words = [value] if isinstance(value, str) else value if isinstance(value, list) else []
            culprits = (key.rpartition(".")[2], *(word for word in words if isinstance(word, str) and len(word) > 1))
            yield Bad("config", f"{key} = {value!r}", BUILD, culprits, _edit(config, key, value))


def _files() -> Iterator[Bad]:
    yield from _broken_files("config file", "checkpoint/config.json", BUILD)
    yield from _broken_files("generation_config", "checkpoint/generation_config.json", BUILD)
    yield from _broken_files("tokenizer file", "checkpoint/tokenizer.json", BUILD)
    yield from _broken_files("tokenizer file", "checkpoint/tokenizer_config.json", BUILD)
    for source in ("nothing", "checkpoint/config.json", "demo:nothing", "a/b/c", "", "[31m", "x" * 5000, "b"):
        named = source.removeprefix("demo:")[:20] or "No checkpoint was named"
        yield Bad("source", source[:20], ("build", source, "--out", "out"), (named,))


def _header(change: Callable[[dict[str, Any]], object]) -> Change:
    """Changes the header of the weights."""

    def make(root: Path) -> None:
        path = root / "checkpoint" / "model.safetensors"
        data = path.read_bytes()
        size = struct.unpack_from("<Q", data)[0]
        header = json.loads(data[8 : 8 + size])
        change(header)
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])

    return make


def _weights() -> Iterator[Bad]:
    file = "checkpoint/model.safetensors"
    tensors = (
        "model.embed_tokens.weight",
        "model.layers.0.self_attn.q_proj.weight",
        "model.norm.weight",
        "model.layers.1.mlp.down_proj.weight",
    )
    for title, change in {
        "empty": _write(file, b""),
        "cut in the header": _cut(file, 20),
        "cut in the weights": _cut(file, 20_000),
        "garbage": _write(file, b"garbage" * 100),
        "a huge header": _write(file, struct.pack("<Q", 1 << 62) + b"{}"),
        "a folder": _folder(file),
        "a loop of links": _loop(file),
        "a pipe": _pipe(file),
    }.items():
        yield Bad("weights", title, BUILD, ("model.safetensors",), change)
    for name in tensors:
        for title, alter in {
            "gone": lambda header, name=name: header.pop(name),
            "shape": lambda header, name=name: header[name].update(shape=[*header[name]["shape"][::-1], 1]),
            "negative shape": lambda header, name=name: header[name].update(shape=[-1, 4]),
            "dtype": lambda header, name=name: header[name].update(dtype="X9"),
            "offsets": lambda header, name=name: header[name].update(data_offsets=[5, 1]),
            "offsets beyond": lambda header, name=name: header[name].update(data_offsets=[0, 1 << 40]),
            "no object": lambda header, name=name: header.update({name: 5}),
        }.items():
            yield Bad("weights", f"{name} {title}", BUILD, (name, "model.safetensors"), _header(alter))
    index = "checkpoint/model.safetensors.index.json"
    for value in ("../x.safetensors", "/etc/passwd", "gone.safetensors", 5, [], "", "\x00"):
        content = json.dumps({"weight_map": {"model.norm.weight": value}})

        def change(root: Path, content: str = content) -> None:
            (root / file).rename(root / "checkpoint" / "other.safetensors")
            (root / index).write_text(content)

        culprits = ("model.safetensors.index.json", "gone.safetensors")
        yield Bad("weights", f"index to {value!r}", BUILD, culprits, change)


def _tokenizers() -> Iterator[Bad]:
    name = "checkpoint/tokenizer.json"
    for path, values in {
        "model": (5, [], {}, {"type": "Nothing", "vocab": {}}),
        "model.vocab": (5, {"a": "x"}, {"a": -1}),
        "model.merges": (5, ["a"], [["no", "such"]]),
        "added_tokens": (5, [{"id": -1, "content": "x"}], [{"id": "x"}]),
        "pre_tokenizer": (
            5,
            {"type": "Nothing"},
            {"type": "Split", "pattern": {"Regex": "(["}, "behavior": "Isolated", "invert": False},
        ),
        "normalizer": (5, {"type": "Nothing"}),
        "decoder": (5, {"type": "Nothing"}),
        "post_processor": (5, []),
    }.items():
        for value in values:
            yield Bad("tokenizer", f"{path} = {value!r}", BUILD, ("tokenizer.json",), _edit(name, path, value))


TALK = ("generate", "b", "--chat", "--prompt", "hello", "--max-new-tokens", "2")


def _templates() -> Iterator[Bad]:
    for title, source in {
        "syntax": "{% if %}",
        "unknown tag": "{% nothing %}",
        "unfinished": "{{ messages",
        "endless": "{% for a in range(10**9) %}{% for b in range(10**9) %}x{% endfor %}{% endfor %}",
        "recursion": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "huge": "{{ 'x' * 10**10 }}",
        "zero": "{{ 1 / 0 }}",
        "attribute": "{{ x.y.z }}",
        "raises": "{{ raise_exception('no') }}",
        "class": "{{ ''.__class__.__mro__ }}",
        "include": "{% include 'a' %}",
        "filter": "{{ messages | nothing }}",
        "call": "{{ messages() }}",
        "numbers": "{{ 9 ** 9 ** 9 }}",
    }.items():
        yield Bad(
            "template",
            title,
            TALK,
            ("chat template", "chat_template"),
            _write("b/tokenizer/chat_template.jinja", source),
        )


# -- builds --------------------------------------------------------------------------------------------------------


def _recipes() -> Iterator[Bad]:
    arguments = (*BUILD, "--recipe", "recipe.json")
    yield from _broken_files("recipe", "recipe.json", arguments)
    yield Bad("recipe", "missing", (*BUILD, "--recipe", "gone.json"), ("gone.json",))
    for key, values in {
        "nothing": (1,),
        "capacity": (-1, "x", 1.5, [], 10**30),
        "chunk": (0, "x", []),
        "precision": ("x", 5, []),
        "cache": ("x", 5),
        "task": ("x", 5),
        "quantize": (5, "x", {"nothing": 1}),
        "target": ("x", 5),
        "graphs": ("x", 5),
    }.items():
        for value in values:
            content = json.dumps({key: value})
            yield Bad(
                "recipe",
                f"{key} = {value!r}",
                (*BUILD[:4], "--recipe", "recipe.json"),
                (key,),
                _write("recipe.json", content),
            )


def _settings() -> Iterator[Bad]:
    plain = BUILD[:4]
    for text, culprit in {
        "": "--set",
        "=": "--set",
        "capacity": "capacity",
        "nothing=1": "nothing",
        "capacity=x": "capacity",
        "capacity=-1": "capacity",
        "capacity=nan": "capacity",
        "capacity=1e99": "capacity",
        "quantize.nothing=1": "nothing",
        "quantize=5": "quantize",
        "quantize.block_size=7": "block_size",
        "quantize.block_size=x": "block_size",
        "target=x": "target",
        "graphs=x": "graphs",
        "place.head=x": "place",
        "opset=1": "opset",
        "opset=x": "opset",
        "quantize.exclude=5": "exclude",
        "session_options.all.x=1": "x",
        "kv_dtype=x": "kv_dtype",
        "a.b.c.d=1": "a",
        "__class__=1": "__class__",
        "\x1b[31m=1": "31m",
        "x" * 3000 + "=1": "xxx",
    }.items():
        yield Bad("--set", text[:30], (*plain, "--set", text), (culprit,))
    for option, values in {
        "--precision": ("x", ""),
        "--cache": ("x", ""),
        "--capacity": ("-1", "0", "x", "1e9"),
        "--chunk": ("-1", "0", "x"),
        "--task": ("x", ""),
        "--goal": ("x", "top1=x", "top1=2", "top1=nan", "kl=-1", "x=1", "top1"),
    }.items():
        for value in values:
            yield Bad("build", f"{option} {value}", (*plain, option, value), (option, option[2:]))


# -- bundles -------------------------------------------------------------------------------------------------------

INSPECT, VERIFY, GENERATE = ("inspect", "b"), ("verify", "b"), ("generate", "b", *PROMPT)


def _pipelines() -> Iterator[Bad]:
    name = "b/pipeline.json"
    for path, values in {
        "pipeline": (5, [], {}),
        "pipeline.sessions": (5, {}, {"a": 5}),
        "pipeline.sessions.decoder.file": ("../x", "gone.onnx", 5, ""),
        "pipeline.flow": (5, [], ["x"], [{"run": "gone"}]),
        "pipeline.dataflow": (5, [{"from": "a", "to": "b"}]),
        "pipeline.state": (5, []),
        "pipeline.state.kv_cache": (5, [], {"format": "x"}),
        "pipeline.state.kv_cache.past_key_pattern": ("x", "%d%d", "%n.%d", "%s", 5, ""),
        "metadata": (5, []),
        "metadata.vocabulary": (-1, "x"),
        "tokens": (5, []),
        "tokens.eos": ("x", -1, [None]),
        "generation": (5, []),
        "generation.max_length": (-1, "x", 10**30),
        "generation.sampling": (5, {"temperature": -1}, {"top_p": 7}),
        "version": (0, 99, "x", None),
        "surprise": (1,),
    }.items():
        for value in values:
            culprits = (path, path.rpartition(".")[2], "gone")
            yield Bad("pipeline", f"{path} = {value!r}", GENERATE, culprits, _edit(name, path, value))


def _bundles() -> Iterator[Bad]:
    yield from _broken_files("pipeline file", "b/pipeline.json", INSPECT)
    yield from _broken_files("manifest", "b/manifest.json", VERIFY)
    yield from _broken_files(
        "bundle's tokenizer", "b/tokenizer/tokenizer.json", ("generate", "b", "--prompt", "x"), ("a key twice",)
    )
    for command in (INSPECT, VERIFY, GENERATE):
        yield Bad("bundle", f"{command[0]}: graph cut short", command, ("decoder.onnx",), _cut("b/decoder.onnx", 1000))
        yield Bad("bundle", f"{command[0]}: graph empty", command, ("decoder.onnx",), _write("b/decoder.onnx", b""))
        yield Bad("bundle", f"{command[0]}: graph a folder", command, ("decoder.onnx",), _folder("b/decoder.onnx"))
        yield Bad("bundle", f"{command[0]}: weights cut short", command, ("weights.data",), _cut("b/weights.data", 100))
        yield Bad(
            "bundle",
            f"{command[0]}: weights gone",
            command,
            ("weights.data",),
            lambda root: (root / "b/weights.data").unlink(),
        )


def _proto(change: Callable[[Any], object]) -> Change:
    def make(root: Path) -> None:
        import onnx

        model = onnx.load(root / "b" / "decoder.onnx", load_external_data=False)
        change(model)
        (root / "g.onnx").write_bytes(model.SerializeToString())
        shutil.copyfile(root / "b" / "weights.data", root / "weights.data")

    return make


def _graphs() -> Iterator[Bad]:
    for title, content in {"empty": b"", "garbage": b"garbage" * 9, "text": b"{}", "zeros": bytes(999)}.items():
        yield Bad("graph", title, ("inspect", "g.onnx"), ("g.onnx",), _write("g.onnx", content))
    for title, change in {
        "no operator": lambda model: setattr(model.graph.node[0], "op_type", ""),
        "unknown operator": lambda model: setattr(model.graph.node[0], "op_type", "Nothing"),
        "no opset": lambda model: setattr(model.opset_import[0], "version", -1),
        "dtype of a weight": lambda model: setattr(model.graph.initializer[0], "data_type", 999),
        "dtype of an input": lambda model: setattr(model.graph.input[0].type.tensor_type, "elem_type", 999),
        "output from nowhere": lambda model: setattr(model.graph.output[0], "name", "gone"),
        "input from nowhere": lambda model: model.graph.node[0].input.__setitem__(0, "gone"),
        "a node twice": lambda model: model.graph.node.append(model.graph.node[0]),
        "no output": lambda model: model.graph.ClearField("output"),
        "a cycle": lambda model: model.graph.node[0].input.__setitem__(0, model.graph.node[-1].output[0]),
    }.items():
        culprits = ("g.onnx", "cycle")
        yield Bad("graph", title, ("inspect", "g.onnx"), culprits, _proto(change))
    for path in ("gone.onnx", "checkpoint/config.json", "", "b/weights.data", "checkpoint"):
        yield Bad("graph", f"inspect {path}", ("inspect", path), (path or "neither", "pipeline.json"))
    yield Bad("graph", "component", ("inspect", "b", "--component", "gone"), ("gone",))
    yield Bad("graph", "stage", ("inspect", "b", "--stage", "gone"), ("gone",))
    yield Bad("graph", "diff", ("inspect", "--diff", "b", "gone"), ("gone",))
    yield Bad("graph", "picture", ("inspect", "b", "--picture", "x.bmp"), ("x.bmp",))


def _genai() -> Iterator[Bad]:
    name, arguments = "g/genai_config.json", ("import", "g", "--out", "out")
    config: dict[str, Any] = {
        "model": {
            "type": "qwen3",
            "vocab_size": 1024,
            "context_length": 64,
            "eos_token_id": 1,
            "decoder": {"filename": "model.onnx", "inputs": {}, "outputs": {}},
        }
    }

    def with_graph(content: str | bytes) -> Change:
        def change(root: Path) -> None:
            _write(name, content)(root)
            shutil.copyfile(root / "b" / "decoder.onnx", root / "g" / "model.onnx")
            shutil.copyfile(root / "b" / "weights.data", root / "g" / "weights.data")

        return change

    for title, content in NO_JSON.items():
        yield Bad("genai", title, arguments, ("genai_config.json",), _write(name, content))
    for path, values in {
        "model.type": (5, ""),
        "model.vocab_size": (-1, "x"),
        "model.decoder": (5, []),
        "model.decoder.filename": ("../x", 5, "gone.onnx"),
        "model.decoder.inputs": (5, {"nothing": "x"}, {"past_key_names": "%n%d"}, {"past_key_names": "x"}),
        "model.context_length": (-1, "x"),
        "search": (5, {"top_p": 7}),
        "surprise": ({"a": 1},),
        "version": (9,),
    }.items():
        for value in values:
            altered = json.loads(json.dumps(config))
            *parents, last = path.split(".")
            here = altered
            for key in parents:
                here = here[key]
            here[last] = value
            culprits = (path, "gone.onnx")
            yield Bad("genai", f"{path} = {value!r}", arguments, culprits, with_graph(json.dumps(altered)))
    yield Bad("genai", "missing", ("import", "gone", "--out", "out"), ("gone",))
    yield Bad("genai", "a file", ("import", "b/pipeline.json", "--out", "out"), ("pipeline.json",))
    yield Bad("genai", "export of nothing", ("export-genai", "gone", "--out", "out"), ("gone",))


def _assemblies() -> Iterator[Bad]:
    for words, culprit in {
        ("x",): "x",
        ("=b/decoder.onnx",): "=b",
        ("a=",): "a=",
        ("a=gone.onnx",): "gone.onnx",
        ("a.b=b/decoder.onnx",): "a.b",
        ("a=b/decoder.onnx", "a=b/decoder.onnx"): "a",
        ("a=checkpoint/config.json",): "config.json",
        ("a=b",): "b",
        ("decoder=b/decoder.onnx", "--pipeline", "gone.json"): "gone.json",
        ("decoder=b/decoder.onnx", "--tokenizer", "gone"): "gone",
        ("decoder=b/decoder.onnx", "--pipeline", "b/manifest.json"): "manifest.json",
        ("\x1b[31m=b/decoder.onnx",): "31m",
        ("../a=b/decoder.onnx",): "../a",
    }.items():
        yield Bad("assemble", " ".join(words), ("assemble", *words, "--out", "out"), (culprit,))


# -- generation ----------------------------------------------------------------------------------------------------


def _constraints() -> Iterator[Bad]:
    for option, contents in {
        "--json-schema": (
            "",
            "{",
            "5",
            '{"type": "nothing"}',
            '{"$ref": "http://x/y"}',
            '{"type": "string", "pattern": "(["}',
            b"\xff",
        ),
        "--grammar": ("", "start: nothing", "start: /([/", "garbage", b"\xff\xfe"),
        "--logits": (
            "",
            "{}",
            "5",
            "[5]",
            '[{"op": "nothing"}]',
            '[{"op": "top_k", "value": "x"}]',
            '[{"op": "top_k"}]',
            b"\xff",
        ),
        "--prompt-file": (b"\xff\xfe", ""),
        "--tools": ("", "{}", "[5]", b"\xff"),
    }.items():
        for content in contents:
            prompt = (
                ("--chat", "--prompt", "x")
                if option == "--tools"
                else ()
                if option == "--prompt-file"
                else ("--prompt", "x")
            )
            named = (option[2:], option[2:].replace("-", "_"), "JSON schema", "own.file", "chain.0", "prompt is empty")
            yield Bad(
                "constraint",
                f"{option} {content!r}",
                ("generate", "b", *prompt, option, "own.file"),
                named,
                _write("own.file", content),
            )
        bundle = ("generate", "b", *(() if option == "--prompt-file" else ("--prompt", "x")))
        yield Bad("constraint", f"{option} missing", (*bundle, option, "gone.file"), ("gone.file",))
        yield Bad("constraint", f"{option} a folder", (*bundle, option, "checkpoint"), ("checkpoint",))
        yield Bad("constraint", f"{option} a pipe", (*bundle, option, "own.file"), ("own.file",), _pipe("own.file"))
    for regex in ("([", "*", "(?P<a", "a{9999999}"):
        yield Bad(
            "constraint",
            f"--regex {regex}",
            ("generate", "b", "--prompt", "x", "--regex", regex),
            ("regex", "regular expression"),
        )
    prompts = ("eval", "b", "--against", "b", "--prompts")
    for title, change in {
        "missing": lambda root: None,
        "a folder": _folder("own.file"),
        "bytes": _write("own.file", b"\xff\xfe\x00"),
        "empty": _write("own.file", ""),
        "a pipe": _pipe("own.file"),
    }.items():
        yield Bad("prompts", title, (*prompts, "own.file"), ("own.file",), change)
    task = ("eval", "b", "--against", "b", "--task-file")
    yield Bad("task file", "a pipe", (*task, "own.jsonl"), ("own.jsonl",), _pipe("own.jsonl"))
    piped = ("assemble", "decoder=b/decoder.onnx", "--pipeline", "own.json", "--out", "out")
    yield Bad("assemble", "a pipeline that is a pipe", piped, ("own.json",), _pipe("own.json"))
    for content in ("", "{", "5", '{"nothing": 1}', b"\xff"):
        yield Bad("task file", repr(content), (*task, "own.jsonl"), ("own.jsonl",), _write("own.jsonl", content))


def _options() -> Iterator[Bad]:
    for option, values in {
        "--max-new-tokens": ("-1", "0", "x", "1e9", ""),
        "--temperature": ("-1", "nan", "inf", "x"),
        "--top-k": ("-1", "x", "1.5"),
        "--top-p": ("-1", "2", "nan", "x"),
        "--min-p": ("-1", "2", "nan"),
        "--repetition-penalty": ("0", "-1", "nan", "inf"),
        "--seed": ("-1", "x"),
        "--capacity": ("-1", "0", "x"),
        "--beams": ("0", "-1", "x", "100000"),
        "--length-penalty": ("nan", "x"),
        "--early-stopping": ("x",),
        "--cache": ("x", ""),
        "--provider": ("x", "", "\x1b[31m"),
        "--device-option": ("x", "="),
        "--session-option": ("x", "a=b", "intra_op_num_threads=x"),
        "--place": ("x", "gone=cpu", "decoder=x"),
        "--draft": ("gone", "checkpoint"),
        "--draft-tokens": ("0", "-1", "x"),
        "--acceptance": ("x",),
        "--guidance": ("nan", "x", "-1"),
        "--amateur": ("gone",),
        "--alpha": ("nan", "x"),
        "--target-language": ("x",),
        "--nothing": ("x",),
    }.items():
        for value in values:
            named = option[2:]
            more = ("--amateur", "b") if option == "--alpha" else ("--alpha", "0.5") if option == "--amateur" else ()
            more = ("--ngram",) if option in ("--draft-tokens", "--acceptance") else more
            culprits = (option, named, named.replace("-", "_"), named.replace("-", " "), "num_beams", value or "''")
            yield Bad(
                "option", f"{option} {value}", (*GENERATE[:4], "--max-new-tokens", "2", *more, option, value), culprits
            )
    for ids in ("", "x", "1,,2", "-1", "1.5", "99999999", str(1 << 70), "1;2", "NaN"):
        yield Bad("option", f"--prompt-ids {ids}", ("generate", "b", "--prompt-ids", ids), ("--prompt-ids", "prompt"))
    for command, option, values in (
        ("bench", "--repeats", ("0", "-1", "x")),
        ("bench", "--prompt-tokens", ("0", "-1", "99999999")),
        ("bench", "--new-tokens", ("-1", "x")),
        ("bench", "--provider", ("x",)),
        ("profile", "--nothing", ("1",)),
        ("preflight", "--provider", ("x", "")),
        ("compile", "--provider", ("x", "cpu")),
    ):
        for value in values:
            named = (option, option[2:], option[2:].replace("-", " "), option[2:].replace("-", "_"), value or "''")
            yield Bad("option", f"{command} {option} {value}", (command, "b", option, value), named)


def _stores() -> Iterator[Bad]:
    for arguments, culprit in {
        ("runs", "show", "nothing"): "nothing",
        ("runs", "compare", "a", "b"): "a",
        ("runs", "prune", "--keep", "-1"): "keep",
        ("runs", "prune", "--keep", "x"): "keep",
        ("runs", "prune", "--before", "x"): "before",
        ("runs", "export", "nothing", "--out", "r.html"): "nothing",
        ("runs", "list", "--kind", "x"): "kind",
        ("cache", "limit", "x"): "x",
        ("cache", "limit", "-1"): "-1",
        ("plugins", "allow", "nothing"): "nothing",
        ("plugins", "allow", "\x1b[31m"): "31m",
        ("report", "gone", "--out", "r.html"): "gone",
        ("report", "b", "--out", "r.xyz"): "r.xyz",
        ("nothing",): "nothing",
        ("diverge", "b", "gone", "--prompt", "x"): "gone",
    }.items():
        yield Bad("store", " ".join(arguments), arguments, (culprit,))
    for title in ("empty", "cut short", "a list", "bytes"):
        content = NO_JSON[title]
        yield Bad(
            "store",
            f"plugins.json is {title}",
            ("plugins", "list"),
            ("plugins.json",),
            _write("home/plugins.json", content),
        )
