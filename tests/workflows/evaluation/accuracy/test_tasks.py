"""A person's own task: what is read, how replies are judged, and the row of what is wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from workflows.common.errors import PromptError, RequestError
from workflows.common.table_files import read_rows
from workflows.evaluation.accuracy.tasks import FileTask, read_task
from workflows.generate.prompt_sets import HeldOutQuestion, read_prompts
from workflows.wire.events import GenerationDone
from workflows.wire.goals import TaskFile

ROW = {"question": "1 + 1?", "answer": "2"}


def written(folder: Path, *rows: object, name: str = "t.jsonl") -> TaskFile:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return TaskFile(str(folder / name))


def replied(text: str) -> GenerationDone:
    made = GenerationDone.__new__(GenerationDone)
    object.__setattr__(made, "text", text)
    return made


def right(expected: str, reply: str, **how: object) -> bool:
    return FileTask(TaskFile("t.jsonl", **how), ()).is_right(HeldOutQuestion("?", expected), replied(reply))


@pytest.mark.parametrize(("q", "a"), [("question", "answer"), ("prompt", "completion"), ("input", "output")])
def test_the_usual_columns_are_found(q: str, a: str, tmp_path: Path) -> None:
    found = read_task(written(tmp_path, {q: "1 + 1?", a: "2", "other": 3}, {q: "2 + 2?", a: "4"}))
    assert found.questions == (HeldOutQuestion("1 + 1?", "2"), HeldOutQuestion("2 + 2?", "4"))
    assert found.metric == "exact match, t.jsonl"


def test_columns_of_other_names_and_fewer_rows(tmp_path: Path) -> None:
    rows = [{"q": str(number), "label": "x"} for number in range(10)]
    file = written(tmp_path, *rows).file
    found = read_task(TaskFile(file, question="q", answer="label", rows=3))
    assert [question.text for question in found.questions] == ["0", "3", "6"]


def test_exact_match_is_of_words_unless_spaces_count() -> None:
    assert right("New  York", " New York\n") and not right("New York", "new york")
    assert right("New York", "new york", ignore_case=True)
    assert not right("New York", " New York", keep_spaces=True) and right("a b", "a b", keep_spaces=True)


def test_a_pattern_picks_the_answer_out_of_the_reply() -> None:
    assert right("42", "So it is #### 42.", pattern=r"#### (\d+)")
    assert right("42", "It is 42, or 43.", pattern=r"\d+") and not right("43", "It is 42, or 43.", pattern=r"\d+")
    assert not right("42", "No number.", pattern=r"\d+")
    assert right(r"^yes\b", "yes, of course", pattern_column="p") and not right(r"^yes\b", "oh yes", pattern_column="p")
    assert right("B", "(b)", pattern=r"\((\w)\)", ignore_case=True)


def test_a_pattern_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.evaluation.accuracy.tasks.SECONDS", 0.02)
    with pytest.raises(RequestError, match=r"took more than 0.02 s on a reply of 40 characters"):
        right("x", "a" * 39 + "!", pattern=r"(a|a|aa)+$")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", r"t\.jsonl is empty"),
        ('{"question": "?", "answer": "!"}\n\n{"question"\n', r"Row 3 of t\.jsonl is no JSON object"),
        ("[1]\n", r"Row 1 of t\.jsonl is no JSON object"),
        ('{"a": "b"}\n', r"Row 1 of t\.jsonl has the columns a, neither question and answer nor"),
        ('{"question": "?", "answer": "!"}\n{"question": "?"}\n', r"Row 2 of t\.jsonl has the columns question"),
        ('{"question": "?", "answer": 7}\n', r"Row 1 of t\.jsonl has no text under 'answer'"),
        ('{"question": " ", "answer": "7"}\n', r"Row 1 of t\.jsonl has no text under 'question'"),
    ],
)
def test_what_is_wrong_with_a_file_is_reported_by_row(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(content, "utf-8")
    with pytest.raises(PromptError, match=said):
        read_task(TaskFile(str(tmp_path / "t.jsonl")))


def test_what_is_wrong_with_a_task_is_reported(tmp_path: Path) -> None:
    file = written(tmp_path, ROW).file
    with pytest.raises(PromptError, match=r"Row 1 of t\.jsonl has no column 'frage': its columns are question, answer"):
        read_task(TaskFile(file, question="frage", answer="answer"))
    with pytest.raises(RequestError, match="The pattern is no regular expression: "):
        read_task(TaskFile(file, pattern="(a"))
    bad = written(tmp_path, {"question": "?", "answer": "(a"}, name="p.jsonl").file
    with pytest.raises(RequestError, match=r"The pattern of row 1 of p\.jsonl is no regular expression"):
        read_task(TaskFile(bad, pattern_column="answer"))
    with pytest.raises(RequestError, match="not both"):
        read_task(TaskFile(file, pattern="a", pattern_column="answer"))
    with pytest.raises(PromptError, match=r"must be a file of \.jsonl, \.ndjson, \.parquet"):
        read_task(TaskFile(str(tmp_path / "t.csv")))
    (tmp_path / "b.jsonl").write_bytes(b"\x89PNG\xff")
    with pytest.raises(PromptError, match="no UTF-8 text"):
        read_task(TaskFile(str(tmp_path / "b.jsonl")))
    with pytest.raises(PromptError, match="cannot be read"):
        read_task(TaskFile(str(tmp_path / "none.jsonl")))


def test_parquet_is_read_where_pyarrow_is(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist([ROW, {"question": "2?", "answer": None}]), tmp_path / "t.parquet")
    assert next(iter(read_rows(tmp_path / "t.parquet"))) == (1, ROW)
    with pytest.raises(PromptError, match=r"Row 2 of t\.parquet has no text under 'answer'"):
        read_task(TaskFile(str(tmp_path / "t.parquet")))
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    with pytest.raises(PromptError, match="is no parquet file"):
        list(read_rows(tmp_path / "bad.parquet"))


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(PromptError, match=r"needs pyarrow, which is not installed: pip install 'joinery\[parquet\]'"):
        read_task(TaskFile(str(tmp_path / "t.parquet")))


def test_a_task_serves_as_prompts(tmp_path: Path) -> None:
    assert read_prompts(Path(written(tmp_path, ROW, {"input": "x"}, {"text": "y"}).file)) == ["1 + 1?", "x", "y"]
    with pytest.raises(PromptError, match='has neither "prompt" nor "question"'):
        read_prompts(Path(written(tmp_path, {"q": "x"}).file))
