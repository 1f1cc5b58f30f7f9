"""Running needs no build part: every command of the table, with torch hidden, and in an environment of the wheel alone.

fast: one process in which torch and the others cannot be imported, nor in those that it starts
slow: a wheel of this checkout, installed by pip into an empty environment
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.conftest import Built
from tests.workflows.predict.text_bundles import made_bundle
from tests.workflows.run_part import USES, judge
from workflows.bundle.text_tasks import ClassificationSettings, EmbeddingSettings, NormalizeStep
from workflows.cli.commands import COMMANDS
from workflows.common.build_part_finder import PACKAGES

ROOT = Path(__file__).parents[2]
DEMOS = ROOT / "resources" / "demos"
HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""
NO_INDEX = re.compile(r"No matching distribution|ConnectionError|name resolution|Network is unreachable|timed out")


@pytest.fixture(scope="module")
def places(default_bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The bundles that need no build of their own, and the other files."""
    root = tmp_path_factory.mktemp("places")
    embedding = EmbeddingSettings(pooling=["mean"], steps=[NormalizeStep()])
    one, two = (ClassificationSettings(labels=labels) for labels in (["score"], ["good", "bad"]))
    (root / "plan.toml").write_text('sources = ["demo:qwen3"]\n', "utf-8")
    (root / "prompts.txt").write_text("8*7=\n", "utf-8")
    return {
        "BUNDLE": str(default_bundle),
        "EMBEDDER": str(made_bundle(root / "embedder", embedding=embedding, task="feature-extraction")),
        "RERANKER": str(made_bundle(root / "reranker", "logits", 1, tokens=12, classification=one)),
        "CLASSIFIER": str(made_bundle(root / "classifier", "logits", 2, tokens=12, classification=two)),
        "PROMPTS": str(root / "prompts.txt"),
        "PLAN": str(root / "plan.toml"),
        "PICTURE": str(DEMOS / "vision-pictures" / "2-four-black-squares.png"),
        "CLIP": str(DEMOS / "whisper-clips" / "en-nine.wav"),
    }


def test_every_command_is_in_the_table() -> None:
    assert {use.line.split()[0] for use in USES.values()} == set(COMMANDS)


def test_every_command_runs_or_names_the_part(places: dict[str, str], tmp_path: Path) -> None:
    """Without torch, transformers, onnxscript and sentencepiece, on bundles that were built with them."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(HIDE.format(packages=PACKAGES), "utf-8")
    own = {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path / "site", ROOT))), "JOINERY_HOME": str(tmp_path / "home")}
    (tmp_path / "places.json").write_text(json.dumps({**places, "OUT": str(tmp_path)}), "utf-8")
    command = [sys.executable, "-P", str(Path(__file__).with_name("run_part.py")), str(tmp_path / "places.json")]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | own, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = json.loads(done.stdout.splitlines()[-1])
    assert len(outcomes) == len(USES) - 3  # those that see and listen take a build, and `tune` a minute
    assert [why for name, (code, text) in outcomes.items() if (why := judge(USES[name], code, text, build=False))] == []


@pytest.fixture(scope="module")
def run_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel's own requirements alone."""
    root = tmp_path_factory.mktemp("environment")
    quiet = {"capture_output": True, "text": True, "check": False, "timeout": 900}
    hatch = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", str(root)]
    made = subprocess.run(hatch, cwd=ROOT, **quiet)
    assert made.returncode == 0, made.stderr
    assert subprocess.run([sys.executable, "-P", "-m", "venv", str(root / "venv")], **quiet).returncode == 0
    python = root / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    [wheel] = root.glob("*.whl")
    pip = subprocess.run([str(python), "-m", "pip", "install", "--only-binary", ":all:", str(wheel)], **quiet)
    if pip.returncode and NO_INDEX.search(pip.stderr):
        pytest.skip("no package index can be reached")
    assert pip.returncode == 0, pip.stderr[-2000:]
    return python


@pytest.mark.slow
def test_the_wheel_alone_runs_every_command(
    run_environment: Path, places: dict[str, str], built: Built, tmp_path: Path
) -> None:
    """Each as a process of its own, as a person calls it, on bundles of all kinds."""
    listing = [str(run_environment), "-m", "pip", "list", "--format=freeze"]
    installed = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.lower()
    assert [name for name in PACKAGES if f"\n{name}==" in installed] == []
    more = {"OUT": str(tmp_path), "SEEING": str(built("demo:vision")), "LISTENING": str(built("demo:whisper"))}
    own = {"JOINERY_HOME": str(tmp_path / "home"), "PYTHONPATH": ""}
    wrong = []
    for use in USES.values():
        command = [str(run_environment), "-P", "-m", "joinery", *use.arguments(places | more)]
        done = subprocess.run(command, capture_output=True, text=True, input="What is 8 times 7?\n", timeout=300,
                              env=os.environ | own, cwd=tmp_path, check=False)  # fmt: skip
        wrong += [why] if (why := judge(use, done.returncode, done.stdout + done.stderr, build=False)) else []
    assert wrong == []


@pytest.mark.slow
def test_with_the_build_part_every_command_does_its_work(places: dict[str, str], built: Built, tmp_path: Path) -> None:
    """The other column of the table, in this environment."""
    more = {"OUT": str(tmp_path), "SEEING": str(built("demo:vision")), "LISTENING": str(built("demo:whisper"))}
    (tmp_path / "places.json").write_text(json.dumps(places | more), "utf-8")
    own = {"PYTHONPATH": str(ROOT), "JOINERY_HOME": str(tmp_path / "home")}
    command = [
        sys.executable,
        "-P",
        str(Path(__file__).with_name("run_part.py")),
        str(tmp_path / "places.json"),
        "slow",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | own, cwd=tmp_path, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = json.loads(done.stdout.splitlines()[-1])
    assert set(outcomes) == set(USES)
    assert [why for name, (code, text) in outcomes.items() if (why := judge(USES[name], code, text, build=True))] == []
