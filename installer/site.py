"""Makes the documentation a site that needs no server and no network: `python3 installer/site.py FOLDER`.

    resources/docs/*.md ──pages by kind──▶ sphinx, in an environment of its own ──▶ FOLDER/index.html

A dead link, an unknown anchor or a page that cannot be read ends it with exit code 1.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "resources" / "docs"
PACKAGES = ("sphinx==9.0.4", "myst-parser==5.2.0")
KINDS = (("Begin", ("first-steps",)), ("Guides", ("guide-*",)), ("Reference", ("command-line", "reference-*")))
REST = "In depth"
CONFIG = """
project = "Joinery"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "alabaster"
html_copy_source = False
"""


def index(names: set[str]) -> str:
    """The first page: the pages by kind, each once. names: those of the pages, without their ending."""
    lines, left = ["# Joinery", ""], set(names)
    kinds = [(kind, sorted(name for one in given for name in names if Path(name).match(one))) for kind, given in KINDS]
    left -= {name for _, chosen in kinds for name in chosen}
    for kind, chosen in [*kinds, (REST, sorted(left))]:
        lines += ["```{toctree}", f":caption: {kind}", ":maxdepth: 1", "", *chosen, "```", ""]
    return "\n".join(lines)


def make_environment(folder: Path) -> Path:
    """An environment with sphinx in `folder`; returns its Python. Raises CalledProcessError where pip fails."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    subprocess.run([str(python), "-P", "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def make_site(python: Path, out: Path, docs: Path = DOCS) -> int:
    """Writes the site of a folder of pages to `out`; returns sphinx's exit code, 0 where all links lead somewhere."""
    pages = {file.stem: file.read_text("utf-8") for file in docs.glob("*.md")}
    with tempfile.TemporaryDirectory() as name:
        source, trees = Path(name) / "pages", Path(name) / "trees"
        source.mkdir()
        for page, text in {**pages, "index": index(set(pages))}.items():
            (source / f"{page}.md").write_text(text, "utf-8")
        (source / "conf.py").write_text(CONFIG, "utf-8")
        words = ["-P", "-m", "sphinx", "-q", "-W", "--keep-going", "-n", "-d", str(trees), str(source), str(out)]
        return subprocess.run([str(python), *words], check=False).returncode


def main() -> None:
    """Ends with 0, 1 for a page that is wrong, or 2 for a wrong command line."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.stderr.write("python3 installer/site.py FOLDER: the folder that the site is written to.\n")
        sys.exit(2)
    with tempfile.TemporaryDirectory() as name:
        sys.exit(make_site(make_environment(Path(name)), Path(sys.argv[1])))


if __name__ == "__main__":
    main()
