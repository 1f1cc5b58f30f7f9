"""The wheel: one name at the top of site-packages, which works beside packages of the names that are within it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.traps import SPRUNG, lay_only, lay_traps, sprung

ROOT = Path(__file__).parents[2]
OURS = ("app", "workflows", "resources")


def make_wheel(folder: Path) -> Path:
    """The wheel of this checkout, in a folder."""
    hatch = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    made = subprocess.run(hatch, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert made.returncode == 0, made.stderr
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What site-packages has of the wheel, beside packages of our names that end whoever imports them."""
    root = tmp_path_factory.mktemp("wheel")
    folder = lay_only(root / "site", *OURS)
    with zipfile.ZipFile(make_wheel(root)) as wheel:
        wheel.extractall(folder)
    return folder


def run(site: Path, cwd: Path, *arguments: str) -> str:
    """What a Python prints that finds `site` before this environment's packages. Fails if it ends badly."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    environment |= {"PYTHONPATH": str(site), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_one_name_is_at_the_top_and_pictures_of_the_readme_are_left_out(site: Path) -> None:
    """Beside the one that describes the wheel."""
    with zipfile.ZipFile(next(site.parent.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        [entries] = [wheel.read(name).decode() for name in names if name.endswith("entry_points.txt")]
    own, [described] = (
        [name for name in names if name.startswith("joinery/")],
        {name.partition("/")[0] for name in names if not name.startswith("joinery/")},
    )
    assert described.endswith(".dist-info")
    assert {name.split("/")[1] for name in own} == {*OURS, "__init__.py", "__main__.py"}
    assert {name.split("/")[2] for name in own if name.startswith("joinery/resources/")} >= {"docs", "locks", "demos"}
    assert not [name for name in own if name.startswith("joinery/resources/pictures/")]
    assert "joinery = joinery.__main__:main" in entries


def test_it_runs_beside_packages_of_the_same_names(site: Path, demo_bundle: Path, tmp_path: Path) -> None:
    """The command line, the processes that it starts, the window's program and a program of a user."""
    traps = lay_traps(tmp_path / "here", "app", "workflows", "joinery")
    asked = ("generate", str(demo_bundle), "--chat", "--prompt", "What is 8 times 7?", "--max-new-tokens", "8")
    assert "56" in run(site, traps, "-P", "-m", "joinery", *asked)
    code = """
import joinery, subprocess, sys, os
from workflows.process.subprocesses import module_search_path, python_command
import app, resources, workflows.generate
assert {os.path.dirname(os.path.dirname(one.__file__)) for one in (app, resources, workflows)} == {joinery.__path__[0]}
environment = os.environ | {"PYTHONPATH": module_search_path(os.environ["PYTHONPATH"])}
for module, arguments in (("app", ["--help"]), ("workflows.service.worker", [])):
    subprocess.run([*python_command(module), *arguments], env=environment, input=b"", check=True)
"""
    run(site, traps, "-P", "-c", code)
    assert sprung(site) == "" and sprung(traps) == ""


def test_the_module_runs_nothing_of_the_current_folder(site: Path, tmp_path: Path) -> None:
    """Started without -P, as a person may; but Python itself looks for `joinery` in the current folder."""
    traps = lay_traps(tmp_path / "here", "app", "workflows")
    assert "CPU: usable" in run(site, traps, "-m", "joinery", "devices")
    assert sprung(site) == "" and sprung(traps) == ""


def test_other_programs_of_the_environment_keep_their_packages(site: Path, tmp_path: Path) -> None:
    """The control: without `import joinery` the three names are the others' (which end the process here)."""
    for name in OURS:
        with pytest.raises(AssertionError):
            run(site, tmp_path, "-P", "-c", f"import {name}")
    assert sprung(site).split() == list(OURS)
    (site / SPRUNG).unlink()
