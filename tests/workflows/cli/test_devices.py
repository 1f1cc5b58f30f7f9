"""`joinery devices --install` and `--uninstall`: a person on a terminal is asked, a script is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.workflows.processor.test_tuning import NARROW, WIDE
from workflows.bundle import read_bundle
from workflows.cli import app
from workflows.cli import devices as command
from workflows.runtime import device_named, open_machine
from workflows.runtime.providers import install

PIP = "import sys\nfrom pathlib import Path\nPath(__file__).with_name('ran').open('a').write(sys.argv[1] + ' ')\n"


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pip that only writes down what it is asked; the file that it writes."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "pip.py").write_text(PIP)
    monkeypatch.setattr("workflows.runtime.devices", list)
    return tmp_path / "ran"


def ran(pip: Path) -> list[str]:
    return pip.read_text().split() if pip.exists() else []


@pytest.mark.parametrize("option", ["install", "uninstall"])
def test_a_script_is_not_asked(pip: Path, option: str) -> None:
    result = CliRunner().invoke(app, ["devices", f"--{option}", "qnn"])
    assert result.exit_code == 0, result.output
    assert ran(pip) == [option] and "?" not in result.output


@pytest.mark.parametrize("option", ["install", "uninstall"])
@pytest.mark.parametrize(("answer", "agreed"), [("\n", False), ("n\n", False), ("y\n", True), ("", False)])
def test_a_person_is_asked_and_the_default_is_no(
    pip: Path, monkeypatch: pytest.MonkeyPatch, option: str, answer: str, agreed: bool
) -> None:
    monkeypatch.setattr(command, "is_terminal", lambda: True)
    result = CliRunner().invoke(app, ["devices", f"--{option}", "qnn"], input=answer)
    assert ran(pip) == (["config", option] if agreed else ["config"])
    assert "onnxruntime-qnn 2.7.0" in result.output
    if option == "install":
        hashes = install.describe_plugin("qnn").hashes
        assert all(one in result.output for one in hashes) and "https://pypi.org/simple" in result.output


def test_who_says_yes_beforehand_is_not_asked(pip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "is_terminal", lambda: True)
    assert CliRunner().invoke(app, ["devices", "--install", "qnn", "--yes"]).exit_code == 0
    assert ran(pip) == ["install"]


def test_what_a_bundle_takes_of_the_memory(default_bundle: Path) -> None:
    """The lines of its weights, a token's rows, the free memory and the tokens that fit, and the same as JSON."""
    result = CliRunner().invoke(app, ["devices", str(default_bundle)])
    lines = dict(line.split(": ", 1) for line in result.output.splitlines() if ": " in line)
    assert {"weights in memory", "keys and values of a token", "memory free before opening"} <= lines.keys()
    bundle = read_bundle(default_bundle)
    whole = f"{bundle.pipeline.capacity:,}"
    assert lines["tokens that fit beside the weights"] == f"{whole}, of a capacity of {whole}"
    memory = json.loads(CliRunner().invoke(app, ["devices", str(default_bundle), "--json"]).output)["memory"]
    assert lines["weights in memory"] == f"{memory['weights_bytes'] / 2**20:,.1f} MiB" and memory["mapped_bytes"] == 0
    with open_machine(bundle, device_named("cpu")) as machine:
        rows = sum(tensor.bytes_per_slot for tensor in machine.cache.tensors.values())
    assert memory["kv_bytes_per_token"] == rows
    assert "memory" not in json.loads(CliRunner().invoke(app, ["devices", "--json"]).output)


def test_both_at_once_are_refused(pip: Path) -> None:
    result = CliRunner().invoke(app, ["devices", "--install", "qnn", "--uninstall", "qnn"])
    assert result.exit_code != 0 and ran(pip) == []


@pytest.mark.parametrize(("processor", "compact"), [(WIDE, "40.4 GB"), (NARROW, "44.1 GB")])
def test_which_models_fit(monkeypatch: pytest.MonkeyPatch, processor: str, compact: str) -> None:
    """A table of well-known models with their sizes in each preset, and the same as JSON.

    `compact` has the blocks that are fast on the processor.
    """
    monkeypatch.setattr("workflows.processor.tuning.processor_name", lambda: processor)
    shown = CliRunner().invoke(app, ["devices", "--models"], env={"COLUMNS": "300"}).output
    report = json.loads(CliRunner().invoke(app, ["devices", "--models", "--json"]).output)
    names = [one["name"] for one in report["models"]]
    assert "Qwen/Qwen3-0.6B" in names and all(name.rpartition("/")[2] in shown for name in names)
    lines = shown.splitlines()
    at = next(number for number, line in enumerate(lines) if "Llama-3.3-70B" in line)
    assert "141.1 GB" in lines[at] and compact in lines[at] and "70.6 B" in lines[at + 1]
