"""The workflows for a public CI name what there is: they are written beside the code and not run here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def jobs(path: Path) -> dict[str, dict[str, object]]:
    found = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_workflow_names_is_there(path: Path) -> None:
    """Files, variants; neither secrets nor another registry."""
    text = path.read_text("utf-8")
    assert "not run" in text or "never run" in text
    named = re.findall(r"(?:installer|tests|\.ci)/[\w./]+\w", text)
    assert named and all((ROOT / name).exists() for name in named)
    assert "secrets." not in text and "index-url" not in text and "://" not in text
    variants = {str(row["variant"]) for job in jobs(path).values()
                for row in job["strategy"]["matrix"].get("include", [])}  # type: ignore[index]  # fmt: skip
    assert variants <= {one.stem for one in (ROOT / "installer" / "requirements").glob("*.txt")}


def test_windows_tries_every_variant_that_it_can_have() -> None:
    job = jobs(ROOT / ".github" / "workflows" / "windows.yml")["tests"]
    tried = {row["variant"] for row in job["strategy"]["matrix"]["include"]}  # type: ignore[index]
    assert tried == {one.stem for one in (ROOT / "installer" / "requirements").glob("*.txt")} - {"linux-qnn"}
