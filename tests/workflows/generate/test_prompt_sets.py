"""Where prompts come from, and what is said of a file that holds none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from tests.workflows.quantize.making import renamed_source
from workflows.common.errors import PromptError
from workflows.generate import open_engine
from workflows.generate.prompt_sets import HeldOutQuestion, choose_prompts, demo_questions, evenly_spaced, read_lines
from workflows.generate.sample_texts import paragraphs


def test_the_demo_is_asked_what_its_training_never_saw(demo_bundle: Path) -> None:
    found = choose_prompts(open_engine(demo_bundle), None)
    assert found.origin == "64 of the 600 held-back questions of demo:qwen3"
    assert len({prompt.text for prompt in found.prompts}) == 64
    assert found.prompts[0].text == demo_questions("qwen3")[0].text
    assert open_engine(demo_bundle).encode_chat([{"role": "user", "content": found.prompts[0].text}]) == list(
        found.prompts[0].ids
    )


def test_another_checkpoint_reads_the_text_to_measure_with(
    demo_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine(renamed_source(demo_bundle, tmp_path / "b"))
    found = choose_prompts(engine, None)
    assert (len(found.prompts), found.origin) == (12, "12 paragraphs of Joinery's text to measure with")
    assert {prompt.text for prompt in found.prompts} < {one.text for one in paragraphs("measure")}
    monkeypatch.setattr(engine.text, "unknown_share", lambda text: 0.9)
    with pytest.raises(PromptError, match="knows none of Joinery's texts"):
        choose_prompts(engine, None)


def test_a_file_has_a_prompt_a_line(demo_bundle: Path, tmp_path: Path) -> None:
    file = tmp_path / "prompts.txt"
    file.write_text("What is 1 + 1?\r\n\n  What is 2 + 2?\n", "utf-8-sig")
    found = choose_prompts(open_engine(demo_bundle), file)
    assert [prompt.text for prompt in found.prompts] == ["What is 1 + 1?", "What is 2 + 2?"]
    assert found.origin == "2 prompts in prompts.txt"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", r"prompt file .*p\.txt is empty"),
        (b" \n\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "no UTF-8 text"),
        (b"abc\0def", "no UTF-8 text"),
    ],
)
def test_a_file_without_prompts(content: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_bytes(content)
    with pytest.raises(PromptError, match=said):
        read_lines(file)
    with pytest.raises(PromptError, match="cannot be read: Is a directory"):
        read_lines(tmp_path)


@pytest.mark.slow
def test_a_bundle_without_a_tokenizer_takes_ids(sharp_qwen3: Path, built: Built, tmp_path: Path) -> None:
    engine = open_engine(built(sharp_qwen3, graphs="single", capacity=256, chunk=64))
    with pytest.raises(PromptError, match=r"has no tokenizer.*1,2,3"):
        choose_prompts(engine, None)
    file = tmp_path / "ids.txt"
    file.write_text("1, 2,3\n996\n")
    assert [prompt.ids for prompt in choose_prompts(engine, file).prompts] == [(1, 2, 3), (996,)]
    file.write_text("1,2\nhello\n")
    with pytest.raises(PromptError, match="Prompt 2 is no list of ids"):
        choose_prompts(engine, file)
    file.write_text("997\n")
    with pytest.raises(PromptError, match="997 is not in the vocabulary"):
        choose_prompts(engine, file)


def test_spread_is_even() -> None:
    questions = [HeldOutQuestion(str(i), "") for i in range(10)]
    assert [int(question.text) for question in evenly_spaced(questions, 4)] == [0, 2, 5, 7]
    assert evenly_spaced(questions, 20) == questions
    assert demo_questions("../qwen3") == demo_questions("nobody") == []
