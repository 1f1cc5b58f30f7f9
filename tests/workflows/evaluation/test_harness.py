"""lm-eval with bundles, in an environment of its own: its sqlitedict has no wheel that the locks could hold."""

from __future__ import annotations

import subprocess
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = "lm-eval==0.4.13"


@pytest.mark.real
def test_requests_are_answered_as_lm_eval_s_own_model_does(tmp_path: Path) -> None:
    """The cases of harness_cases, with this environment's packages behind lm-eval's."""
    venv.create(tmp_path / "env", with_pip=True)
    folder, python = tmp_path / "env", tmp_path / "env" / "bin" / "python"
    packages = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    (Path(packages) / "lent.pth").write_text(sysconfig.get_path("purelib"))
    subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGE], check=True, timeout=600)
    cases = str(Path(__file__).with_name("harness_cases.py"))
    command = [python, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", cases]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
