"""The kinds of files that come from elsewhere: how each is changed, and what a person does with it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.faults.mutants import building, chatting, keeping, packing
from tests.faults.mutants.edits import change_path
from tests.faults.mutants.lines import RefusedError, line
from tests.faults.mutants.protos import change_model
from tests.workflows.interop import peers
from workflows.bundle.manifest import MANIFEST, write_manifest
from workflows.graph.tensor_statistics import describe_tensor
from workflows.inspection.opened_graph import GraphCache, GraphLocation
from workflows.wire.events import ResultEvent

Change = Callable[[Path, random.Random], str]
_PROMPT = ("--prompt-ids", "5,17,29,11", "--max-new-tokens", "3")


@dataclass(frozen=True)
class Kind:
    """lay: the sound files, in an empty folder. change: makes a mutant of a copy, and says how. use: what a person does
    with it; what it said besides. Raises RefusedError, and anything else for a finding.
    """

    name: str
    lay: Callable[[Path], object]
    change: Change
    use: Callable[[Path], list[str]]


def _change(path: Path, chances: random.Random) -> str:
    if path.suffix != ".onnx":
        return change_path(path, chances)
    data, told = change_model(path.read_bytes(), chances)
    path.write_bytes(data)
    return told


# -- bundles -------------------------------------------------------------------------------------------------------


def _looked_at(bundle: Path) -> list[str]:
    """verify, then inspect, then a few tokens. Raises RefusedError where nothing of it can be had."""
    said = list[str]()
    for arguments in (("verify", bundle), ("inspect", bundle), ("generate", bundle, *_PROMPT)):
        said += line(*arguments)
    return said


def _use_bundle(root: Path) -> list[str]:
    """As someone would who wrote the manifest anew."""
    write_manifest(root / "b")
    return _looked_at(root / "b")


def _use_altered(root: Path) -> list[str]:
    """As it lies there: inspect and generate read what verify would refuse."""
    told, refused = list[str](), list[RefusedError]()
    for arguments in (("verify", root / "b"), ("inspect", root / "b"), ("generate", root / "b", *_PROMPT)):
        try:
            told += line(*arguments)
        except RefusedError as error:
            refused.append(error)
    if refused:
        raise refused[0]
    return told


def _use_graph(root: Path) -> list[str]:
    """The file alone, as the window draws it and as a bundle that has it."""
    said = line("inspect", root / "b" / "decoder.onnx")
    opened = GraphCache().open(GraphLocation(root / "b" / "decoder.onnx"))
    ResultEvent(value=opened.report()).to_line(1)
    for tensor in list(opened.file.proto.graph.initializer)[:4]:
        describe_tensor(opened.file, tensor.name)
    return said + _use_bundle(root)


def _use_tokenizer(root: Path) -> list[str]:
    """In the checkpoint, which is built, and in a bundle that is there; both are talked with."""
    said = building.build(root)
    write_manifest(root / "b")
    for bundle in (root / "out", root / "b"):
        said += line("verify", bundle)
        for arguments in (("--prompt", "The forest"), ("--chat", "--prompt", "What is it?")):
            said += line("generate", bundle, *arguments, "--max-new-tokens", "3")
    return said


def _change_words(root: Path, chances: random.Random) -> str:
    """One of the files about text, and the same change in the bundle's."""
    names = ("tokenizer.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja",
             "generation_config.json")  # fmt: skip
    name = chances.choice(names)
    told = _change(root / "checkpoint" / name, chances)
    shutil.copyfile(root / "checkpoint" / name, root / "b" / "tokenizer" / name)
    return f"{name}: {told}"


# -- genai's folders -----------------------------------------------------------------------------------------------

_PEERS = (peers.single, peers.grouped, peers.combined, peers.staged, peers.split, peers.renamed)


def _lay_peers(root: Path) -> None:
    for make in _PEERS:
        (root / make.__name__).mkdir()
        make(root / make.__name__)
    shutil.copytree(root / "single", root / "peer")


def _change_peer(root: Path, chances: random.Random) -> str:
    name = chances.choice(_PEERS).__name__
    shutil.rmtree(root / "peer")
    (root / name).rename(root / "peer")
    graphs = sorted(path.name for path in (root / "peer").glob("*.onnx"))
    file = "genai_config.json" if chances.random() < 0.7 else chances.choice(graphs)
    return f"{name}/{file}: {_change(root / 'peer' / file, chances)}"


def _use_peer(root: Path) -> list[str]:
    """Imported and run; one that cannot be imported may still be looked at where it lies."""
    try:
        said = line("import", root / "peer", "--out", root / "out")
    except RefusedError as refusal:
        for arguments in (("inspect", root / "peer"), ("generate", root / "peer", *_PROMPT)):
            with suppress(RefusedError):
                line(*arguments)
        raise refusal from None
    return said + _looked_at(root / "out")


KINDS = (
    Kind("config.json", building.lay, lambda root, chances: _change(root / "checkpoint" / "config.json", chances),
         building.build_and_run),
    Kind("safetensors", building.lay,
         lambda root, chances: _change(root / "checkpoint" / "model.safetensors", chances), building.build),
    Kind("gguf", building.lay_gguf, building.change_gguf, building.build),
    Kind("quantized", packing.lay_quantized, packing.change_quantized, packing.build_quantized),
    Kind("adapter", packing.lay_adapter, packing.change_adapter, packing.build_adapted),
    Kind("tokenizer", building.lay, _change_words, _use_tokenizer),
    Kind("onnx", building.lay, lambda root, chances: _change(root / "b" / "decoder.onnx", chances), _use_graph),
    Kind("pipeline.json", building.lay, lambda root, chances: _change(root / "b" / "pipeline.json", chances),
         _use_bundle),
    Kind("manifest.json", building.lay, lambda root, chances: _change(root / "b" / MANIFEST, chances), _use_altered),
    Kind("chats", chatting.lay, chatting.change, chatting.use),
    Kind("history", keeping.lay, keeping.change, keeping.use),
    Kind("genai", _lay_peers, _change_peer, _use_peer),
)  # fmt: skip
