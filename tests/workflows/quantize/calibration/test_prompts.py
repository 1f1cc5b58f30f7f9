"""What calibration is fed: a person's texts, the demo's own, and one sentence for what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from workflows.common.errors import PromptError
from workflows.generate import Engine, open_engine
from workflows.generate.prompt_sets import demo_questions
from workflows.quantize.calibration.prompts import calibration_prompts, prompts_digest


@pytest.fixture(scope="module")
def engine(demo_bundle: Path) -> Engine:
    return open_engine(demo_bundle)


def test_a_demo_has_prompts_of_its_own_and_none_that_judge_it(engine: Engine) -> None:
    found = calibration_prompts(engine, "")
    assert len(found.prompts) == 96 and found.origin == "96 of demo:qwen3's own"
    texts = "\n".join(engine.text.decode(ids) for ids in found.prompts)
    assert "The opposite of first is" in texts
    for demo in ("qwen3", "t5", "mu"):
        lines = (Path("resources/demos") / f"{demo}_calibration.jsonl").read_text("utf-8")
        assert lines.count("\n") >= 90
        assert not any(f'"{question.text}"' in lines for question in demo_questions(demo))


def test_lines_go_through_the_template_and_raw_rows_do_not(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("What is 2 + 2?\n\n  Hello \n", "utf-8")
    (tmp_path / "b.jsonl").write_text('{"prompt": "Hello"}\n{"text": "2 + 2 ="}\n', "utf-8")
    (tmp_path / "c.md").write_text("not read", "utf-8")
    found = calibration_prompts(engine, str(tmp_path))
    hello = engine.encode_chat([{"role": "user", "content": "Hello"}])
    assert [list(ids) for ids in found.prompts] == [
        engine.encode_chat([{"role": "user", "content": "What is 2 + 2?"}]), hello, hello, engine.encode("2 + 2 ="),
    ]  # fmt: skip
    assert len(calibration_prompts(engine, str(tmp_path / "a.txt")).prompts) == 2


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.txt", b" \n\n", "is empty"),
        ("binary.txt", bytes(range(256)), "is no UTF-8 text"),
        ("zeros.txt", b"a\0b\n", "is no UTF-8 text"),
        ("other.txt", "今天的天气很好我们去公园散步吧".encode(), "tokenizer does not know most of other.txt"),
        ("rows.jsonl", b'{"prompt": "Hello"}\n{"asked": "?"}\n', "Row 2 of rows.jsonl"),
        ("broken.jsonl", b"{\n", "Row 1 of broken.jsonl"),
    ],
)
def test_what_cannot_be_read_is_reported(engine: Engine, tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PromptError, match=said) as error:
        calibration_prompts(engine, str(tmp_path / name))
    assert str(error.value).count(". ") == 0


def test_places_without_prompts(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="holds no"):
        calibration_prompts(engine, str(tmp_path))
    with pytest.raises(PromptError, match="cannot be read"):
        calibration_prompts(engine, str(tmp_path / "nowhere.txt"))


def test_another_text_in_the_same_file_is_another_calibration(tmp_path: Path) -> None:
    """A stage that an earlier build left must not be taken for one that other prompts would make."""
    (tmp_path / "p.txt").write_text("one\n", "utf-8")
    before = prompts_digest(str(tmp_path / "p.txt"))
    (tmp_path / "p.txt").write_text("two\n", "utf-8")
    assert before != prompts_digest(str(tmp_path / "p.txt")) != ""
    assert prompts_digest("") == ""
