"""A recording of A's values: found complete, refused in one sentence when damaged, and written whole or not at all."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.evaluation.divergence.making import IDS, asked, bundle, scaled
from tests.workflows.runtime.toy_bundles import Toy
from workflows.common.errors import Cancelled, JoineryError, RequestError
from workflows.evaluation.divergence import SubjectOptions, diverge, record_values
from workflows.wire.reports.divergence import DivergenceReport

Damage = Callable[[dict[str, Any]], object]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    return bundle(tmp_path / "a", Toy()), bundle(tmp_path / "b", scaled("1.o", 1.01))


def record(pair: tuple[Path, Path], file: Path, cancelled: Callable[[], bool] = lambda: False) -> Path:
    record_values(*map(SubjectOptions, pair), IDS, file, steps=2, cancelled=cancelled)
    return file


def compare(pair: tuple[Path, Path], file: Path) -> DivergenceReport:
    return diverge(*map(SubjectOptions, pair), [], recorded=file)


def rewritten(file: Path, damage: Damage, without: str = "") -> Path:
    """A copy of a recording with other facts, or without an entry."""
    target = file.with_name("damaged")
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            facts = json.loads(source.read(name)) if name == "facts.json" else None
            if facts is not None:
                damage(facts)
            if name != without:
                archive.writestr(name, source.read(name) if facts is None else json.dumps(facts))
    return target


def test_a_recording_stands_for_a(pair: tuple[Path, Path], tmp_path: Path) -> None:
    """The search finds the node that it finds when A runs."""
    found, expected = compare(pair, record(pair, tmp_path / "recording")), asked(*pair, steps=2)
    assert found.first is not None and found.first == expected.first and found.first.op == "MatMul"
    assert found.curve == expected.curve and found.token_ids == expected.token_ids


@pytest.mark.parametrize(
    "damage",
    [
        lambda facts: facts.pop("plan"),
        lambda facts: facts["plan"].update(ids="5,9"),
        lambda facts: facts["plan"].update(chunks=[[1, 2, 3]]),
        lambda facts: facts["runs"].pop(),
        lambda facts: facts.update(runs=3),
    ],
)
def test_odd_facts_are_refused(pair: tuple[Path, Path], tmp_path: Path, damage: Damage) -> None:
    file = rewritten(record(pair, tmp_path / "recording"), damage)
    with pytest.raises(RequestError, match=f"{file} is no recording of a run: write one by"):
        compare(pair, file)


def test_a_missing_value_is_named(pair: tuple[Path, Path], tmp_path: Path) -> None:
    file = rewritten(record(pair, tmp_path / "recording"), lambda _: None, without="0/0/0.npy")
    with pytest.raises(JoineryError, match=r"The recording lacks a value .*0/0/0\.npy.*: record it again"):
        compare(pair, file)


def test_a_cancelled_recording_leaves_nothing(pair: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(Cancelled):
        record(pair, folder / "recording", lambda: True)
    assert list(folder.iterdir()) == []
