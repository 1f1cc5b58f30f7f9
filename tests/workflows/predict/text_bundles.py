"""Small text models: a tokenizer of a few words, hand-made bundles that numpy can compute, random checkpoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save_model
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from workflows.bundle.composition import Flow, SessionSpec
from workflows.bundle.manifest import write_manifest
from workflows.bundle.outline import FlowStage
from workflows.bundle.schema import Metadata, Pipeline, SpecialTokens
from workflows.bundle.text_tasks import TextLimits

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [
    "the",
    "cat",
    "dog",
    "sat",
    "on",
    "mat",
    "anna",
    "went",
    "to",
    "paris",
    "with",
    "bob",
    "query",
    ":",
    ".",
    "##s",
]
SIZE, WIDTH = len(SPECIAL) + len(WORDS), 6


def tokenizer(lowercase: bool = False) -> Tokenizer:
    """WordPiece over WORDS, with [CLS] and [SEP] around a text and [SEP] between two."""
    made = Tokenizer(models.WordPiece({word: i for i, word in enumerate([*SPECIAL, *WORDS])}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(SPECIAL)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", SPECIAL.index("[CLS]")), ("[SEP]", SPECIAL.index("[SEP]"))],
    )
    return made


def table() -> np.ndarray:
    """The hidden states of each id in a hand-made bundle, before the text's mean is added."""
    return np.random.default_rng(3).standard_normal((SIZE, WIDTH)).astype(np.float32)


def head(labels: int) -> np.ndarray:
    return np.random.default_rng(4).standard_normal((WIDTH, labels)).astype(np.float32) * 2


def hidden(ids: list[int], types: list[int] | None = None) -> np.ndarray:
    """What a hand-made bundle gives for one text: each row with its type, plus the mean of all."""
    rows = table()[ids] + np.array(types or [0] * len(ids), np.float32)[:, None]
    return rows + rows.mean(axis=0)


def made_bundle(
    folder: Path,
    output: str = "last_hidden_state",
    labels: int = 0,
    rows: str | int = "batch",
    columns: str | int = "sequence",
    tokens: int | None = 8,
    lowercase: bool = False,
    scaled: bool = False,
    infinite: bool = False,
    names: list[str] | None = None,
    template: str = "",
    **metadata: Any,
) -> Path:
    """A bundle whose graph computes hidden(), its product with head() for each token, or for the first one alone.

    scaled: hidden() rounded to 8 bits with one scale for all rows. infinite: the last word's row is not finite.
    names: the tokenizer's inputs. template: its chat template.
    """
    (folder / "tokenizer").mkdir(parents=True)
    tokenizer().save(str(folder / "tokenizer" / "tokenizer.json"))
    settings = {"unk_token": "[UNK]", **({"model_input_names": names} if names else {})}
    (folder / "tokenizer" / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    if template:
        (folder / "tokenizer" / "chat_template.jinja").write_text(template, "utf-8")
    rows_of_ids = table()
    rows_of_ids[-1] = np.inf if infinite else rows_of_ids[-1]
    weights = {"table": rows_of_ids, "two": np.array([2]), "one": np.array([1]), "first": np.array(0)}
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("Cast", ["token_type_ids"], ["kinds"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["kinds", "two"], ["types"]),
        helper.make_node("Add", ["words", "types"], ["rows"]),
        helper.make_node("Cast", ["attention_mask"], ["seen"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["seen", "two"], ["mask"]),
        helper.make_node("Mul", ["rows", "mask"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "one"], ["sum"]),
        helper.make_node("ReduceSum", ["mask", "one"], ["count"]),
        helper.make_node("Div", ["sum", "count"], ["mean"]),
        helper.make_node("Add", ["rows", "mean"], ["exact" if scaled else "last_hidden_state"]),
    ]
    if scaled:
        rounded = ["rounded", "scale", "zero"]
        nodes.append(helper.make_node("DynamicQuantizeLinear", ["exact"], rounded))
        nodes.append(helper.make_node("DequantizeLinear", rounded, ["last_hidden_state"]))
    shape: list[str | int] = [rows, columns, WIDTH]
    if output != "last_hidden_state":
        weights["head"] = head(labels)
        source = "last_hidden_state" if output == "tokens" else "summary"
        if output != "tokens":
            nodes.append(helper.make_node("Gather", ["last_hidden_state", "first"], ["summary"], axis=1))
        nodes.append(helper.make_node("MatMul", [source, "head"], ["logits"]))
        shape = [rows, columns, labels] if output == "tokens" else [rows, labels]
    graph = helper.make_graph(
        nodes,
        "texts",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, [rows, columns])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [
            helper.make_tensor_value_info(
                "last_hidden_state" if output == "last_hidden_state" else "logits", TensorProto.FLOAT, shape
            )
        ],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    save_model(model, folder / "model.onnx")
    pipeline = Pipeline(
        pipeline=Flow(sessions={"model": SessionSpec(file="model.onnx")}, flow=[FlowStage(run="model", when="init")]),
        tokens=SpecialTokens(pad=0),
        metadata=Metadata(model_type="bert", texts=TextLimits(tokens=tokens, lowercase=lowercase), **metadata),
    )
    (folder / "pipeline.json").write_text(pipeline.to_json(), "utf-8")
    write_manifest(folder)
    return folder


def save_checkpoint(folder: Path, kind: str = "BertModel", limit: int = 16, **config: Any) -> Path:
    """A random BERT with the tokenizer above, as transformers saves both."""
    import torch
    import transformers

    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 48}
    settings = transformers.BertConfig(
        vocab_size=SIZE, max_position_embeddings=limit, pad_token_id=0, initializer_range=0.4, **{**sizes, **config}
    )
    getattr(transformers, kind)(settings).eval().save_pretrained(folder)
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(), model_max_length=limit, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]",
    )  # fmt: skip
    made.save_pretrained(folder)
    return folder


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def add_modules(
    folder: Path,
    *kinds: str,
    pooling: dict[str, Any] | None = None,
    model: dict[str, Any] | None = None,
    below: str = "",
    **transformer: Any,
) -> Path:
    """Writes the files of sentence-transformers into a checkpoint's folder; `kinds` follow the transformer.

    below: the folder of the transformer, into which the model's files move.
    """
    kinds = ("Transformer", *(kinds or ("Pooling", "Normalize")))
    paths = [below if kind == "Transformer" else f"{number}_{kind}" for number, kind in enumerate(kinds)]
    (folder / below).mkdir(parents=True, exist_ok=True)
    for path in [path for path in folder.iterdir() if below and path.is_file()]:
        path.rename(folder / below / path.name)
    write_json(
        folder / "modules.json",
        [
            {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for number, (kind, path) in enumerate(zip(kinds, paths, strict=True))
        ],
    )
    for kind, path in zip(kinds, paths, strict=True):
        if kind == "Pooling":
            write_json(folder / path / "config.json", pooling or {"pooling_mode_mean_tokens": True})
    write_json(folder / below / "sentence_bert_config.json", transformer)
    write_json(folder / "config_sentence_transformers.json", model or {})
    return folder
