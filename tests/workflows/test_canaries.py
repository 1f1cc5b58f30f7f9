"""Every canary in one place: code that lies where somebody may have put it, and that must not run. None fires.

    shadowing     36 modules and more in the current folder, by every way into Joinery
    pickle        weights, tensors and tokenizers that run code when they are opened
    remote code   a checkpoint's own modules, named in every place that transformers looks for them
    templates     chat templates that reach for Python's objects
    plugins       an installed distribution that nobody allowed; a library of operators that a bundle names

A canary leaves a file when it runs. Each kind has a control that shows that it sings.
"""

from __future__ import annotations

import ast
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest

from tests.traps import lay_traps, sprung
from tests.workflows.common.test_plugins import distribution
from workflows.bundle.manifest import make_manifest
from workflows.cli import run
from workflows.wire.events import FINAL_EVENTS
from workflows.wire.request_lines import to_line
from workflows.wire.requests import Build, PreloadModules

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "resources" / "demos" / "qwen3"
SITE = ("sitecustomize", "usercustomize")

# ---- shadowing -------------------------------------------------------------------------------------------------------

INSTALLER = str(ROOT / "installer" / "bootstrap.py")
APART = {"JOINERY_APART_SECONDS": "60"}  # what run_apart tells a process that it starts
WAYS: dict[str, tuple[list[str], str]] = {
    "app/__main__.py": (["-m", "app", "--help"], ""),
    "app/main.py": (["-m", "app.main", "--help"], ""),
    "app/text/__main__.py": (["-m", "app.text", "--help"], ""),
    "workflows/__main__.py": (["-m", "workflows", "devices"], ""),
    "workflows/service/worker.py": (["-m", "workflows.service.worker"], '{"id": 1, "job": "devices"}\n'),
    "workflows/templates/renderer.py": (["-m", "workflows.templates.renderer"], '{"sources": {"a": "b"}}\n'),
    "workflows/inspection/probe/isolated_probe.py": (["-m", "workflows.inspection.probe.isolated_probe"], ""),
    "workflows/checkpoint/torch_weights.py": (
        ["-m", "workflows.checkpoint.torch_weights", '{"files": [], "most": 17179869184}'],
        "",
    ),
    "workflows/builder/isolated_export.py": (["-m", "workflows.builder.isolated_export", "{}"], ""),
    "workflows/runtime/providers/find_device.py": (["-m", "workflows.runtime.providers.find_device", "qnn"], ""),
    "workflows/runtime/providers/fetch.py": (["-m", "workflows.runtime.providers.fetch", "qnn"], ""),
    "workflows/process/pip.py": (["-m", "workflows.process.pip", "", "--version"], ""),
    "workflows/service/build_part.py": (["-m", "workflows.service.build_part", "absent"], ""),
    "workflows/runtime/providers/preflight.py": (
        ["-m", "workflows.runtime.providers.preflight", "absent", "cpu", "{}", ""],
        "",
    ),
    "workflows/runtime/providers/context_compiler.py": (
        ["-m", "workflows.runtime.providers.context_compiler", "absent", "cpu", "{}", "", "draft"],
        "",
    ),
    "workflows/measure/profile.py": (["-m", "workflows.measure.profile", "absent", "cpu", "1", ""], ""),
    "workflows/process/guard.py": (
        ["-m", "workflows.process.guard", str(os.getpid()), "workflows.templates.renderer"],
        '{"sources": {"a": "b"}}\n',
    ),
    "workflows/service/remote/agent.py": (["-m", "workflows.service.remote.agent"], ""),
    "workflows/service/remote/bridge.py": (["-m", "workflows.service.remote.bridge", "absent"], ""),
    "workflows/service/sweep/step_process.py": (["-m", "workflows.service.sweep.step_process", "absent", "{}"], ""),
    "installer/bootstrap.py": ([INSTALLER, "test", "--dry-run"], ""),
    "installer/supply.py": ([str(ROOT / "installer" / "supply.py"), "--help"], ""),
    "installer/freeze.py": ([str(ROOT / "installer" / "freeze.py"), "--help"], ""),
    "installer/frozen/program.py": ([str(ROOT / "installer" / "frozen" / "program.py"), "devices"], ""),
    "installer/joinery/__main__.py": ([str(ROOT / "installer" / "joinery" / "__main__.py"), "devices"], ""),
    "installer/references.py": ([str(ROOT / "installer" / "references.py"), "--help"], ""),
    "installer/forms_table.py": ([str(ROOT / "installer" / "forms_table.py"), "--help"], ""),
    "installer/site.py": ([str(ROOT / "installer" / "site.py"), "--help"], ""),
}
"""What can be started by hand → its arguments to Python, without -P, and what it is told."""


def plain() -> dict[str, str]:
    """The environment of a person who has set nothing."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return env | {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}


def started(
    arguments: list[str], folder: Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Python, from within the folder, without -P."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=plain() | environment,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def test_every_way_in_is_listed() -> None:
    """Whatever has a part that runs when it is started, resources' training scripts aside."""
    files = [path for folder in ("app", "workflows", "installer") for path in sorted((ROOT / folder).rglob("*.py"))]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in files
        if path.name == "__main__.py" or any(is_start(node) for node in ast.parse(path.read_text("utf-8")).body)
    }
    assert found == set(WAYS)


def is_start(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


@pytest.mark.parametrize("way", WAYS)
def test_no_way_in_runs_what_lies_in_the_current_folder(tmp_path: Path, way: str) -> None:
    """Whatever it makes of its arguments: it came as far as reading them, and sprung no trap on its way."""
    traps = lay_traps(tmp_path / "checkpoint", *SITE)
    assert len(list(traps.glob("*.py"))) >= 36
    arguments, stdin = WAYS[way]
    done = started(arguments, traps, stdin, **APART)
    assert sprung(traps) == ""
    assert done.returncode in (0, 1, 2), done.stderr
    assert "ModuleNotFoundError" not in done.stderr and "ImportError" not in done.stderr, done.stderr


@pytest.mark.slow
def test_a_warm_builder_runs_nothing_of_the_current_folder(tmp_path: Path) -> None:
    """torch and transformers read ahead, then a build by the same worker, as the window has it."""
    traps = lay_traps(tmp_path / "checkpoint", *SITE)
    line, pipe = [sys.executable, "-m", "workflows.service.worker"], subprocess.PIPE
    with subprocess.Popen(line, cwd=traps, env=plain(), stdin=pipe, stdout=pipe, encoding="utf-8") as worker:
        assert worker.stdin and worker.stdout
        for ident, request in enumerate((PreloadModules(), Build("demo:qwen3", str(tmp_path / "out")))):
            worker.stdin.write(to_line(ident, request) + "\n")
            worker.stdin.flush()
            told = [one["event"] for one in to_its_end(worker.stdout, ident)]
            assert told[-1:] != ["error"], told
        worker.stdin.close()
    assert sprung(traps) == "" and worker.returncode == 0
    assert (tmp_path / "out" / "manifest.json").exists()


def to_its_end(lines: Iterable[str], ident: int) -> Iterator[dict[str, Any]]:
    """What is told of a job, to its end."""
    for told in map(json.loads, lines):
        if told["job"] == ident:
            yield told
            if told["event"] in {one.event for one in FINAL_EVENTS}:
                return


@pytest.mark.slow
def test_the_window_runs_nothing_of_the_current_folder(tmp_path: Path) -> None:
    """Every page of it: the tour converts the demo, chats, and draws each."""
    traps = lay_traps(tmp_path / "checkpoint", *SITE)
    done = started(["-m", "app", "--tour", str(tmp_path / "tour")], traps, JOINERY_HOME=str(tmp_path / "home"))
    assert sprung(traps) == "" and done.returncode == 0, done.stderr
    assert len(list((tmp_path / "tour").glob("*.png"))) > 5


# ---- what a checkpoint, a bundle and an environment bring along ------------------------------------------------------


@pytest.fixture
def nest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that a canary leaves; a home of its own, and the current folder elsewhere."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    return tmp_path / "sung"


class Song:
    """Pickled, it leaves the file when it is opened."""

    def __init__(self, nest: Path) -> None:
        self.nest = nest

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return (os.mkdir, (str(self.nest),))


def checkpoint(folder: Path) -> Path:
    return Path(shutil.copytree(DEMO, folder))


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def looked_at(folder: Path, out: Path, bundle: Path) -> list[int]:
    """The exit codes of all that opens a checkpoint."""
    judged: list[Any] = ["eval", bundle, "--against", folder, "--steps", "1", "--questions", "0"]
    told: list[list[Any]] = [["inspect", folder], ["build", folder, "--out", out], judged]
    return [run([str(one) for one in line]) for line in told]


def test_the_pickle_sings(nest: Path) -> None:
    pickle.loads(pickle.dumps(Song(nest)))
    assert nest.exists()


PICKLES = ("pytorch_model.bin", "model.pt", "model.pth", "model.pkl", "consolidated.00.pth", "model.ckpt")


@pytest.mark.parametrize("name", [*PICKLES, "model.safetensors"])
def test_no_pickle_is_opened(
    tmp_path: Path, nest: Path, demo_bundle: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Alone, or in the place of the weights."""
    folder = checkpoint(tmp_path / "checkpoint")
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(pickle.dumps(Song(nest)))
    assert 0 not in looked_at(folder, tmp_path / "out", demo_bundle)
    assert not nest.exists() and "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_weights_of_pytorch_run_nothing(
    legacy: bool, tmp_path: Path, nest: Path, demo_bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one pickle that is read, with a song among its tensors."""
    import torch

    folder = checkpoint(tmp_path / "checkpoint")
    (folder / "model.safetensors").unlink()
    sung = {"lm_head.weight": torch.zeros(2, 2), "song": Song(nest)}
    torch.save(sung, folder / "pytorch_model.bin", _use_new_zipfile_serialization=not legacy)
    assert 0 not in looked_at(folder, tmp_path / "out", demo_bundle)
    assert not nest.exists() and "mkdir, which no weights need, so it is refused" in capsys.readouterr().err


@pytest.mark.slow
def test_pickles_beside_sound_weights_stay_shut(tmp_path: Path, nest: Path) -> None:
    """What transformers would take for arguments, a vocabulary or an adapter, too; the build itself is made."""
    folder = checkpoint(tmp_path / "checkpoint")
    for name in (*PICKLES, "training_args.bin", "adapter_model.bin", "optimizer.pt", "tokenizer.pkl"):
        (folder / name).write_bytes(pickle.dumps(Song(nest)))
    assert run(["build", str(folder), "--out", str(tmp_path / "out")]) == 0
    assert not nest.exists()


AUTO = {"AutoConfig": "canary.Config", "AutoModelForCausalLM": "canary.Model", "AutoTokenizer": [None, "canary.Tokens"]}
REMOTE: dict[str, dict[str, dict[str, Any]]] = {
    "a model": {"config.json": {"auto_map": AUTO}},
    "a model of an unknown type": {"config.json": {"auto_map": AUTO, "model_type": "canary"}},
    "a tokenizer": {"tokenizer_config.json": {"auto_map": AUTO, "tokenizer_class": "Tokens"}},
    "a tokenizer, by itself": {"tokenizer_config.json": {"auto_map": {"AutoTokenizer": ["canary.Tokens", None]}}},
    "generation": {"generation_config.json": {"custom_generate": "canary", "auto_map": AUTO}},
    "deep inside": {"config.json": {"text_config": {"auto_map": AUTO}}},
    "another repository": {"config.json": {"auto_map": {"AutoConfig": "some/where--canary.Config"}}},
    "an attention of the hub": {"config.json": {"_attn_implementation": "canary/kernels"}},
    "a quantizer": {"config.json": {"quantization_config": {"quant_method": "canary", "auto_map": AUTO}}},
}


@pytest.mark.parametrize("case", REMOTE)
def test_no_code_of_a_checkpoint_runs_unasked(
    tmp_path: Path,
    nest: Path,
    demo_bundle: Path,
    case: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Refused, or built without it: its modules, the hook files of its folder and of the current one are not run."""
    folder = checkpoint(tmp_path / "checkpoint")
    for file, changes in REMOTE[case].items():
        edit(folder / file, **changes)
    song = f"import os\nos.makedirs({str(nest)!r}, exist_ok=True)\n"
    for name in ("canary.py", "setup.py", "conftest.py", "custom_generate/generate.py", *(f"{one}.py" for one in SITE)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(song + "class Config: ...\nclass Model: ...\nclass Tokens: ...\n")
    monkeypatch.chdir(folder)
    looked_at(folder, tmp_path / "out", demo_bundle)
    assert not nest.exists() and "Traceback" not in capsys.readouterr().err


ESCAPES = {
    "a global": "{{ X.__init__.__globals__['os'].mkdir(NEST) }}".replace("X", "cycler"),
    "the filter's module": "{{ lipsum.__globals__['os'].mkdir(NEST) }}",
    "subclasses": (
        "{% for c in ''.__class__.__mro__[1].__subclasses__() %}{% if c.__init__.__globals__ %}"
        "{{ c.__init__.__globals__['__builtins__']['__import__']('os').mkdir(NEST) }}{% endif %}{% endfor %}"
    ),
    "by filter": "{{ (lipsum|attr('__globals__'))['os'].mkdir(NEST) }}",
    "by format": "{{ '{0.__globals__[os].mkdir}'.format(lipsum)(NEST) }}",
    "by map": "{{ ([lipsum]|map(attribute='__globals__.os')|first).mkdir(NEST) }}",
    "the template itself": "{{ self._TemplateReference__context.eval_ctx.environment.loader.os.mkdir(NEST) }}",
    "our own helpers": "{{ raise_exception.__globals__['os'].mkdir(NEST) }}{{ strftime_now.__globals__ }}",
}


def test_the_template_sings(nest: Path) -> None:
    """Three of them do, in a plain environment."""
    for name in ("a global", "the filter's module", "by filter"):
        jinja2.Template(ESCAPES[name].replace("NEST", repr(str(nest)))).render()
        assert nest.exists(), name
        nest.rmdir()


@pytest.mark.parametrize("case", ESCAPES)
def test_no_template_runs_code(
    tmp_path: Path, nest: Path, demo_bundle: Path, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a bundle that is whole: its manifest was made with the template in it."""
    folder = Path(shutil.copytree(demo_bundle, tmp_path / "bundle"))
    source = ESCAPES[case].replace("NEST", repr(str(nest)))
    (folder / "tokenizer" / "chat_template.jinja").write_text(source, "utf-8")
    (folder / "manifest.json").write_text(make_manifest(folder).model_dump_json(), "utf-8")
    assert run(["generate", str(folder), "--prompt", "8*7=", "--chat", "--max-new-tokens", "1"]) != 0
    assert not nest.exists()
    assert "chat template" in capsys.readouterr().err


def test_no_plugin_runs_that_nobody_allowed(
    tmp_path: Path,
    nest: Path,
    demo_bundle: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Listed, and asked for by name; an operator's library that a bundle names is not even looked for."""
    distribution(tmp_path / "site", "Canary.Bird", "1.0", f"import os\nos.makedirs({str(nest)!r})\n", "canary_song")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert run(["plugins", "list"]) == 0
    assert run(["generate", str(demo_bundle), "--prompt", "x", "--max-new-tokens", "1"]) == 0
    folder = Path(shutil.copytree(demo_bundle, tmp_path / "bundle"))
    program = json.loads((folder / "pipeline.json").read_text("utf-8"))
    program["pipeline"]["controller"] = {"library": "canary-bird", "entry_point": "sing"}
    (folder / "pipeline.json").write_text(json.dumps(program), "utf-8")
    (folder / "manifest.json").write_text(make_manifest(folder).model_dump_json(), "utf-8")
    assert run(["generate", str(folder), "--prompt", "x", "--max-new-tokens", "1"]) != 0
    assert "joinery plugins allow canary-bird" in capsys.readouterr().err
    library = ["--session-option", f"custom_ops_library={tmp_path / 'canary.so'}"]
    assert run(["generate", str(demo_bundle), "--prompt", "x", *library]) != 0
    assert "custom_ops_library is code" in capsys.readouterr().err
    assert not nest.exists() and "canary_song" not in sys.modules


def test_the_plugin_sings(tmp_path: Path, nest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a person allows it and something asks for it."""
    from workflows.common.plugins import allow, load

    song = f"import os\nos.makedirs({str(nest)!r})\ndef sing(context):\n    return 'tweet'\n"
    distribution(tmp_path / "site", "Canary.Bird", "1.0", song, "canary_song")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    allow("canary-bird")
    load("canary-bird", "sing")
    sys.modules.pop("canary_song")
    assert nest.exists()
