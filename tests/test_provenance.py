"""Every table of figures names the commit of its run; a warning says which are older than the code they describe."""

from __future__ import annotations

import re
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import provenance
from tests.provenance import ROOT, UnknownCommitError, header_line, runs_in

DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "resources/docs").glob("*.md")),
    *sorted((ROOT / "tests").rglob("*.md")),
]
FIGURE = re.compile(r"\**[\d.,]+( ?[%×]| of \d+)?( \([^)]*\))?( / [\d.,]+( \([^)]*\))?)?\**")
VERDICTS = ("equal", "refused", "fails")


class StaleTableWarning(UserWarning):
    """A table whose sources changed since its run."""


def tables(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each table of a document: what stands before it since the last one, and the cells of its body."""
    before: list[str] = []
    rows: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append(line)
            continue
        if rows:
            yield "\n".join(before), [cell.strip() for row in rows[2:] for cell in row.strip("|").split("|")]
            before, rows = [], []
        before.append(line)


def measured(cells: list[str]) -> bool:
    """Whether it is a table of figures or verdicts: a third of its cells are."""
    return 3 * sum(bool(FIGURE.fullmatch(cell)) or cell in VERDICTS for cell in cells) >= len(cells) > 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_tables_of_figures_name_the_commit_of_their_run(document: Path) -> None:
    """In the text above them; a table below another one of the same run may go without."""
    known = False
    for before, cells in tables(document.read_text("utf-8")):
        known = bool(list(runs_in(before))) or (known and "\n#" not in before)
        assert known or not measured(cells), f"{document.name}: no commit of the run above {cells[:4]}"
    for run in runs_in(document.read_text("utf-8")):
        assert all((ROOT / source).exists() for source in run.sources), f"{run.sources}: not all of them exist"
        if run.dirty:
            warnings.warn(f"{document.name}: made with uncommitted changes", StaleTableWarning, stacklevel=1)
        try:
            changes = run.changes()
        except UnknownCommitError:
            warnings.warn(f"{document.name}: commit {run.commit} is unknown here", StaleTableWarning, stacklevel=1)
            continue
        if changes:
            told = f"{document.name}: {len(changes)} commits since {run.commit} changed {', '.join(run.sources)}"
            warnings.warn(told, StaleTableWarning, stacklevel=1)


def test_a_change_of_a_source_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def commit(name: str, text: str) -> None:
        (tmp_path / name).write_text(text)
        subprocess.run(["git", "-C", tmp_path, "add", name], check=True)
        author = ["-c", "user.name=n", "-c", "user.email=e", "-c", "core.hooksPath=/dev/null"]
        subprocess.run(["git", "-C", tmp_path, *author, "commit", "-qm", f"Write {name}"], check=True)

    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    commit("a.py", "1")
    commit("b.py", "1")
    line = header_line("a.py")
    (run,) = runs_in(f"# Title\n\n{line}\n")
    assert run.sources == ("a.py",) and not run.dirty and run.changes() == []
    commit("b.py", "2")
    assert run.changes() == []
    (tmp_path / "a.py").write_text("2")
    assert [one.dirty for one in runs_in(header_line("a.py"))] == [True]
    commit("a.py", "2")
    assert [change.split(" ", 1)[1] for change in run.changes()] == ["Write a.py"]
    with pytest.raises(FileNotFoundError, match=r"none\.py"):
        header_line("none.py")
    with pytest.raises(UnknownCommitError):
        next(runs_in(line.replace(run.commit, "0" * 12))).changes()


def test_a_table_without_its_commit_is_noticed() -> None:
    ((_, cells),) = tables("| a | b |\n|---|---|\n| x | 12.5 (1.10) |\n| y | equal |\n")
    assert measured(cells)
    ((_, cells),) = tables("| a | b |\n|---|---|\n| fast tests | `pytest -n 2` |\n")
    assert not measured(cells)
