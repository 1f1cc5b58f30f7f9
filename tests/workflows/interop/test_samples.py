"""The written programs generate the engine's tokens, in every cache layout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from tests.workflows.service.http.serving import TOKEN, running
from workflows.common.errors import RequestError
from workflows.generate import GenerateOptions, open_engine
from workflows.interop.samples import write_samples
from workflows.wire.events import GenerationDone

LAYOUTS = [
    {"cache": "gqa"},
    {"cache": "static"},
    pytest.param({"cache": "window", "capacity": 256}, marks=pytest.mark.slow),
    pytest.param({"cache": "scatter"}, marks=pytest.mark.slow),
]
PROMPTS = ("8*7=", "8*7= " * 30)  # the second is longer than a chunk
HEADERS = os.environ.get("ONNXRUNTIME_INCLUDE")  # of onnxruntime's C++ interface, which no package here has


def replies(bundle: Path) -> dict[str, list[int]]:
    """Ids of a prompt, with commas between → the engine's greedy ids."""
    with open_engine(bundle) as engine:
        found = {}
        for prompt in PROMPTS:
            ids = engine.encode(prompt)
            *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=30, temperature=0))
            assert isinstance(done, GenerationDone)
            found[",".join(map(str, ids))] = done.token_ids
    return found


def run(*command: object) -> str:
    """What a program prints; it cannot import Joinery."""
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([*map(str, command)], cwd="/", env=alone, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.parametrize("options", LAYOUTS, ids=lambda options: str(options["cache"]))
def test_the_python_page_gives_the_engine_s_tokens(built: Built, tmp_path: Path, options: dict[str, object]) -> None:
    bundle = built("demo:qwen3", **options)
    written = write_samples(bundle, tmp_path)
    assert {path.name for path in written.files} == {"generate.py", "generate.cpp", "Generate.cs", "serve.sh"}
    page = tmp_path / "generate.py"
    compile(page.read_text("utf-8"), page.name, "exec")
    for path in written.files:
        text = path.read_text("utf-8")
        assert "#?" not in text and "//?" not in text and (path.suffix == ".sh" or "$" not in text), path
    for ids, wanted in replies(bundle).items():
        made = run(sys.executable, page, bundle, "--ids", ids, "--max-new-tokens", 30)
        assert [int(one) for one in made.split(",")] == wanted
    assert run(sys.executable, page, bundle, PROMPTS[0]).strip() == "56"


@pytest.mark.skipif(HEADERS is None or shutil.which("c++") is None, reason="ONNXRUNTIME_INCLUDE names no headers")
@pytest.mark.parametrize("options", LAYOUTS, ids=lambda options: str(options["cache"]))
def test_the_cpp_page_gives_the_engine_s_tokens(built: Built, tmp_path: Path, options: dict[str, object]) -> None:
    import onnxruntime

    bundle = built("demo:qwen3", **options)
    write_samples(bundle, tmp_path)
    (library,) = (Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.*")
    (tmp_path / "libonnxruntime.so.1").symlink_to(library)
    program = tmp_path / "generate"
    run("c++", "-std=c++17", "-I", HEADERS, f"{program}.cpp", library, f"-Wl,-rpath,{tmp_path}", "-o", program)
    for ids, wanted in replies(bundle).items():
        assert [int(one) for one in run(program, bundle, ids, 30).split(",")] == wanted


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("sh") is None, reason="no curl")
def test_the_shell_page_asks_a_server(built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the token of the environment; a chat, its stream, a response and a completion."""
    bundle = built("demo:qwen3", cache="gqa")
    write_samples(bundle, tmp_path)
    with running({bundle.name: bundle}) as server:
        monkeypatch.setenv("JOINERY_SERVE_TOKEN", TOKEN)
        printed = run("sh", tmp_path / "serve.sh", server.url.removesuffix("/v1"), "What is 8 times 7?")
    chat, *stream, response, completion = [line for line in printed.splitlines() if line]
    assert json.loads(chat)["choices"][0]["message"]["content"] == "8 * 7 = 56"
    assert stream.pop() == "data: [DONE]"
    pieces = [json.loads(one.removeprefix("data: "))["choices"][0]["delta"].get("content") or "" for one in stream]
    assert "".join(pieces) == "8 * 7 = 56" and len(pieces) > 3
    assert json.loads(response)["output"][0]["content"][0]["text"] == "8 * 7 = 56"
    assert json.loads(completion)["object"] == "text_completion"


@pytest.mark.slow
def test_a_bundle_of_another_form_is_refused_by_its_reason(built: Built, tmp_path: Path) -> None:
    for source, said in (("demo:t5", "this bundle has several"), ("demo:vision", "has several")):
        with pytest.raises(RequestError, match=said):
            write_samples(built(source), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_a_page_cannot_hold_is_not_written(built: Built, tmp_path: Path) -> None:
    bundle = built("demo:qwen3", precision="fp16")
    written = write_samples(bundle, tmp_path)
    assert set(written.reasons) == {"generate.cpp", "Generate.cs"} and "float16" in written.reasons["generate.cpp"]
    (ids, wanted), *_ = replies(bundle).items()
    made = run(sys.executable, tmp_path / "generate.py", bundle, "--ids", ids, "--max-new-tokens", 30)
    assert [int(one) for one in made.split(",")] == wanted


def test_the_command_says_what_it_wrote(built: Built, tmp_path: Path) -> None:
    found = json.loads(
        run(sys.executable, "-m", "joinery", "samples", built("demo:qwen3"), "--out", tmp_path, "--json")
    )
    assert Path(found["files"][0]).name == "generate.py" and found["reasons"] == {}
