"""Folders with spaces and letters of other scripts, and a terminal that lacks these: what Windows has more often."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workflows.builder import BuildRequest, build
from workflows.cli.output import write_json
from workflows.generate import GenerateOptions, open_engine
from workflows.runtime.providers.preflight import try_out
from workflows.wire.events import GenerationDone

NAME = "Größe 模型 x"
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def elsewhere(demo_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo in such a folder."""
    return Path(shutil.copytree(demo_bundle, tmp_path_factory.mktemp("p") / NAME / "bündel"))


def answer(bundle: Path) -> str:
    with open_engine(bundle) as engine:
        ids = engine.encode_chat([{"role": "user", "content": "8 * 7 ="}])
        *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=6))
    assert isinstance(done, GenerationDone)
    return done.text


def joinery(folder: Path, *arguments: str, encoding: str = "utf-8") -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of a process whose current folder is `folder` and whose stdout has that encoding."""
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "workflows", *arguments]
    done = subprocess.run(command, capture_output=True, cwd=folder, env=environment, encoding=encoding, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_bundle_opens_and_answers_there(demo_bundle: Path, elsewhere: Path) -> None:
    assert answer(elsewhere) == answer(demo_bundle) != ""


def test_a_process_of_its_own_finds_it(elsewhere: Path) -> None:
    """The path goes over a command line."""
    report = try_out(elsewhere, "cpu")
    assert report.usable, report.reason


def test_commands_with_such_a_path_on_a_terminal_without_its_letters(demo_bundle: Path, elsewhere: Path) -> None:
    """Escaped, and no traceback; JSON stays JSON."""
    options = ["--chat", "--prompt", "8 * 7 =", "--max-new-tokens", "6", "--prefill", "模型 😀 é "]
    code, out, err = joinery(elsewhere.parent, "generate", "bündel", *options, encoding="cp1252")
    assert code == 0 and out.startswith("\\u6a21\\u578b \\U0001f600 é "), err
    for command in ("verify", "inspect"):
        code, out, err = joinery(elsewhere, command, str(elsewhere), encoding="cp1252")
        assert (code, err) == (0, ""), err
    code, out, err = joinery(elsewhere, "generate", str(elsewhere), *options, "--json", encoding="cp1252")
    assert [json.loads(line)["event"] for line in out.splitlines()][-1] == "done", err
    code, _, err = joinery(elsewhere, "inspect", str(elsewhere / "模型"), encoding="cp1252")
    assert code == 2 and "\\u6a21\\u578b" in err and "Traceback" not in err


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "ascii"])
def test_json_is_json_on_any_terminal(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has no sign in the code page is escaped as JSON does it."""
    out = io.TextIOWrapper(io.BytesIO(), encoding, errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", out)
    write_json({"name": "模型 😀 é \x81"})
    out.seek(0)
    assert json.loads(out.read()) == {"name": "模型 😀 é \x81"}


@pytest.mark.slow
def test_a_checkpoint_there_is_built_there(tmp_path: Path, demo_bundle: Path) -> None:
    source, out = tmp_path / NAME / "checkpoint", tmp_path / NAME / "a b" / "bündel"
    shutil.copytree(ROOT / "resources" / "demos" / "qwen3", source)
    build(BuildRequest(str(source), out, {}))
    assert answer(out) == answer(demo_bundle)
