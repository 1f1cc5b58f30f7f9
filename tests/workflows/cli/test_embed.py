"""`joinery embed`, `rank` and `classify`: what each prints, as text and as JSON, and one sentence for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.predict.text_bundles import hidden, made_bundle, tokenizer
from workflows.bundle.text_tasks import ClassificationSettings, EmbeddingSettings, NormalizeStep
from workflows.cli import run

LONG = " ".join(["cat"] * 30)


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> str:
    settings = EmbeddingSettings(pooling=["mean"], steps=[NormalizeStep()], prompts={"query": "query : "})
    return str(made_bundle(tmp_path_factory.mktemp("embed") / "b", embedding=settings, task="feature-extraction"))


def classifier(folder: Path, labels: list[str], output: str = "logits") -> str:
    settings = ClassificationSettings(labels=labels, activation="sigmoid" if len(labels) == 1 else "softmax")
    return str(made_bundle(folder, output, len(labels), tokens=12, classification=settings))


def vector(text: str) -> np.ndarray:
    mean = hidden(list(tokenizer().encode(text).ids)).mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_vectors_as_json(embedder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of --text, then the lines of the file; what was cut is on stderr, too."""
    file = tmp_path / "texts.txt"
    file.write_bytes(f"the dog\r\n{LONG}\n".encode())
    assert run(["embed", embedder, "--text", "the cat", "--text-file", str(file), "--similarity", "--json"]) == 0
    printed = capsys.readouterr()
    *rows, last = [json.loads(line) for line in printed.out.splitlines()]
    assert [list(row) for row in rows] == [["index", "text", "tokens", "truncated", "vector"]] * 3
    texts = ["the cat", "the dog", LONG]
    assert [(row["index"], row["text"]) for row in rows] == list(enumerate(texts))
    assert [(row["tokens"], row["truncated"]) for row in rows] == [(4, False), (4, False), (8, True)]
    vectors = np.array([row["vector"] for row in rows])
    wanted = np.stack([vector(text) for text in ("the cat", "the dog", " ".join(["cat"] * 6))])
    assert vectors == pytest.approx(wanted, abs=1e-6)
    assert last["similarity"] == "cosine" and np.array(last["scores"]) == pytest.approx(wanted @ wanted.T, abs=1e-6)
    assert printed.err == "joinery: Text 3 has 32 tokens, and the model reads 8: the rest was left out.\n"


def test_vectors_as_text(embedder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["embed", embedder, "--text", "the cat", "--text", "dog", "--similarity"]) == 0
    lines = capsys.readouterr().out.splitlines()
    score = float(vector("the cat") @ vector("dog"))
    assert lines[0] == "2 vectors of 6 numbers: mean pooling, normalized"
    assert lines[1].split() == ["1", "1.0000", f"{score:.4f}", "the", "cat"]
    assert lines[2].split() == ["2", f"{score:.4f}", "1.0000", "dog"]
    assert run(["embed", embedder, "--text", "the cat"]) == 0
    first = capsys.readouterr().out.splitlines()[1].split()
    assert first[:3] == ["1", "4", "tokens"] and float(first[3]) == pytest.approx(vector("the cat")[0], abs=1e-5)


@pytest.mark.parametrize("flags", [["--prompt", "query"], ["--prompt-text", "query : "]])
def test_a_prompt_by_name_or_as_text(embedder: str, capsys: pytest.CaptureFixture[str], flags: list[str]) -> None:
    assert run(["embed", embedder, "--text", "cat", "--json", *flags]) == 0
    assert json.loads(capsys.readouterr().out)["vector"] == pytest.approx(vector("query : cat"), abs=1e-6)


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ([], "There is no text: give --text, or --text-file with a text in each line."),
        (["--text", ""], "Text 1 is empty: give a text."),
        (["--text", "cat", "--text", "[SEP]"], "Text 2 has no token beside special ones ([SEP]): give a text."),
        (["--text-file", "NUL"], "Text 2 has a NUL character, which no text has: take it out."),
        (["--text-file", "BLANK"], "Text 2 is empty: give a text."),
        (["--text-file", "NONE"], "The text file NONE cannot be read: No such file or directory."),
        (["--text", "a", "--prompt", "x"], "The bundle has no prompt 'x'; its prompts are: query."),
        (
            ["--text", "a", "--prompt", "query", "--prompt-text", "x"],
            "--prompt names one of the bundle's prompts and --prompt-text is one: give one of the two.",
        ),
        (
            ["--text", "a", "--normalize"],
            "--normalize is a part of the pooling that a bundle does not state: give --pooling with it.",
        ),
        (
            ["--text", "a", "--pooling", "sum"],
            "--pooling is cls, max, mean, mean_sqrt_len_tokens, weightedmean, lasttoken, and not 'sum'.",
        ),
    ],
)
def test_a_mistake_is_one_sentence(
    embedder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], sentence: str
) -> None:
    (tmp_path / "NUL").write_text("cat\nthe\0dog\n", "utf-8")
    (tmp_path / "BLANK").write_text("cat\n\ndog\n", "utf-8")
    files = {name: str(tmp_path / name) for name in ("NUL", "BLANK", "NONE")}
    assert run(["embed", embedder, *(files.get(flag, flag) for flag in flags)]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"joinery: {sentence.replace('NONE', files['NONE'])}\n")


def test_ranks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = classifier(tmp_path / "b", ["LABEL_0"])
    texts = ["--text", "paris", "--text", "the cat", "--text", "anna went to paris"]
    assert run(["rank", bundle, "--query", "the dog", *texts, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [list(row) for row in rows] == [["index", "text", "tokens", "truncated", "score", "logit"]] * 3
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    assert {row["index"]: row["text"] for row in rows} == {0: "paris", 1: "the cat", 2: "anna went to paris"}
    assert run(["rank", bundle, "--query", "the dog", *texts]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [[f"{row['score']:.4f}", str(row["index"] + 1)] for row in rows]
    assert run(["rank", bundle, "--text", "x"]) == 2 and "--query" in capsys.readouterr().err


def test_labels_and_spans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = classifier(tmp_path / "labels", ["good", "bad"])
    assert run(["classify", labels, "--text", "the cat", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert list(row) == ["index", "text", "tokens", "truncated", "labels"]
    assert {label["label"] for label in row["labels"]} == {"good", "bad"}
    assert sum(label["score"] for label in row["labels"]) == pytest.approx(1)
    assert run(["classify", labels, "--text", "the cat"]) == 0
    first = row["labels"][0]
    assert capsys.readouterr().out.splitlines()[:2] == ["the cat", f"  {first['score']:8.4f}  {first['label']}"]
    spans = classifier(tmp_path / "spans", ["O", "X"], "tokens")
    assert run(["classify", spans, "--text", "anna went to paris with bob", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert list(row) == ["index", "text", "tokens", "truncated", "spans"] and row["spans"]
    for span in row["spans"]:
        assert span["text"] == row["text"][span["start"] : span["end"]] and span["label"] == "X"
    assert run(["classify", spans, "--text", "anna went to paris with bob"]) == 0
    one = row["spans"][0]
    shown = capsys.readouterr().out.splitlines()[1].split()
    assert shown == [f"{one['score']:.4f}", "X", f"{one['start']}-{one['end']}", *one["text"].split()]


def test_inspect_shows_how_vectors_and_labels_are_made(
    embedder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["inspect", embedder]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == [
        "vectors: mean pooling, normalized; cosine similarity", "prompts: query", "longest text: 8 tokens",
    ]  # fmt: skip
    assert run(["inspect", embedder, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["embedding"]["pooling"] == ["mean"] and report["texts"]["tokens"] == 8
    assert "classification" not in report
    assert run(["inspect", classifier(tmp_path / "b", ["good", "bad"])]) == 0
    assert "labels: good, bad (softmax)" in capsys.readouterr().out.splitlines()
