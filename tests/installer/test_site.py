"""The site of the documentation: each page once, and a dead link ends it. Sphinx comes from the package registry."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from installer import site


@pytest.mark.slow
def test_all_pages_are_in_it_and_a_dead_link_ends_it(tmp_path: Path) -> None:
    python = site.make_environment(tmp_path / "env")
    assert site.make_site(python, tmp_path / "site") == 0
    first = (tmp_path / "site" / "index.html").read_text("utf-8")
    for page in site.DOCS.glob("*.md"):
        assert (tmp_path / "site" / f"{page.stem}.html").is_file() and f'href="{page.stem}.html"' in first
    loaded = re.findall(r'(?:src|href)="(https?:[^"]+)"', first)
    assert not [one for one in loaded if not one.startswith(("https://www.sphinx-doc.org", "https://alabaster"))]
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# A\n\n## Part\n\n[good](b.md#other) [part](#part)\n", "utf-8")
    (docs / "b.md").write_text("# B\n\n## Other\n", "utf-8")
    assert site.make_site(python, tmp_path / "small", docs) == 0
    for dead in ("c.md", "b.md#nowhere"):
        (docs / "a.md").write_text(f"# A\n\n[dead]({dead})\n", "utf-8")
        assert site.make_site(python, tmp_path / "small", docs) == 1


def test_each_page_is_listed_once() -> None:
    listed = site.index({"guide-b", "guide-a", "speed", "first-steps", "reference-x"}).splitlines()
    assert [line for line in listed if "-" in line or line == "speed"] == [
        *("first-steps", "guide-a", "guide-b", "reference-x", "speed"),
    ]


def test_a_wrong_command_line() -> None:
    done = subprocess.run([sys.executable, site.__file__], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "FOLDER" in done.stderr
