"""The tokenizer in a bundle encodes and decodes as transformers' AutoTokenizer does on the checkpoint's folder."""

from __future__ import annotations

import base64
import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from tests.workflows.builder.pieces import texts as texts_of_scripts
from tests.workflows.builder.pieces import trained
from tests.workflows.bundle.making import bundle
from tests.workflows.generate.tokenizers import CORPUS, byte_fallback, byte_level, unigram, word_piece
from workflows.builder import BuildRequest, build
from workflows.builder.tokenizer import check_tokenizer, take_tokenizer, write_tokenizer
from workflows.bundle import read_bundle
from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.common.errors import CheckpointError
from workflows.generate.chat_template import ChatTemplate
from workflows.generate.tokenizer import BundleTokenizer, tokenizer_settings
from workflows.wire.events import Event, NoticeEvent, StageEvent

GENERIC = {"tokenizer_class": "PreTrainedTokenizerFast"}
TOOL = {"content": "<tool>", "special": False, "lstrip": False, "rstrip": True, "normalized": False}
END = {"content": "<|im_end|>", "special": True, "lstrip": False, "rstrip": False, "normalized": False}
CASES: dict[str, tuple[Callable[[], Tokenizer], dict[str, Any]]] = {
    "bytes": (byte_level, GENERIC),
    "bytes with a space before": (byte_level, {**GENERIC, "add_prefix_space": True}),
    "bytes of Qwen's class": (byte_level, {"tokenizer_class": "Qwen2Tokenizer", "eos_token": "<|end|>"}),
    "bytes of GPT-2's class": (byte_level, {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True}),
    "bytes cleaned up": (byte_level, {**GENERIC, "clean_up_tokenization_spaces": True}),
    "tokens in the settings": (byte_level, {**GENERIC, "added_tokens_decoder": {"302": TOOL, "303": END}}),
    "special tokens as text": (byte_level, {**GENERIC, "split_special_tokens": True}),
    "fallback": (byte_fallback, {**GENERIC, "bos_token": "<s>", "eos_token": "</s>"}),
    "fallback without bos": (
        byte_fallback,
        {**GENERIC, "bos_token": "<s>", "eos_token": "</s>", "add_bos_token": False, "add_eos_token": True},
    ),
    "fallback of Llama's class": (
        byte_fallback,
        {"tokenizer_class": "LlamaTokenizer", "legacy": False, "bos_token": "<s>", "eos_token": "</s>"},
    ),
    "fallback of Llama's class, ended": (
        byte_fallback,
        {"tokenizer_class": "LlamaTokenizer", "legacy": True, "add_eos_token": True, "add_prefix_space": False},
    ),
    "unigram": (unigram, {**GENERIC, "unk_token": "<unk>", "pad_token": "</s>"}),
    "unigram of T5's class": (unigram, {"tokenizer_class": "T5Tokenizer", "extra_ids": 3}),
    "pieces of words": (word_piece, GENERIC),
    "pieces of words of BERT's class": (word_piece, {"tokenizer_class": "BertTokenizer", "do_lower_case": False}),
    "pieces of words cleaned up": (word_piece, {**GENERIC, "clean_up_tokenization_spaces": True}),
}
MARKS = ["<|end|>", "<|im_end|>", "<tool>", "<s>", "</s>", "[SEP]", "two words", " ", "\n", "  ", " .", " n't"]


def checkpoint(folder: Path, name: str, added: dict[str, int] | None = None) -> Path:
    """A folder with the tokenizer's files alone; `added` stands in added_tokens.json."""
    make, settings = CASES[name]
    folder.mkdir(parents=True)
    tokenizer = make()
    tokenizer.enable_truncation(5)  # transformers asks for it again at each call, and encodes whole texts
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    if added:
        (folder / "added_tokens.json").write_text(json.dumps(added))
    return folder


def in_bundle(folder: Path, root: Path, write: Callable[[Path, Path], None] = write_tokenizer) -> Path:
    """A bundle with the tokenizer of `folder`."""
    root = bundle(root)
    for file in (root / "tokenizer").iterdir():
        file.unlink()
    (root / "tokenizer").rmdir()
    write(folder, root / "tokenizer")
    (root / MANIFEST).write_text(make_manifest(root).model_dump_json())
    return root


def texts(seed: str) -> list[str]:
    """300 texts of parts of the corpus, tokens that are added, and anything else."""
    chances = random.Random(seed)
    parts = [*MARKS, *(word for line in CORPUS for word in line.split()), "ﬁ", "\u00a0", "Ⅷ", "\t", "🧵", "é"]
    return ["".join(chances.choices(parts, k=chances.randrange(1, 9))) for _ in range(300)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("added", [None, {"<|new|>": 999, "<tool>": 1000}], ids=["", "added_tokens.json"])
def test_texts_and_ids_are_those_of_transformers(tmp_path: Path, name: str, added: dict[str, int] | None) -> None:
    """Random texts with and without what stands around one, random ids back."""
    folder = checkpoint(tmp_path / "checkpoint", name, added)
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ours = BundleTokenizer.of_bundle(read_bundle(in_bundle(folder, tmp_path / "bundle")))
    ours.vocabulary = 1 << 20
    chances = random.Random(name)
    for text in [*texts(name), *(added or [])]:
        for special in (True, False):
            expected = theirs(text, add_special_tokens=special)["input_ids"]
            assert (ours.encode(text, special=special) if expected else []) == expected, (text, special)
    for _ in range(300):
        ids = chances.choices([*range(len(theirs)), *(added or {}).values()], k=chances.randrange(1, 12))
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=True), ids
        stream = ours.stream()
        assert "".join([*map(stream.push, ids), stream.flush()]) == ours.decode(ids), ids


@pytest.mark.parametrize("name", CASES)
def test_what_transformers_saved_is_taken_without_it(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program's folder: the same ids as transformers gives, and transformers is not loaded."""
    folder = checkpoint(tmp_path / "checkpoint", name, {"<|new|>": 999, "<tool>": 1000})
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    theirs.save_pretrained(tmp_path / "saved")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "transformers", None)
        root = in_bundle(tmp_path / "saved", tmp_path / "bundle", take_tokenizer)
    ours = BundleTokenizer.of_bundle(read_bundle(root))
    ours.vocabulary = 1 << 20
    for text in [*texts(name), "<|new|> x"]:
        for special in (True, False):
            expected = theirs(text, add_special_tokens=special)["input_ids"]
            assert (ours.encode(text, special=special) if expected else []) == expected, (text, special)


@pytest.mark.parametrize("more", ["added_tokens.json", "add_eos_token"])
def test_what_tokenizer_json_contradicts_is_made_by_transformers(tmp_path: Path, more: str) -> None:
    """A token that it lacks, and an end of text that it does not add."""
    folder = checkpoint(tmp_path / "checkpoint", next(iter(CASES)))
    content, settings = (
        json.loads((folder / f"{name}.json").read_text()) for name in ("tokenizer", "tokenizer_config")
    )
    if more == "added_tokens.json":
        (folder / more).write_text(json.dumps({"<|new|>": len(content["model"]["vocab"]) + 50}))
    else:
        content["post_processor"] = None
        (folder / "tokenizer.json").write_text(json.dumps(content))
        some = next(iter(content["model"]["vocab"]))
        (folder / "tokenizer_config.json").write_text(json.dumps(settings | {more: True, "eos_token": some}))
    write_tokenizer(folder, tmp_path / "theirs")
    take_tokenizer(folder, tmp_path / "taken")
    assert (tmp_path / "taken" / "tokenizer.json").read_text() == (tmp_path / "theirs" / "tokenizer.json").read_text()


_T5 = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
_BYTES = {"kind": "bpe", "byte_fallback": True, "size": 500}
_WORDS = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nworld\nthe\n##s\n##ld\nи\n"
# A form → model type, class, the file, and its content.
SLOW: dict[str, tuple[str, str, str, Callable[[], bytes]]] = {
    "Llama": ("llama", "LlamaTokenizer", "tokenizer.model", lambda: trained(**_BYTES)),
    "Mistral": ("mistral", "", "tokenizer.model", lambda: trained(**_BYTES)),
    "Gemma": ("gemma", "GemmaTokenizer", "tokenizer.model", lambda: trained(**_BYTES)),
    "T5": ("t5", "T5Tokenizer", "spiece.model", lambda: trained(**_T5)),
    "Pegasus": ("pegasus", "", "spiece.model", lambda: trained(**_T5)),
    "XLM-R": ("xlm-roberta", "", "sentencepiece.bpe.model", trained),
    "mBART": ("mbart", "", "sentencepiece.bpe.model", trained),
    "mBART-50": ("mbart", "MBart50Tokenizer", "sentencepiece.bpe.model", trained),
    "NLLB": ("m2m_100", "NllbTokenizer", "sentencepiece.bpe.model", trained),
    "DeBERTa": ("deberta-v2", "", "spm.model", lambda: trained(**_T5)),
    "BERT": ("bert", "", "vocab.txt", _WORDS.encode),
}


@pytest.mark.parametrize("name", SLOW)
def test_files_without_a_tokenizer_json_become_one(tmp_path: Path, name: str) -> None:
    """As the hub's older checkpoints have them. A process that has checked one can convert the next."""
    model_type, kind, file, content = SLOW[name]
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind} if kind else {}))
    (folder / file).write_bytes(content())
    check_tokenizer(folder)
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ours = BundleTokenizer.of_bundle(read_bundle(in_bundle(folder, tmp_path / "bundle")))
    ours.vocabulary = 1 << 20
    for text in texts_of_scripts(150, name):
        expected = theirs(text)["input_ids"]
        assert (ours.encode(text, special=True) if expected else []) == expected, text
        assert ours.decode(expected) == theirs.decode(expected, skip_special_tokens=True), text


def test_a_vocabulary_with_merges_becomes_a_tokenizer(tmp_path: Path) -> None:
    """GPT-2's two files; without the merges it says so."""
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "gpt2"}')
    byte_level().model.save(str(folder))
    check_tokenizer(folder)
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ours = BundleTokenizer.of_bundle(read_bundle(in_bundle(folder, tmp_path / "bundle")))
    ours.vocabulary = 1 << 20
    for text in texts("merges"):
        expected = theirs(text)["input_ids"]
        assert (ours.encode(text, special=True) if expected else []) == expected, text


def test_ranks_of_tiktoken_become_a_tokenizer(tmp_path: Path) -> None:
    """Llama 3's first form, by a reader without tiktoken, whose own would return an older file of the same path."""
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    pieces = [bytes([i]) for i in range(256)] + [b"he", b"hel", b" w"]
    for more in ([b"lo"], [b"wo"]):
        rows = [base64.b64encode(one) + f" {i}".encode() for i, one in enumerate([*pieces, *more])]
        (folder / "tokenizer.model").write_bytes(b"\n".join(rows) + b"\n")
        added = {"260": {"content": "<|begin_of_text|>", "special": True}}
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", "added_tokens_decoder": added}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        check_tokenizer(folder)
        write_tokenizer(folder, tmp_path / f"target-{more[0].decode()}")
        made = Tokenizer.from_file(str(tmp_path / f"target-{more[0].decode()}" / "tokenizer.json"))
        ids = made.encode("<|begin_of_text|>hello world").ids
        end = [259] if more == [b"lo"] else [ord("l"), ord("o")]
        assert ids == [260, 257, *end, 258, *b"orld"] and made.decode(ids) == "hello world"


@pytest.mark.parametrize("as_files", [False, True], ids=["in the settings", "as files"])
def test_templates_by_name_and_special_tokens_arrive(tmp_path: Path, as_files: bool) -> None:
    """However the checkpoint writes them, as an object or in special_tokens_map.json."""
    folder = checkpoint(tmp_path / "checkpoint", "bytes")
    named = {"default": "D{{ eos_token }}{{ sep_token }}", "tool_use": "T{{ tools | length }}"}
    settings: dict[str, Any] = {**GENERIC, "sep_token": {"content": "<sep>", "__type": "AddedToken"}}
    if as_files:
        (folder / "chat_template.jinja").write_text(named["default"])
        (folder / "additional_chat_templates").mkdir()
        (folder / "additional_chat_templates" / "tool_use.jinja").write_text(named["tool_use"])
    else:
        settings["chat_template"] = [{"name": name, "template": source} for name, source in named.items()]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "special_tokens_map.json").write_text(json.dumps({"eos_token": "<|end|>"}))
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    template = ChatTemplate.of_bundle(read_bundle(in_bundle(folder, tmp_path / "bundle")))
    assert template is not None
    for tools in (None, [{"name": "a"}]):
        said = theirs.apply_chat_template([{"role": "user", "content": "x"}], tools=tools, tokenize=False)
        assert template.render([{"role": "user", "content": "x"}], tools) == said


@pytest.mark.parametrize(("kind", "typed"), [("BertTokenizer", True), ("PreTrainedTokenizerFast", False)])
def test_the_inputs_that_a_class_of_tokenizers_names_arrive(tmp_path: Path, kind: str, typed: bool) -> None:
    """Of a pair of texts some classes give types and some do not, which no file says."""
    folder = checkpoint(tmp_path / "checkpoint", "bytes")
    word_piece().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))
    settings = tokenizer_settings(read_bundle(in_bundle(folder, tmp_path / "bundle")))
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)("the cat", "sat")
    assert ("token_type_ids" in theirs, "token_type_ids" in settings["model_input_names"]) == (typed, typed)


def test_a_tokenizer_that_transformers_cannot_load_is_reported(tmp_path: Path) -> None:
    """It is taken as it is; code that it names is not run."""
    folder = checkpoint(tmp_path / "checkpoint", "bytes")
    (folder / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}')
    told: list[Event] = []
    write_tokenizer(folder, tmp_path / "target", told.append)
    (notice,) = told
    assert isinstance(notice, NoticeEvent) and notice.message.startswith(
        "The tokenizer.json is copied unchanged, because "
    )
    assert (tmp_path / "target" / "tokenizer.json").read_text() == (folder / "tokenizer.json").read_text()


def test_tekken_json_becomes_a_tokenizer(tmp_path: Path) -> None:
    """The one file of Mistral's published tokenizers, without mistral-common; special tokens come first."""
    (tmp_path / "checkpoint").mkdir()
    names = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AUDIO]", "[BEGIN_AUDIO]"]
    pieces = [bytes([i]) for i in range(256)] + [b"he", b"hel"]
    vocabulary = [{"rank": i, "token_bytes": base64.b64encode(one).decode()} for i, one in enumerate(pieces)]
    special = [{"rank": i, "token_str": name, "is_control": True} for i, name in enumerate(names)]
    config = {"pattern": r"[^\s]+|\s+", "default_vocab_size": len(names) + len(pieces),
              "num_vocab_tokens": len(pieces), "default_num_special_tokens": len(names), "version": "v7"}  # fmt: skip
    file = {"config": config, "vocab": vocabulary, "special_tokens": special}
    (tmp_path / "checkpoint" / "tekken.json").write_text(json.dumps(file), "utf-8")
    (tmp_path / "checkpoint" / "config.json").write_text('{"model_type": "voxtral"}', "utf-8")
    write_tokenizer(tmp_path / "checkpoint", tmp_path / "target")
    made = Tokenizer.from_file(str(tmp_path / "target" / "tokenizer.json"))
    ids = made.encode("[INST][BEGIN_AUDIO][AUDIO][AUDIO]hello[/INST]").ids
    assert ids == [3, 6, 5, 5, 7 + 257, 7 + ord("l"), 7 + ord("o"), 4] and made.decode(ids) == "hello"


_BPE = {"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}}
_REGEX = {"type": "Split", "pattern": {"Regex": "(["}, "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tokenizer.json", json.dumps(_BPE | {"added_tokens": [{"id": -1, "content": "x"}]})),
        ("tokenizer.json", json.dumps(_BPE | {"model": _BPE["model"] | {"vocab": {"a": -1}}})),
        ("tokenizer.json", json.dumps(_BPE | {"model": _BPE["model"] | {"merges": ["a c"]}})),
        ("tokenizer.json", json.dumps(_BPE | {"pre_tokenizer": _REGEX})),
        ("tokenizer.json", json.dumps(_BPE | {"decoder": {"type": "Nothing"}})),
        ("tokenizer.json", "{"),
        ("tokenizer.json", ""),
        ("tokenizer.model", "garbage"),
        ("spiece.model", ""),
        ("vocab.json", "[]"),
        ("vocab.json", "garbage"),
    ],
)
def test_a_broken_tokenizer_fails_the_build_at_once(name: str, content: str, tmp_path: Path) -> None:
    """By name, before anything is exported, and nothing is left."""
    from tests.workflows.conftest import make_qwen3

    folder = make_qwen3(tmp_path / "c")
    (folder / name).write_text(content)
    stages: list[Event] = []
    with pytest.raises(CheckpointError, match=re.escape(name)):
        build(BuildRequest(str(folder), tmp_path / "out", {}), stages.append)
    assert {one.stage for one in stages if isinstance(one, StageEvent)} == {"checkpoint"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c"]


def test_an_older_tekken_json_says_what_it_lacks(tmp_path: Path) -> None:
    """transformers advises a package, with which it makes a tokenizer that no tokenizer.json can be made of."""
    (tmp_path / "config.json").write_text('{"model_type": "mistral"}')
    (tmp_path / "tekken.json").write_text('{"config": {}, "vocab": []}')
    with pytest.raises(CheckpointError, match="it is of the older form, whose special tokens"):
        check_tokenizer(tmp_path)


def _with_garbage(folder: Path) -> Path:
    """A checkpoint whose one file of a tokenizer cannot be read."""
    from tests.workflows.conftest import make_qwen3

    make_qwen3(folder)
    (folder / "spiece.model").write_bytes(b"garbage")
    (folder / "tokenizer_config.json").write_text("{}")
    return folder


def test_a_tokenizer_that_cannot_be_had_is_refused_before_the_export(tmp_path: Path, cli: Any) -> None:
    """In one sentence with the option that helps."""
    code, out, err = cli("build", _with_garbage(tmp_path / "c"), "--out", tmp_path / "out")
    assert code == 2 and "spiece.model is not a SentencePiece model" in err and "--no-tokenizer" in err
    assert "export" not in out + err and not (tmp_path / "out").exists()


def test_a_tokenizer_is_left_out_by_choice(tmp_path: Path) -> None:
    """Nothing of it remains, and what belongs to the model does."""
    folder = checkpoint(tmp_path / "checkpoint", "bytes")
    (folder / "config.json").write_text("{}")
    (folder / "chat_template.jinja").write_text("x")
    write_tokenizer(folder, tmp_path / "target", wanted=False)
    assert [path.name for path in (tmp_path / "target").iterdir()] == ["config.json"]


@pytest.mark.slow
@pytest.mark.usefixtures("stage_cache")
def test_a_bundle_without_its_tokenizer_says_so(tmp_path: Path, cli: Any) -> None:
    """At the end of the build; it is of the same recipe when it is built again."""
    code, out, err = cli("build", _with_garbage(tmp_path / "c"), "--out", tmp_path / "out", "--no-tokenizer")
    assert code == 0 and "The bundle has no tokenizer.json" in out + err
    bundle = read_bundle(tmp_path / "out")
    assert json.loads(bundle.text("recipe.json") or "")["tokenizer"] is False
    assert "tokenizer/tokenizer_config.json" not in bundle.files


def test_a_checkpoint_without_a_tokenizer_is_no_fault(tmp_path: Path) -> None:
    check_tokenizer(tmp_path)


def test_ranks_of_tiktoken_are_a_tokenizer_under_sentencepiece_s_name(tmp_path: Path) -> None:
    """As Llama 3 has them in tokenizer.model; what is neither is refused."""
    ranks = b"".join(base64.b64encode(bytes([byte])) + f" {byte}\n".encode() for byte in range(256))
    (tmp_path / "tokenizer.model").write_bytes(ranks)
    check_tokenizer(tmp_path)
    (tmp_path / "tokenizer.model").write_bytes(b"neither one nor the other")
    with pytest.raises(CheckpointError, match="is not a SentencePiece model"):
        check_tokenizer(tmp_path)
