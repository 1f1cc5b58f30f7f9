"""The build part in a folder of Joinery's own: found by every process, after the environment's own packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workflows.common import build_part_finder
from workflows.common.build_part import part_folder
from workflows.common.build_part_finder import is_installed

ROOT = Path(__file__).parents[3]
HIDE = """
import sys
from importlib.machinery import PathFinder
class NotHere(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name == "torch" else super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = NotHere
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def printed(code: str, home: Path, site: Path) -> str:
    """What a process prints that has no torch of its own."""
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(HIDE, "utf-8")
    env = os.environ | {"JOINERY_HOME": str(home), "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, env=env, check=False)
    return (done.stdout + done.stderr.strip().rpartition("\n")[2]).strip()


def test_imports_find_the_folder(home: Path, tmp_path: Path) -> None:
    """What the part brings along is found from then on; without the folder nothing is, and with it no other name."""
    code = "import workflows, {0}; print({0}.__file__)"
    torch, brought = code.format("torch"), code.format("brought_along")
    assert printed(torch, home, tmp_path / "site") == "ModuleNotFoundError: No module named 'torch'"
    folder = part_folder()
    assert folder.parent == home / "parts"
    folder.mkdir(parents=True)
    (folder / "torch.py").write_text("import brought_along\n", "utf-8")
    (folder / "brought_along.py").write_text("", "utf-8")
    assert printed(torch, home, tmp_path / "site") == str(folder / "torch.py")
    assert "No module named 'brought_along'" in printed(brought, home, tmp_path / "site")


def test_the_environment_s_own_packages_come_first(home: Path, tmp_path: Path) -> None:
    folder = part_folder()
    folder.mkdir(parents=True)
    for name in ("torch", "transformers", "numpy"):
        (folder / f"{name}.py").write_text("", "utf-8")
    code = "import workflows, torch; from importlib.util import find_spec as find; "
    code += "print(find('numpy').origin, find('transformers').origin)"
    assert str(folder) not in printed(code, home, tmp_path / "site")


def test_the_part_is_installed_only_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_installed()
    monkeypatch.setattr(build_part_finder, "PACKAGES", (*build_part_finder.PACKAGES, "a_package_that_is_not_there"))
    assert not is_installed()
