"""Text models as built: vectors of eager transformers through its pooling, labels and spans of its pipelines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.workflows.predict.text_bundles import SIZE, WORDS, add_modules, save_checkpoint, write_json
from workflows.builder import BuildRequest, build
from workflows.builder.dense_layers import write_dense
from workflows.builder.text_tasks import text_metadata
from workflows.bundle import read_bundle
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError, RecipeError
from workflows.inspection.contents import inspect_path
from workflows.predict import open_classifier, open_embedder
from workflows.recipe import resolve_recipe, task_of, tasks_for
from workflows.recipe.task import choosable_tasks

LIMIT = 16
RNG = np.random.default_rng(1)
TEXTS = [
    "cat",
    "anna went to paris with bob .",
    *(" ".join(RNG.choice(WORDS[:-1], n)) for n in (1, 5, 9, 13, 14, 15, 40)),
]


def described(folder: Path, table: bool = True, **config: Any) -> Path:
    """A checkpoint of which the files alone are read: no model could be made of its weights."""
    folder.mkdir(exist_ok=True)
    tables = ["word_embeddings", "position_embeddings"] if table else ["word_embeddings"]
    rows = {f"embeddings.{name}.weight": np.zeros((4, 2), np.float32) for name in tables}
    save_file(rows, folder / "model.safetensors")
    kept = {"model_type": "bert", "architectures": ["BertModel"], "max_position_embeddings": 512, **config}
    write_json(folder / "config.json", kept)
    return folder


def config_of(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "config.json").read_text("utf-8")))


def metadata(folder: Path, **options: Any) -> dict[str, Any]:
    checkpoint = open_checkpoint(str(folder))
    return text_metadata(checkpoint, resolve_recipe(checkpoint, options))


@pytest.mark.parametrize(
    ("model_type", "positions", "tokenizer", "stated", "limit"),
    [
        ("bert", 512, None, None, 512),
        ("bert", 512, 128, None, 128),
        ("bert", 512, 1e30, 256, 256),
        ("bert", 512, 64, 200, 200),
        ("bert", 512, 64, {"tokenizer_args": {"model_max_length": 100}, "max_seq_length": 50}, 100),
        ("bert", 512, 64, {"processor_kwargs": {"model_max_length": 100}}, 100),
        ("bert", 512, 256, 1024, 512),
        ("modernbert", 512, 256, 1024, 1024),
        ("modernbert", 512, 1024, None, 512),
        ("roberta", 514, None, None, 512),
        ("xlm-roberta", 514, 512, 1024, 512),
        ("mpnet", 514, None, 384, 384),
        ("mpnet", 514, None, None, 512),
    ],
)
def test_the_limit_is_that_of_sentence_transformers(
    tmp_path: Path, model_type: str, positions: int, tokenizer: float | None, stated: Any, limit: int
) -> None:
    """Its own counts alone, up to a table of positions. RoBERTa's positions begin behind that of padding."""
    folder = described(
        tmp_path, model_type != "modernbert", model_type=model_type, max_position_embeddings=positions, pad_token_id=1
    )
    add_modules(folder, **(stated if isinstance(stated, dict) else {"max_seq_length": stated}))
    write_json(folder / "tokenizer_config.json", {} if tokenizer is None else {"model_max_length": tokenizer})
    found = metadata(folder)
    assert (found["texts"].tokens, found["classification"]) == (limit, None)


@pytest.mark.parametrize(
    ("architecture", "modules", "task"),
    [
        ("Qwen3ForCausalLM", False, "text-generation"),
        ("Qwen3Model", False, "text-generation"),
        ("Qwen3ForCausalLM", True, "feature-extraction"),
        ("Qwen3Model", True, "feature-extraction"),
        ("Qwen3ForSequenceClassification", False, "text-classification"),
        ("Qwen3ForTokenClassification", False, "token-classification"),
    ],
)
def test_the_task_of_a_decoder(tmp_path: Path, architecture: str, modules: bool, task: str) -> None:
    """Without a head it generates, by its embedding; with a pooling it makes vectors."""
    folder = described(tmp_path, model_type="qwen3", architectures=[architecture])
    if modules:
        add_modules(folder, pooling={"pooling_mode_lasttoken": True})
    checkpoint = open_checkpoint(str(folder))
    assert task_of(checkpoint) == task
    assert "feature-extraction" in tasks_for(checkpoint)  # a form offers it beside other heads than of words alone
    assert ("feature-extraction" in choosable_tasks(checkpoint)) == (task != "text-generation")


def test_an_embedder_s_task_is_that_of_its_modules(tmp_path: Path) -> None:
    """all-mpnet-base-v2 names a head for words, which its vectors do not use."""
    folder = described(tmp_path, model_type="mpnet", architectures=["MPNetForMaskedLM"])
    assert resolve_recipe(open_checkpoint(str(folder)), {}).task == "fill-mask"
    add_modules(folder, pooling={"pooling_mode": ["cls", "mean"]}, model={"prompts": {"q": "query: "}})
    checkpoint = open_checkpoint(str(folder))
    assert resolve_recipe(checkpoint, {}).task == "feature-extraction"
    assert {"modules.json", "1_Pooling/config.json"} <= set(checkpoint.files)
    settings = metadata(folder)["embedding"]
    assert settings.summary() == "cls + mean pooling, normalized" and settings.prompts == {"q": "query: "}
    assert metadata(folder, task="fill-mask")["embedding"] is None
    before = checkpoint.digest
    write_json(folder / "1_Pooling" / "config.json", {"pooling_mode": "max"})
    assert open_checkpoint(str(folder)).digest != before


def test_what_is_not_computed_is_refused_before_the_build(tmp_path: Path) -> None:
    folder = add_modules(described(tmp_path / "a"), "Pooling", "LayerNorm")
    with pytest.raises(CheckpointError, match="the module LayerNorm, which Joinery does not compute"):
        build(BuildRequest(str(folder), tmp_path / "out", {}))
    encoder = described(tmp_path / "b", model_type="t5", architectures=["T5EncoderModel"])
    add_modules(encoder)
    with pytest.raises(RecipeError, match=r"with t5: Joinery builds embedders of albert, bert, .* of text alone"):
        build(BuildRequest(str(encoder), tmp_path / "out", {}))
    recurrent = described(tmp_path / "d", model_type="jamba", architectures=["JambaForSequenceClassification"])
    write_json(recurrent / "config.json", {**config_of(recurrent), "mamba_d_state": 16})
    with pytest.raises(RecipeError, match=r"of jamba it builds models for text-generation, and this one has another"):
        build(BuildRequest(str(recurrent), tmp_path / "out", {}))
    with pytest.raises(
        RecipeError, match=r"a jamba, whose layers keep state of fixed size: Joinery builds such a mode"
    ):
        build(BuildRequest(str(recurrent), tmp_path / "out", {"task": "text-classification"}))
    early = tmp_path / "c"
    (early / "0_Transformer").mkdir(parents=True)
    with pytest.raises(CheckpointError, match=r"has its config\.json in 0_Transformer and lacks modules\.json"):
        open_checkpoint(str(early))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("config", "labels", "activation", "score"),
    [
        ({}, ["LABEL_0", "LABEL_1"], "softmax", "sigmoid"),
        ({"id2label": {"0": "a", "1": "b", "2": "c"}}, ["a", "b", "c"], "softmax", "sigmoid"),
        ({"id2label": {"0": "a", "1": "b"}, "problem_type": "multi_label_classification"}, ["a", "b"], "sigmoid", None),
        ({"id2label": {"0": "a"}, "problem_type": "regression"}, ["a"], "identity", None),
        ({"num_labels": 1}, ["LABEL_0"], "sigmoid", "sigmoid"),
        (
            {"num_labels": 1, "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"}},
            ["LABEL_0"], "sigmoid", "identity",
        ),
        (
            {"num_labels": 1, "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"},
            ["LABEL_0"], "sigmoid", "identity",
        ),
    ],
)  # fmt: skip
def test_labels_and_what_logits_mean(
    tmp_path: Path, config: dict[str, Any], labels: list[str], activation: str, score: str | None
) -> None:
    folder = described(tmp_path, architectures=["BertForSequenceClassification"], **config)
    found = metadata(folder)["classification"]
    assert (found.labels, found.activation) == (labels, activation)
    assert score is None or found.score == score


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"id2label": {"0": "a", "2": "b"}}, "an id2label that does not name the labels from 0 on"),
        ({"sentence_transformers": {"activation_fn": "torch.nn.Mish"}}, r"activation_fn is torch\.nn\.Mish, which"),
    ],
)
def test_labels_that_are_not_known_are_refused(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    folder = described(tmp_path, architectures=["BertForSequenceClassification"], **config)
    with pytest.raises(CheckpointError, match=message):
        metadata(folder)


def with_dense(folder: Path, below: str = "", **arrays: np.ndarray) -> Path:
    add_modules(folder, "Pooling", "Dense", "Normalize", pooling={"pooling_mode": ["cls", "mean"]}, below=below)
    size = {"in_features": 64, "out_features": 8, "activation_function": "torch.nn.modules.activation.Tanh"}
    write_json(folder / "2_Dense" / "config.json", size)
    save_file(arrays, folder / "2_Dense" / "model.safetensors")
    return folder


def test_a_damaged_layer_is_refused(tmp_path: Path) -> None:
    weight, bias = np.zeros((8, 64), np.float32), np.zeros(8, np.float32)
    for arrays, message in (
        ({"linear.weight": weight}, "does not hold the layer that its config.json states"),
        ({"linear.weight": weight.T.copy(), "linear.bias": bias}, "does not hold the layer"),
        ({"linear.weight": weight, "linear.bias": bias * np.nan}, "holds NaN or infinite values"),
    ):
        checkpoint = open_checkpoint(str(with_dense(described(tmp_path), **arrays)))
        with pytest.raises(CheckpointError, match=message), np.errstate(all="ignore"):
            write_dense(checkpoint, resolve_recipe(checkpoint, {}), tmp_path)


def test_a_layer_of_pytorchs_is_that_of_safetensors(tmp_path: Path) -> None:
    """Of half precision too, which becomes float32."""
    import torch

    rng = np.random.default_rng(3)
    weight, bias = rng.standard_normal((8, 64)).astype(np.float16), rng.standard_normal(8).astype(np.float16)
    folder = with_dense(described(tmp_path / "c"), **{"linear.weight": weight, "linear.bias": bias})
    written = []
    for name in ("safetensors", "pytorch"):
        if name == "pytorch":
            (folder / "2_Dense" / "model.safetensors").unlink()
            layer = {"linear.weight": torch.from_numpy(weight), "linear.bias": torch.from_numpy(bias)}
            torch.save(layer, folder / "2_Dense" / "pytorch_model.bin")
        checkpoint = open_checkpoint(str(folder))
        (out := tmp_path / name).mkdir()
        write_dense(checkpoint, resolve_recipe(checkpoint, {}), out)
        written.append(b"".join(path.read_bytes() for path in out.rglob("*.data")))
    assert written == [weight.astype("<f4").tobytes() + bias.astype("<f4").tobytes()] * 2


def eager(folder: Path, kind: str, *texts: list[str], limit: int) -> Any:
    """(outputs, mask) of eager transformers, all texts in one padded batch."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = getattr(transformers, kind).from_pretrained(folder, attn_implementation="eager").eval()
    made = tokenizer(*texts, padding=True, truncation=True, max_length=limit, return_tensors="pt")
    if "roberta" in model.config.model_type:
        made.pop("token_type_ids", None)
    with torch.no_grad():
        return model(**made), made["attention_mask"]


@pytest.mark.slow
def test_vectors_are_those_of_eager_transformers(tmp_path: Path) -> None:
    """Every pooling joined, a layer, a normalization, in folders: at lengths from one word to beyond the limit."""
    import torch

    modes = ["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
    rng = np.random.default_rng(2)
    weight, bias = rng.standard_normal((8, 192)).astype(np.float32) / 8, rng.standard_normal(8).astype(np.float32)
    folder = with_dense(
        save_checkpoint(tmp_path / "c"), "0_Transformer", **{"linear.weight": weight, "linear.bias": bias}
    )
    write_json(folder / "1_Pooling" / "config.json", {"pooling_mode": modes})
    size = {"in_features": 192, "out_features": 8, "activation_function": "torch.nn.modules.activation.Tanh"}
    write_json(folder / "2_Dense" / "config.json", size)
    build(BuildRequest(str(folder), tmp_path / "out", {}))
    output, mask = eager(folder / "0_Transformer", "AutoModel", TEXTS, limit=LIMIT)
    hidden, seen = output.last_hidden_state, mask[:, :, None].float()
    places = torch.arange(1, hidden.shape[1] + 1)[None, :, None] * seen
    joined = torch.cat(
        [
            hidden[:, 0],
            hidden.masked_fill(seen == 0, -torch.inf).max(dim=1).values,
            (hidden * seen).sum(1) / seen.sum(1),
            (hidden * seen).sum(1) / seen.sum(1).sqrt(),
            (hidden * places).sum(1) / places.sum(1),
            hidden[torch.arange(len(TEXTS)), mask.sum(1) - 1],
        ],
        dim=1,
    )
    made = torch.tanh(torch.nn.functional.linear(joined, torch.tensor(weight), torch.tensor(bias)))
    wanted = torch.nn.functional.normalize(made, dim=-1).numpy()
    found = open_embedder(tmp_path / "out").embed(TEXTS)
    assert np.abs(wanted).max() > 0.3 and np.abs(np.diff(wanted, axis=0)).max() > 0.01
    assert [one.tokens for one in found] == mask.sum(1).tolist() and max(one.tokens for one in found) == LIMIT
    assert [one.truncated for one in found] == [False] * 7 + [True] * 2
    assert np.stack([one.vector for one in found]) == pytest.approx(wanted, abs=1e-5)
    assert read_bundle(tmp_path / "out").digest.count(",") == 2  # the graph, its weights, the layer
    assert inspect_path(tmp_path / "out").metadata["embedding"]["pooling"] == modes  # type: ignore[index]


@pytest.mark.slow
def test_pairs_have_the_scores_of_eager_transformers(tmp_path: Path) -> None:
    """RoBERTa's table has 16 rows, of which 15 are for tokens."""
    import torch
    import transformers

    folder = save_checkpoint(tmp_path / "c")
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 48}
    config = transformers.RobertaConfig(
        vocab_size=SIZE, max_position_embeddings=LIMIT, pad_token_id=0, type_vocab_size=1, num_labels=1,
        initializer_range=0.4, **sizes,
    )  # fmt: skip
    transformers.RobertaForSequenceClassification(config).save_pretrained(folder)
    build(BuildRequest(str(folder), tmp_path / "out", {}))
    output, mask = eager(folder, "AutoModelForSequenceClassification", ["the dog"] * len(TEXTS), TEXTS, limit=15)
    wanted = output.logits[:, 0].numpy()
    ranked = open_classifier(tmp_path / "out").rank("the dog", TEXTS)
    assert [one.index for one in ranked] == np.argsort(-wanted, kind="stable").tolist()
    for one in ranked:
        assert one.logit == pytest.approx(wanted[one.index], abs=1e-5)
        assert one.score == pytest.approx(1 / (1 + np.exp(-wanted[one.index])), abs=1e-6)
        assert one.tokens == mask[one.index].sum()
    assert max(one.tokens for one in ranked) == 15 and np.ptp(wanted) > 0.1


@pytest.mark.parametrize("pad", [pytest.param(0, marks=pytest.mark.slow), None])
def test_a_decoder_scores_pairs_by_their_last_token(tmp_path: Path, pad: int | None) -> None:
    """One by one: transformers refuses a batch where no token pads, and pads with one that texts may end with."""
    import torch
    import transformers

    folder = save_checkpoint(tmp_path / "c")
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
             "intermediate_size": 48, "max_position_embeddings": 64}  # fmt: skip
    config = transformers.LlamaConfig(
        vocab_size=SIZE, pad_token_id=pad, eos_token_id=3, num_labels=1, initializer_range=0.4, **sizes
    )
    model = transformers.LlamaForSequenceClassification(config).eval()
    model.save_pretrained(folder)
    build(BuildRequest(str(folder), tmp_path / "out", {}))
    wanted = []
    for text in TEXTS:
        ids = transformers.AutoTokenizer.from_pretrained(folder)("the dog", text, truncation=True, return_tensors="pt")
        with torch.no_grad():
            wanted.append(float(model(ids["input_ids"], attention_mask=ids["attention_mask"]).logits[0, 0]))
    ranked = open_classifier(tmp_path / "out").rank("the dog", TEXTS)
    assert [one.index for one in ranked] == np.argsort(-np.array(wanted), kind="stable").tolist()
    assert [one.logit for one in ranked] == pytest.approx([wanted[one.index] for one in ranked], abs=1e-5)
    assert np.ptp(wanted) > 0.1


@pytest.mark.slow
def test_a_decoder_ranks_by_the_logits_of_two_tokens(tmp_path: Path) -> None:
    """As Qwen3-Reranker: its chat template over the pair, "yes" less "no" of eager transformers, and their sigmoid."""
    import torch
    import transformers

    folder = save_checkpoint(tmp_path / "c")
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
             "intermediate_size": 48, "head_dim": 8}  # fmt: skip
    config = transformers.Qwen3Config(vocab_size=SIZE, initializer_range=0.4, tie_word_embeddings=True, **sizes)
    model = transformers.Qwen3ForCausalLM(config).eval()
    model.save_pretrained(folder)
    (folder / "chat_template.jinja").write_text(
        "[CLS] {% for m in messages %}{{ m.content }} [SEP]{% endfor %} on the mat"
    )
    logits = {"method": "forward", "method_output_name": "logits"}
    add_modules(
        folder, "LogitScore", model={"model_type": "CrossEncoder", "prompts": {"q": "query :"}}, below="0_Transformer",
        transformer_task="text-generation", module_output_name="causal_logits", max_seq_length=99,
        modality_config={"text": logits, "message": {**logits, "format": "flat"}},
    )  # fmt: skip
    write_json(folder / "1_LogitScore" / "config.json", {"true_token_id": 7, "false_token_id": 9})
    build(BuildRequest(str(folder), tmp_path / "out", {}))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "0_Transformer")
    wanted = []
    for text in TEXTS:
        turns = [("system", "query :"), ("query", "the dog"), ("document", text)]
        given = tokenizer.apply_chat_template(
            [{"role": role, "content": content} for role, content in turns], return_tensors="pt", return_dict=True
        )
        with torch.no_grad():
            last = model(given["input_ids"]).logits[0, -1]
        wanted.append(float(last[7] - last[9]))
    classifier = open_classifier(tmp_path / "out")
    ranked = classifier.rank("the dog", TEXTS, classifier.prompt("q"))
    assert [one.logit for one in ranked] == pytest.approx([wanted[one.index] for one in ranked], abs=1e-5)
    assert [one.score for one in ranked] == pytest.approx([1 / (1 + np.exp(-one.logit)) for one in ranked], abs=1e-6)
    assert np.ptp(wanted) > 0.1 and read_bundle(tmp_path / "out").pipeline.metadata.task == "text-classification"


@pytest.mark.slow
def test_vectors_of_a_decoder_are_those_of_its_last_token(tmp_path: Path) -> None:
    """As Qwen3-Embedding: sentence-transformers' formula over eager transformers, with a prompt."""
    import torch
    import transformers

    folder = save_checkpoint(tmp_path / "c")
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
             "intermediate_size": 48, "head_dim": 8}  # fmt: skip
    config = transformers.Qwen3Config(vocab_size=SIZE, initializer_range=0.4, **sizes)
    transformers.Qwen3ForCausalLM(config).save_pretrained(folder)
    add_modules(
        folder, pooling={"pooling_mode": "lasttoken"}, model={"prompts": {"query": "query : "}}, max_seq_length=9
    )
    build(BuildRequest(str(folder), tmp_path / "out", {}))
    output, mask = eager(folder, "AutoModel", [f"query : {text}" for text in TEXTS], limit=9)
    last = output.last_hidden_state[torch.arange(len(TEXTS)), mask.sum(1) - 1]
    embedder = open_embedder(tmp_path / "out")
    found = embedder.embed(TEXTS, embedder.prompt("query"))
    assert max(one.tokens for one in found) == 9
    assert np.stack([one.vector for one in found]) == pytest.approx(
        torch.nn.functional.normalize(last, dim=-1).numpy(), abs=1e-5
    )


def balance(folder: Path, kind: str) -> Path:
    """Moves the head's bias so that the labels are about as frequent; one of them wins everywhere otherwise."""
    import transformers

    output, _ = eager(folder, f"AutoModelFor{kind}Classification", TEXTS, limit=LIMIT)
    model = getattr(transformers, f"AutoModelFor{kind}Classification").from_pretrained(folder)
    model.classifier.bias.data -= output.logits.flatten(0, -2).mean(0)
    model.save_pretrained(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Sequence", "Token"])
def test_labels_and_spans_are_those_of_transformers_pipelines(tmp_path: Path, kind: str) -> None:
    import transformers

    names = ["O", "B-PER", "I-PER", "I-LOC"] if kind == "Token" else ["good", "bad", "neither"]
    config = {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
    folder = balance(save_checkpoint(tmp_path / "c", f"BertFor{kind}Classification", **config), kind)
    build(BuildRequest(str(folder), tmp_path / "out", {}))
    found = open_classifier(tmp_path / "out").classify(TEXTS)
    model = getattr(transformers, f"AutoModelFor{kind}Classification").from_pretrained(folder)
    own = {"model": model, "tokenizer": transformers.AutoTokenizer.from_pretrained(folder)}
    if kind == "Token":
        spans = transformers.pipeline("token-classification", **own, aggregation_strategy="simple")(TEXTS)
        assert sum(map(len, spans)) > 10 and {span["entity_group"] for row in spans for span in row} == {"PER", "LOC"}
        for one, row in zip(found, spans, strict=True):
            assert [(s.start, s.end, s.label) for s in one.spans] == [
                (s["start"], s["end"], s["entity_group"]) for s in row
            ]
            assert [s.score for s in one.spans] == pytest.approx([float(s["score"]) for s in row], abs=1e-5)
        return
    rows = transformers.pipeline("text-classification", **own)(TEXTS, top_k=None, truncation=True)
    for one, row in zip(found, rows, strict=True):
        assert [label.label for label in one.labels] == [label["label"] for label in row]
        assert [label.score for label in one.labels] == pytest.approx([label["score"] for label in row], abs=1e-5)


def test_a_bundle_of_pictures_has_no_limit_of_tokens(tmp_path: Path) -> None:
    folder = described(tmp_path, model_type="vit", architectures=["ViTModel"])
    assert metadata(folder, task="feature-extraction") == {}
    assert config_of(folder)["model_type"] == "vit"
