"""The page beside an exported folder: it compiles, says the bundle's own facts, and runs the model greedily."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.interop.native import Grouped, built
from tests.workflows.interop.test_folders import IDS
from workflows.interop.genai_export import export_genai

# what a page may ask of the module, and nothing else; it writes down what it was asked
FAKE = """
import json
ASKED = {}
class Model:
    def __init__(self, folder): ASKED["folder"] = folder
class Tokenizer:
    def __init__(self, model): pass
    def encode(self, text): ASKED["text"] = text; return [3, 4]
    def apply_chat_template(self, *, messages, add_generation_prompt):
        return f"<{json.loads(messages)[0]['content']}>" + ":" * add_generation_prompt
    def create_stream(self): return self
    def decode(self, token): return f"[{token}]"
class GeneratorParams:
    def __init__(self, model): pass
    def set_search_options(self, **options): ASKED.update(options)
class Generator:
    def __init__(self, model, parameters): self.left = 3
    def append_tokens(self, ids): ASKED["ids"] = list(ids)
    def is_done(self):
        if not self.left: print(json.dumps(ASKED))
        return not self.left
    def generate_next_token(self): self.left -= 1
    def get_next_tokens(self): return [self.left]
"""
TEMPLATE = json.dumps({"chat_template": "{{ messages[0].content }}"})


def exported(folder: Path, **words: str) -> Path:
    built(folder / "b", Grouped(narrow=4), words={name.replace("_json", ".json"): text for name, text in words.items()})
    export_genai(folder / "b", folder / "g")
    return folder / "g"


def run(folder: Path, *arguments: str, fake: bool = True) -> str:
    path = {"PYTHONPATH": str(folder.parent)} if fake else {}
    if fake:
        (folder.parent / "onnxruntime_genai.py").write_text(FAKE)
    command = [sys.executable, str(folder / "sample.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=path)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_ids_in_ids_out(tmp_path: Path) -> None:
    """Greedy, as long as is asked for and the context allows."""
    folder = exported(tmp_path)
    output = run(folder, "--ids", "7,8,9", "--max-new-tokens", "5")
    asked = json.loads(output[output.index("{") : output.index("}") + 1])
    assert output.startswith("2 1 0 ")
    assert asked == {"folder": str(folder), "ids": [7, 8, 9], "max_length": 8, "do_sample": False}
    assert '"max_length": 64' in run(folder, "--ids", "7,8,9", "--max-new-tokens", "500")


@pytest.mark.parametrize("chats", [True, False])
def test_a_prompt_goes_through_the_template_where_there_is_one(chats: bool, tmp_path: Path) -> None:
    words = {"tokenizer_config_json": TEMPLATE} if chats else {}
    output = run(exported(tmp_path, **words), "hello")
    assert output.startswith("[2][1][0]")
    assert f'"text": "{"<hello>:" if chats else "hello"}"' in output


def test_a_name_ends_no_string(tmp_path: Path) -> None:
    """Whatever the model is called, the page is a page."""
    name = 'evil"""\n$x `rm` */ {}'
    built(tmp_path / "b", Grouped(), metadata={"name": name})
    export_genai(tmp_path / "b", tmp_path / "g")
    page = (tmp_path / "g" / "sample.py").read_text("utf-8")
    compile(page, "sample.py", "exec")
    assert page.startswith('"""Runs evil_____x _rm_ __ __ with onnxruntime-genai')
    assert "constexpr double context = 64;" in (tmp_path / "g" / "sample.cpp").read_text("utf-8")


@pytest.mark.skipif(find_spec("onnxruntime_genai") is None, reason="onnxruntime-genai is not installed")
def test_with_the_wheel(tmp_path: Path) -> None:
    """The tokens that numpy chooses."""
    toy = Grouped(narrow=4)
    ids = IDS[:9]
    output = run(exported(tmp_path), "--ids", ",".join(map(str, ids)), "--max-new-tokens", "6", fake=False)
    expected: list[int] = []
    while len(expected) < 6:
        n = np.arange(len(ids) + len(expected))
        seen = np.stack([n[:, None] >= n, (n[:, None] >= n) & (n[:, None] - n < 4)])
        expected.append(int(toy.truth([*ids, *expected], visible=seen)[-1].argmax()))
    assert [int(token) for token in output.split()] == expected
