"""The released onnxruntime-genai itself: the peers' folders are really its own, and what is exported here runs there.

It runs in a process of its own, and is skipped where the wheel is not installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.interop import peers
from tests.workflows.interop.native import Convolved, Grouped, built
from tests.workflows.interop.test_folders import IDS
from tests.workflows.interop.test_genai_export import visible
from tests.workflows.runtime.toy_bundles import Toy
from workflows.interop.genai_export import export_genai
from workflows.interop.genai_import import import_genai

pytestmark = pytest.mark.skipif(find_spec("onnxruntime_genai") is None, reason="onnxruntime-genai is not installed")
ALONE = 4  # tokens that go in one by one
ASK = """
import json, sys
import numpy as np
import onnxruntime_genai as og
folder, ids, alone = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
model = og.Model(folder)
parameters = og.GeneratorParams(model)
parameters.set_search_options(max_length=60, do_sample=False)
generator = og.Generator(model, parameters)
rows = []
for tokens in (ids[:-alone], *([token] for token in ids[-alone:])):
    generator.append_tokens(tokens)
    rows.append(np.asarray(generator.get_logits()).reshape(-1, 40)[-1].tolist())
print(json.dumps(rows))
"""


def wheel(folder: Path, ids: Sequence[int]) -> Any:
    """The wheel's logits after the prompt and after each of the last tokens."""
    command = [sys.executable, "-c", ASK, str(folder), json.dumps(list(ids)), str(ALONE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return np.array(json.loads(done.stdout.splitlines()[-1]))


def check(folder: Path, truth: Any, ids: Sequence[int]) -> None:
    np.testing.assert_allclose(wheel(folder, ids), truth[-1 - ALONE :], atol=5e-4)


@pytest.mark.parametrize("kind", ["single", "renamed", "grouped", "combined", "staged"])
def test_the_peers_folders_and_what_becomes_of_them(kind: str, tmp_path: Path) -> None:
    """As they are, and exported again after an import."""
    (tmp_path / "p").mkdir()
    toy = getattr(peers, kind)(tmp_path / "p")
    ids = IDS[:12]
    n = np.arange(len(ids))
    seen = (n[:, None] >= n) & (n[:, None] - n < (toy.window or len(ids)))
    check(tmp_path / "p", toy.truth(ids, visible=seen), ids)
    import_genai(tmp_path / "p", tmp_path / "b")
    export_genai(tmp_path / "b", tmp_path / "g")
    check(tmp_path / "g", toy.truth(ids, visible=seen), ids)


TOYS: dict[str, tuple[Toy, tuple[str, ...]]] = {
    "plain": (Toy(), ("decoder",)),
    "windowed": (Grouped(narrow=4), ("decoder",)),
    "staged": (Grouped(narrow=4), ("table", "body", "head")),
    "convolved": (Convolved(), ("decoder",)),
}


@pytest.mark.parametrize("length", [ALONE + 1, 20])
@pytest.mark.parametrize("kind", TOYS)
def test_our_graphs_run_there(kind: str, length: int, tmp_path: Path) -> None:
    toy, parts = TOYS[kind]
    built(tmp_path / "b", toy, parts)
    export_genai(tmp_path / "b", tmp_path / "g")
    check(tmp_path / "g", toy.truth(IDS[:length], visible=visible(toy, length)), IDS[:length])


def test_the_wheel_refuses_what_joinery_refuses(tmp_path: Path) -> None:
    """Version 2, which it does not read yet."""
    built(tmp_path / "b", Toy())
    export_genai(tmp_path / "b", tmp_path / "g", version=2)
    with pytest.raises(AssertionError, match="pipeline"):
        wheel(tmp_path / "g", IDS[:9])
