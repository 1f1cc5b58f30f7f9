"""Folders and demos: what a good one says, and the sentence for each bad one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.checkpoint.making import CONFIG, files, safetensors, tensors, write
from workflows.checkpoint import Checkpoint, TensorInfo, demos, open_checkpoint
from workflows.common.errors import Cancelled, CheckpointError
from workflows.wire.events import Event, ProgressEvent

INDEX = "model.safetensors.index.json"


def opened(folder: Path, **changes: bytes | None) -> Checkpoint:
    return open_checkpoint(str(write(folder, files(**changes))))


def sentence(folder: Path, contents: dict[str, bytes]) -> str:
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(str(write(folder, contents)))
    text = str(caught.value)
    assert text.endswith(".") and text.isprintable() and len(text) < 400
    assert caught.value.exit_code == 2
    return text


def test_a_good_folder(tmp_path: Path) -> None:
    found = opened(tmp_path)
    assert (found.kind, found.folder, found.source, found.revision) == ("folder", tmp_path, str(tmp_path), "")
    assert (found.model_type, found.architectures) == ("qwen3", ("Qwen3ForCausalLM",))
    assert found.tensors == {
        "embed": TensorInfo("float32", (2,), "model.safetensors", 8),
        "head": TensorInfo("float32", (2,), "model.safetensors", 8),
    }
    assert (found.dtype, found.parameters, found.weights_bytes) == ("float32", 4, 16)
    assert (found.eos_token_ids, found.bos_token_id, found.pad_token_id) == ((7, 9), None, 0)
    tokenizer = found.tokenizer
    assert tokenizer is not None
    assert (tokenizer.kind, tokenizer.vocabulary, tokenizer.chat_template, tokenizer.fast) == ("bpe", 10, True, True)
    assert found.remote_code == {}
    found.require_consent(trust_remote_code=False)


def test_the_library_reads_the_same_header(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    from safetensors.numpy import save_file

    arrays = {"a": numpy.ones((2, 3), numpy.float16), "b": numpy.array(3), "c": numpy.zeros((0, 4), bool)}
    write(tmp_path, files())
    save_file(arrays, tmp_path / "model.safetensors", metadata={"format": "pt"})
    found = open_checkpoint(str(tmp_path))
    assert {name: (one.dtype, one.shape) for name, one in found.tensors.items()} == {
        "a": ("float16", (2, 3)),
        "b": ("int64", ()),
        "c": ("bool", (0, 4)),
    }


def test_shards(tmp_path: Path) -> None:
    index = {"weight_map": {"embed": "model-1.safetensors", "head": "model-2.safetensors"}}
    write(tmp_path, {"model-1.safetensors": tensors("embed"), "model-2.safetensors": tensors("head")})
    found = opened(tmp_path, model__safetensors=None, **{INDEX: json.dumps(index).encode()})
    assert found.weight_files == ("model-1.safetensors", "model-2.safetensors")
    assert INDEX in found.files


def test_the_demo_that_comes_along() -> None:
    if "qwen3" not in demos():
        pytest.skip("the demo is not trained yet")
    found = open_checkpoint("demo:qwen3")
    assert (found.kind, found.model_type, found.remote_code) == ("demo", "qwen3", {})
    assert found.tokenizer is not None and found.tokenizer.chat_template


def test_an_unknown_demo_lists_what_there_is() -> None:
    with pytest.raises(CheckpointError, match=r"^There is no demo 'no�pe'; there is: .+\.$"):
        open_checkpoint("demo:no\x1bpe")


@pytest.mark.parametrize("source", ["/no/such/folder", "./missing", "a/b/c", "~/no-such-folder-here", "C:\\no", "x/"])
def test_a_folder_that_is_not_there(source: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(source)
    assert str(caught.value).startswith(f"There is no folder {source}; give a checkpoint's folder, demo:NAME, or")


def test_no_source_at_all() -> None:
    with pytest.raises(CheckpointError, match=r"^No checkpoint was named"):
        open_checkpoint("")


@pytest.mark.parametrize("source", ["a\0b", "a\nb"])
def test_a_source_that_cannot_be_printed_is_named(source: str) -> None:
    with pytest.raises(CheckpointError, match=r"^'a\ufffdb' has unprintable characters"):
        open_checkpoint(source)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    path = write(tmp_path, {"m.onnx": b"x"}) / "m.onnx"
    with pytest.raises(
        CheckpointError, match=r"m.onnx is a file; give the folder .*, or a model in GGUF \(\.gguf\)\.$"
    ):
        open_checkpoint(str(path))


def test_a_folder_has_no_revision(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="has no revisions"):
        open_checkpoint(str(write(tmp_path, files())), revision="main")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, "has no config.json, so it is not a checkpoint; give the folder that holds it."),
        (b"{", "'config.json' is not JSON, so the checkpoint is damaged; copy or download it again."),
        (b"\xff\xfe\xff", "'config.json' is not JSON"),
        (b"[" * 100_000, "'config.json' is not JSON"),
        (b'{"model_type": "x", "a": {"b": 1, "c": 2, "b": 1}}', "'config.json' has the key 'b' twice, which leaves"),
        (b"[]", "'config.json' is not a JSON object"),
        (b'{"a": "' + b"x" * (9 << 20) + b'"}', "'config.json' is larger than 8 MiB"),
        (b"{}", "'config.json' has no model_type"),
        (b'{"model_type": "../x"}', "'config.json' has no model_type"),
        (b'{"model_type": "x", "architectures": ["os.system"]}', "not a list of class names"),
        (b'{"model_type": "x", "eos_token_id": "\\u001b[2J"}', "eos_token_id is '�[2J', which is not a token id"),
    ],
)
def test_bad_configs(tmp_path: Path, config: bytes | None, expected: str) -> None:
    contents = files(config__json=config, generation_config__json=None)
    assert expected in sentence(tmp_path, contents)


@pytest.mark.parametrize(
    "entry",
    [
        {"attn_implementation": "evil/kernel"},
        {"text_config": {"_attn_implementation": {"": "evil/kernel:f"}}},
        {"experts_implementation": "evil/kernel"},
        {"transformers_weights": "../../x.safetensors"},
        {"tokenizer_class": "../x"},
    ],
)
def test_a_config_may_not_name_what_is_outside(tmp_path: Path, entry: dict[str, Any]) -> None:
    text = sentence(tmp_path, files(config__json=json.dumps(CONFIG | entry).encode()))
    assert "which would load something from outside the checkpoint's own files" in text


def test_what_a_config_may_name(tmp_path: Path) -> None:
    named = {"attn_implementation": "sdpa", "_attn_implementation_autoset": True, "tokenizer_class": "Qwen2Tokenizer"}
    opened(tmp_path, config__json=json.dumps(CONFIG | named).encode())


GOOD = {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}


def entry(**changes: Any) -> dict[str, Any]:
    return {"a": GOOD["a"] | changes}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "it ends before its header does, so it is cut short"),
        (safetensors(GOOD, bytes(8))[:20], "it ends before its header does, so it is cut short"),
        (safetensors(GOOD, bytes(8), length=1 << 63), "it ends before its header does"),
        (safetensors(GOOD, bytes(7)), "its data ends before the tensor 'a' does, so it is cut short"),
        (safetensors(GOOD, bytes(9)), "it holds 1 bytes that belong to no tensor"),
        (safetensors("[1]"), "its header is not JSON"),
        (safetensors('{"a": '), "is not JSON"),
        (safetensors('{"a": {"dtype": 1, "dtype": 2}}'), "has the key 'dtype' twice"),
        (safetensors(json.dumps(GOOD)[:-1] + ", " + json.dumps(GOOD)[1:], bytes(8)), "has the key 'a' twice"),
        (safetensors({"a": [1]}), "is not described by dtype, shape and data_offsets"),
        (safetensors(entry(extra=1), bytes(8)), "is not described by dtype, shape and data_offsets"),
        (safetensors(entry(dtype="Q9"), bytes(8)), "has the unknown dtype 'Q9'"),
        (safetensors(entry(dtype=["F32"]), bytes(8)), "has the unknown dtype"),
        (safetensors(entry(shape=[-2]), bytes(8)), "has a shape or offsets that are not counts"),
        (safetensors(entry(shape=[True, 2]), bytes(8)), "has a shape or offsets that are not counts"),
        (safetensors(entry(shape=[1 << 62] * 60), bytes(8)), "has 8 bytes where its shape needs"),
        (safetensors(entry(data_offsets=[8, 0]), bytes(8)), "has a shape or offsets that are not counts"),
        (safetensors(entry(data_offsets=[1 << 40, (1 << 40) + 8]), bytes(8)), "so it is cut short"),
        (safetensors(entry(shape=[3]), bytes(8)), "has 8 bytes where its shape needs 12"),
        (safetensors(GOOD | {"b": GOOD["a"]}, bytes(8)), "its tensor 'b' overlaps the tensor before it"),
        (safetensors(entry(data_offsets=[4, 12]), bytes(12)), "its tensor 'a' leaves a gap before it"),
        (safetensors(GOOD | {"__metadata__": {"a": 1}}, bytes(8)), "its metadata is not an object of strings"),
        (safetensors({}), "hold no tensor"),
    ],
)
def test_bad_safetensors(tmp_path: Path, content: bytes, expected: str) -> None:
    assert expected in sentence(tmp_path, files(model__safetensors=content))


def test_a_header_over_the_limit(tmp_path: Path) -> None:
    folder = write(tmp_path, files(model__safetensors=safetensors("{", length=100_000_001)))
    with (folder / "model.safetensors").open("ab") as file:
        file.truncate(200_000_000)  # sparse: the size is there, the bytes are not
    with pytest.raises(CheckpointError, match="its header is larger than 100 MB"):
        open_checkpoint(str(folder))


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (b"{}", "has no weight_map"),
        (b'{"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}}', "has the key 'a' twice"),
        (b'{"weight_map": {"embed": "gone.safetensors"}}', "names 'gone.safetensors', which is missing; download"),
        (b'{"weight_map": {"embed": "../x.safetensors"}}', "names '../x.safetensors', which is not a safetensors"),
        (b'{"weight_map": {"embed": "/x.safetensors"}}', "which is not a safetensors file inside the folder"),
        (b'{"weight_map": {"embed": "..\\\\x.safetensors"}}', "which is not a safetensors file inside the folder"),
        (b'{"weight_map": {"embed": "one.bin"}}', "which is not a safetensors file inside the folder"),
        (b'{"weight_map": {"other": "one.safetensors"}}', "'one.safetensors' lacks the tensor 'other'"),
        (
            b'{"weight_map": {"embed": "one.safetensors", "b": "two.safetensors"}}',
            "The tensor 'embed' is in 'one.safetensors' and in 'two.safetensors'",
        ),
    ],
)
def test_bad_indexes(tmp_path: Path, index: bytes, expected: str) -> None:
    shards = {"one.safetensors": tensors("embed"), "two.safetensors": tensors("embed")}
    assert expected in sentence(tmp_path, files(model__safetensors=None) | shards | {INDEX: index})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "tf_model.h5",
            "'tf_model.h5', a format that can run code when it is opened and that is read under the names ",
        ),
        ("model.gguf", "'model.gguf' is not a GGUF file, for it does not begin as one"),
        ("adapter_config.json", "is an adapter and not a whole model: give its base with it"),
        ("consolidated.safetensors", "has 'consolidated.safetensors' but neither 'model.safetensors' nor"),
        ("README.md", "The checkpoint has no weights: 'model.safetensors' is missing"),
    ],
)
def test_no_usable_weights(tmp_path: Path, name: str, expected: str) -> None:
    assert expected in sentence(tmp_path, files(model__safetensors=None) | {name: b"{}"})


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs, and links need a right")
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json", "merges.txt"])
def test_pipes_devices_and_links_are_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, files())
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    assert f"'{name}' is a pipe where a file should be" in sentence(tmp_path, {})
    for target, expected in (("/dev/zero", "leaves the checkpoint's folder"), ("gone", "is missing from")):
        (tmp_path / name).unlink()
        (tmp_path / name).symlink_to(target)
        assert f"'{name}'" in sentence(tmp_path, {}) and expected in sentence(tmp_path, {})


def nesting(path: str) -> bytes:
    return json.dumps([{"type": "sentence_transformers.models.Transformer", "path": path}]).encode()


@pytest.mark.parametrize("path", ["../other", "/etc", "a/../../other", "C:\\other"])
def test_a_model_s_folder_is_within_the_checkpoint_s(tmp_path: Path, path: str) -> None:
    write(tmp_path / "other", files())
    folder = write(tmp_path / "c", files() | {"modules.json": nesting(path)})
    with pytest.raises(CheckpointError, match=r"'modules\.json' is no list of modules with type and path"):
        open_checkpoint(str(folder))


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right")
def test_a_link_to_a_model_s_folder_elsewhere_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "other", files())
    folder = write(tmp_path / "c", {"modules.json": nesting("0_Transformer")})
    (folder / "0_Transformer").symlink_to(tmp_path / "other")
    with pytest.raises(CheckpointError, match="'0_Transformer' is a link that leaves the checkpoint's folder"):
        open_checkpoint(str(folder))


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right")
def test_links_inside_the_folder_and_the_hub_s_layout(tmp_path: Path) -> None:
    inside = write(tmp_path / "inside", files(model__safetensors=None) | {"data/w.safetensors": tensors("a")})
    (inside / "model.safetensors").symlink_to("data/w.safetensors")
    assert open_checkpoint(str(inside)).parameters == 2

    snapshot = write(tmp_path / "models--o--m" / "snapshots" / "c0ffee", files(model__safetensors=None))
    write(tmp_path / "models--o--m" / "blobs", {"ab12": tensors("a")})
    (snapshot / "model.safetensors").symlink_to("../../blobs/ab12")
    assert open_checkpoint(str(snapshot)).parameters == 2

    nested = write(tmp_path / "models--o--m" / "snapshots" / "b0b", {"modules.json": nesting("0_Transformer")})
    write(nested / "0_Transformer", files(model__safetensors=None))
    (nested / "0_Transformer" / "model.safetensors").symlink_to("../../../blobs/ab12")
    found = open_checkpoint(str(nested))
    assert (found.parameters, found.root, found.folder) == (2, nested, nested / "0_Transformer")

    outside = write(tmp_path / "outside", files(model__safetensors=None))
    (outside / "model.safetensors").symlink_to(snapshot / "model.safetensors")
    assert "leaves the checkpoint's folder" in sentence(outside, {})


@pytest.mark.parametrize(
    ("tokenizer", "expected"),
    [
        (b"{", "'tokenizer.json' is not JSON"),
        (b'{"model": {}}', "'tokenizer.json' holds no vocabulary"),
        (b'{"model": {"type": "Mystery", "vocab": {}}}', "is of an unknown kind"),
        (b'{"model": {"type": "BPE", "vocab": {"a": "x"}}}', "has ids that are not integers"),
    ],
)
def test_bad_tokenizers(tmp_path: Path, tokenizer: bytes, expected: str) -> None:
    assert expected in sentence(tmp_path, files(tokenizer__json=tokenizer))


def test_other_tokenizers(tmp_path: Path) -> None:
    found = opened(tmp_path / "slow", tokenizer__json=None, tokenizer__model=b"x", tokenizer_config__json=None)
    assert found.tokenizer is not None
    assert (found.tokenizer.kind, found.tokenizer.fast, found.tokenizer.chat_template) == (
        "sentencepiece",
        False,
        False,
    )
    assert opened(tmp_path / "none", tokenizer__json=None).tokenizer is None
    unigram = b'{"model": {"type": "Unigram", "vocab": [["a", -1.0], ["b", -2.0]]}}'
    found = opened(tmp_path / "unigram", tokenizer__json=unigram)
    assert found.tokenizer is not None and (found.tokenizer.kind, found.tokenizer.vocabulary) == ("unigram", 2)


def test_the_digest_is_of_the_contents(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "one"), opened(tmp_path / "two", README__md=b"another card")
    assert first.digest == second.digest and len(first.digest) == 64
    other = opened(tmp_path / "three", model__safetensors=tensors("embed", "tail"))
    assert other.digest != first.digest


def test_the_digest_sees_a_change_behind_the_cache(tmp_path: Path) -> None:
    before = opened(tmp_path).digest
    body = bytearray((tmp_path / "model.safetensors").read_bytes())
    body[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(body)
    assert open_checkpoint(str(tmp_path)).digest != before


def test_the_digest_reports_and_can_be_cancelled(tmp_path: Path) -> None:
    found, told = opened(tmp_path), list[Event]()
    with pytest.raises(Cancelled):
        found.compute_digest(cancelled=lambda: True)
    found.compute_digest(told.append)
    last = told[-1]
    assert isinstance(last, ProgressEvent) and last.stage == "checkpoint" and last.done == last.total > 0


def test_no_socket_and_nothing_heavy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    opened(tmp_path)
    program = (
        "import sys; from workflows.checkpoint import open_checkpoint; open_checkpoint(sys.argv[1]).digest;"
        "heavy = {'torch', 'transformers', 'safetensors', 'huggingface_hub', 'numpy'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, cwd=root, timeout=60)
