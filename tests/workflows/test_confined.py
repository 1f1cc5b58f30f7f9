"""What comes from elsewhere is opened by processes without a network: none opens a file of it while it has one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.cli.test_commands import FETCHING
from tests.workflows.test_canaries import to_its_end
from workflows.builder import evaluate
from workflows.cli.commands import BUNDLE_COMMANDS
from workflows.common.errors import BundleError
from workflows.wire.request_lines import to_line
from workflows.wire.requests import (
    NETWORK_REQUESTS,
    AddMachine,
    Build,
    CheckMachine,
    Eval,
    EvalTasks,
    InstallPart,
    InstallPlugin,
    PlanRecipe,
    PreloadModules,
    ProbeSource,
    Request,
    RunSweep,
)

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "resources" / "demos" / "qwen3"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process can give it up, which is said")

LINES: dict[str, list[str]] = {
    "build": ["build", "CHECKPOINT", "--out", "OUT", "--set", "cache=none"],
    "eval": ["eval", "BUNDLE", "--against", "CHECKPOINT", "--task", "BUNDLE/../rows.jsonl"],
    "generate": ["generate", "BUNDLE", "--prompt", "8*7=", "--max-new-tokens", "1"],
    "chat": ["chat", "BUNDLE"],
    "embed": ["embed", "BUNDLE", "--text", "8*7="],
    "rank": ["rank", "BUNDLE", "--query", "8*7=", "--text", "56"],
    "classify": ["classify", "BUNDLE", "--text", "8*7="],
    "depth": ["depth", "BUNDLE", "--picture", "BUNDLE/pipeline.json", "--out", "OUT.png"],
    "inspect": ["inspect", "BUNDLE"],
    "bench": ["bench", "BUNDLE", "--prompt-tokens", "2", "--new-tokens", "1", "--repeats", "1"],
    "verify": ["verify", "BUNDLE"],
    "assemble": ["assemble", "decoder=BUNDLE/decoder.onnx", "--out", "OUT"],
    "diverge": ["diverge", "BUNDLE", "BUNDLE", "--prompt", "8*7=", "--steps", "1"],
    "preflight": ["preflight", "BUNDLE", "--provider", "cpu"],
    "profile": ["profile", "BUNDLE", "--steps", "1"],
    "compile": ["compile", "BUNDLE", "--provider", "cpu"],
    "report": ["report", "BUNDLE", "--out", "OUT.md"],
    "import": ["import", "BUNDLE/../peer", "--out", "OUT"],
    "export-genai": ["export-genai", "BUNDLE", "--out", "OUT"],
    "export-gguf": ["export-gguf", "BUNDLE", "--out", "OUT.gguf"],
    "samples": ["samples", "BUNDLE", "--out", "OUT"],
}
"""Each command that opens what comes from elsewhere; some refuse what they have opened, which is soon told."""
QUICK = ("build", "generate", "inspect", "import")
"""A checkpoint, a bundle that runs, one that is read, and what another tool made; the others are slow."""


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory, demo_bundle: Path) -> Path:
    """A folder with a checkpoint and a bundle."""
    root = tmp_path_factory.mktemp("foreign").resolve()
    shutil.copytree(DEMO, root / "checkpoint")
    shutil.copytree(demo_bundle, root / "bundle")
    (root / "rows.jsonl").write_text("no row", "utf-8")
    (root / "peer").mkdir()
    (root / "peer" / "genai_config.json").write_text("{}", "utf-8")
    return root


def watched(foreign: Path, place: str, arguments: list[str]) -> subprocess.Popen[str]:
    """A process that tells what it opens."""
    foreign.with_name("told").write_text("")
    own = [str(Path(__file__).with_name("opened.py")), str(foreign), str(foreign.with_name("told")), place]
    env = os.environ | {"PYTHONPATH": str(ROOT), "JOINERY_HOME": str(foreign.with_name("home"))}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-P", *own, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=env, encoding="utf-8"
    )


def opened(foreign: Path) -> tuple[list[str], list[str]]:
    """What was opened when it could connect, and when it could not."""
    told = foreign.with_name("told").read_text("utf-8").splitlines()
    return [one for one in told if one.startswith("open ")], [one for one in told if one.startswith("shut ")]


def placed(arguments: list[str], foreign: Path, out: Path) -> list[str]:
    names = {"CHECKPOINT": str(foreign / "checkpoint"), "BUNDLE": str(foreign / "bundle"), "OUT": str(out / "out")}
    for name, path in names.items():
        arguments = [one.replace(name, path) for one in arguments]
    return arguments


def test_every_command_that_opens_is_tried() -> None:
    assert set(LINES) == BUNDLE_COMMANDS | FETCHING


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in LINES]
)
def test_a_command_opens_nothing_while_it_could_connect(foreign: Path, tmp_path: Path, name: str) -> None:
    process = watched(foreign, "workflows.cli:main", placed(LINES[name], foreign, tmp_path))
    said = process.communicate("", timeout=300)[1]
    before, after = opened(foreign)
    assert before == [] and "Traceback" not in said, said
    assert after or name == "compile"  # no provider here compiles, which is told before anything is opened


def jobs(foreign: Path, out: Path) -> list[Request[Any]]:
    """Those that may ask the hub, with something that they open; Warm and InstallPlugin open nothing of anybody's,

    and a sweep has a process for each step.
    """
    source, bundle = str(foreign / "checkpoint"), str(foreign / "bundle")
    wrong = {"cache": "none"}
    return [ProbeSource(source), PlanRecipe(source, {}), Build(source, str(out / "out"), wrong), Eval(bundle, bundle)]


def test_every_job_that_may_connect_is_tried(tmp_path: Path) -> None:
    own = {PreloadModules, InstallPlugin, InstallPart, RunSweep, AddMachine, CheckMachine}
    own.add(EvalTasks)  # lm-eval, which fetches its data, is no part of this environment
    assert {type(one) for one in jobs(tmp_path, tmp_path)} | own == set(NETWORK_REQUESTS)


@pytest.mark.parametrize("number", [0, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3))])
def test_a_worker_opens_nothing_while_it_could_connect(foreign: Path, tmp_path: Path, number: int) -> None:
    """A probe opens nothing by itself, for the next one may ask the hub."""
    request = jobs(foreign, tmp_path)[number]
    with watched(foreign, "workflows.service.worker:main", []) as worker:
        assert worker.stdin and worker.stdout
        worker.stdin.write(to_line(1, request) + "\n")
        worker.stdin.flush()
        *_, last = to_its_end(worker.stdout, 1)
        worker.stdin.close()
    before, after = opened(foreign)
    assert before == [] and bool(after) == isinstance(request, Build | Eval)
    assert last["event"] == ("error" if isinstance(request, Build) else "result"), last


def test_what_a_probe_reads_is_read_by_a_process_without_a_network(foreign: Path) -> None:
    found = {"folder": str(foreign / "checkpoint"), "source": "it", "kind": "folder", "revision": ""}
    process = watched(foreign, "workflows.inspection.probe.isolated_probe:main", [])
    hello, answer = process.communicate(json.dumps({"found": found, "options": None}) + "\n", 60)[0].splitlines()
    before, after = opened(foreign)
    assert before == [] and after
    assert json.loads(hello) == {"open": ""} and json.loads(answer)["report"]["model_type"] == "qwen3"


def test_what_is_no_bundle_is_reported_before_anything_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "find_checkpoint", lambda *_, **__: pytest.fail("it was looked for"))
    with pytest.raises(BundleError, match="is not a bundle: it has no manifest"):
        evaluate.evaluate(evaluate.EvalRequest(tmp_path, "org/model"))
