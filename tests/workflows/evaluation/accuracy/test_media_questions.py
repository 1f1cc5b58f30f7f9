"""Questions about pictures and sound: what a row names, what is told of bad files, and the figures of two bundles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from workflows.common.errors import PromptError
from workflows.evaluation.accuracy.tasks import read_task
from workflows.wire.goals import TaskFile

DEMOS = Path(__file__).parents[4] / "resources" / "demos"
PICTURES, CLIPS = DEMOS / "vision-pictures", DEMOS / "whisper-clips"


def written(folder: Path, *rows: dict[str, Any], **how: Any) -> TaskFile:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return TaskFile(str(folder / "t.jsonl"), **how)


def picture(path: Path, side: int = 8) -> Path:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.zeros((side, side, 3), np.uint8)).save(path)
    return path


def recording(path: Path) -> Path:
    import soundfile

    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.zeros(1600, np.float32), 16_000)
    return path


def test_paths_are_relative_to_the_task_file(tmp_path: Path) -> None:
    """One or a list of them; a recording without a question is to be transcribed."""
    for name in ("a.png", "b.png"):
        picture(tmp_path / "seen" / name)
    sound = str(recording(tmp_path / "x.wav"))
    task = read_task(
        written(
            tmp_path / "tasks",
            {"question": "Which?", "answer": "b", "image": ["../seen/a.png", "../seen/b.png"]},
            {"prompt": "What?", "completion": "c", "image": "../seen/a.png", "audio": sound},
            {"audio": "../x.wav", "answer": "one two"},
            {"question": "1 + 1?", "answer": "2", "image": None},
        )
    )
    folder = tmp_path / "tasks" / ".." / "seen"
    assert [question.pictures for question in task.questions] == [
        (str(folder / "a.png"), str(folder / "b.png")), (str(folder / "a.png"),), (), (),
    ]  # fmt: skip
    assert [len(question.sounds) for question in task.questions] == [0, 1, 1, 0] and task.has_files
    assert [(one.text, one.expected) for one in task.questions[1:3]] == [("What?", "c"), ("", "one two")]
    named = read_task(written(tmp_path, {"audio": "x.wav", "said": "one"}, answer="said"))
    assert (named.questions[0].text, named.questions[0].expected) == ("", "one")


@pytest.mark.parametrize(("row", "said"), [
    ({"question": "?", "answer": "!", "image": 7}, r"Row 1 of t\.jsonl has no path under 'image'"),
    ({"question": "?", "answer": "!", "image": []}, r"Row 1 of t\.jsonl has no path under 'image'"),
    ({"question": "?", "answer": "!", "audio": ["x.wav", ""]}, r"Row 1 of t\.jsonl has no path under 'audio'"),
    ({"question": "?", "answer": "!", "image": "n.png"}, r"Row 1 of t\.jsonl: .*n\.png cannot be read: No such file"),
    ({"question": "?", "answer": "!", "image": "bad.png"}, r"Row 1 of t\.jsonl: .*bad\.png"),
    ({"question": "?", "answer": "!", "audio": "bad.png"}, r"Row 1 of t\.jsonl: .*bad\.png is not a sound file"),
    ({"answer": "!", "image": "a.png"}, r"Row 1 of t\.jsonl has the columns answer, image, neither question and"),
    ({"audio": "x.wav", "said": "!"}, r"Row 1 of t\.jsonl has a recording and none of the columns answer, completion"),
])  # fmt: skip
def test_what_is_wrong_with_a_row_is_reported_in_one_sentence(row: dict[str, Any], said: str, tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    recording(tmp_path / "x.wav")
    (tmp_path / "bad.png").write_bytes(picture(tmp_path / "c.png").read_bytes()[:40])
    with pytest.raises(PromptError, match=said) as caught:
        read_task(written(tmp_path, row))
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_files_of_rows_that_are_not_asked_are_not_read(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    rows = [{"question": str(i), "answer": "!", "image": "a.png" if i == 0 else "none.png"} for i in range(4)]
    assert len(read_task(written(tmp_path, *rows, rows=1)).questions) == 1


def shipped(folder: Path, listing: str, file: str, kind: str) -> list[dict[str, Any]]:
    """The shipped files of a demo as rows of a task."""
    return [{**row, kind: str(folder / row[file])} for row in json.loads((folder / listing).read_text("utf-8"))]


def figures(cli: Callable[..., tuple[int, str, str]], *words: object) -> dict[str, Any]:
    code, out, err = cli("eval", *words, "--json")
    assert code == 0, err
    report: dict[str, Any] = json.loads(out)
    return report


@pytest.mark.slow
def test_a_bundle_is_asked_about_pictures(
    built: Built, tmp_path: Path, cli: Callable[..., tuple[int, str, str]]
) -> None:
    """The prompts are the task's with their pictures; without a picture a question is another one."""
    whole, quantized = built("demo:vision"), built("demo:vision", precision="int4")
    rows = shipped(PICTURES, "pictures.json", "file", "image")
    task = written(tmp_path, *rows).file
    report = figures(cli, quantized, "--against", whole, "--task", task)
    assert report["task"]["rows"] == 6 and report["task"]["reference_score"] == 1.0 and report["task"]["score"] >= 0.5
    assert len(report["greedy"]) == 6 and report["positions"] >= 8 and 0 < report["kl_mean"] < 1
    assert "1-one-yellow-circle.png" in report["greedy"][0]["prompt"]
    same = figures(cli, whole, "--against", whole, "--task", task)
    assert same["kl_max"] == 0 and same["task"]["score"] == 1.0
    text = report["perplexity"]  # of the questions behind their pictures
    assert text["candidate"] != text["reference"] == same["perplexity"]["reference"] == same["perplexity"]["candidate"]
    blind = [{name: row[name] for name in ("question", "answer")} for row in rows]
    prompts = tmp_path / "p.txt"
    prompts.write_text("What shape is it?\n", "utf-8")
    unseen = figures(cli, whole, "--against", whole, "--task", written(tmp_path, *blind).file, "--prompts", prompts)
    assert unseen["task"]["score"] < 1


@pytest.mark.slow
def test_a_bundle_that_transcribes_is_given_recordings(
    built: Built, tmp_path: Path, cli: Callable[..., tuple[int, str, str]]
) -> None:
    whole, quantized = built("demo:whisper"), built("demo:whisper", precision="int4")
    rows = [row for row in shipped(CLIPS, "clips.json", "file", "audio") if len(row["times"]) <= 3]
    task = written(tmp_path, *rows).file
    report = figures(cli, quantized, "--against", whole, "--task", task, "--answer-column", "text")
    assert report["task"]["rows"] == 5 and report["task"]["reference_score"] == 1.0 and report["task"]["score"] >= 0.5
    assert len(report["greedy"]) == 5 and report["kl_mean"] > 0
    asked = written(tmp_path, {"question": "What is said?", "answer": "nine", "audio": str(CLIPS / "en-nine.wav")}).file
    code, _, err = cli("eval", quantized, "--against", whole, "--task", asked)
    assert code == 2 and "each row of the task needs one under 'audio', and no question" in err
    code, _, err = cli("eval", built("demo:vision"), "--against", built("demo:vision"), "--task", asked)
    assert code == 2 and "reads no sound beside a prompt" in err
