"""Trials: a mix is measured over the reference's own tokens, each once, whatever becomes of the process."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from workflows.bundle.read import read_bundle, unverified_bundle
from workflows.common.errors import Cancelled
from workflows.evaluation.goal import Trials, find_units
from workflows.evaluation.goal.search_units import FULL, LEVELS, Mix, PrecisionLevel
from workflows.graph.weights import load_saved_graph
from workflows.recipe import QuantizeSettings

SETS = {"judge": [(5, 9, 12), (7, 3)], "rank": [(11, 4, 8)]}
SETTINGS = QuantizeSettings(accuracy_level=1)


def trials(folder: Path, bundle: Path, **options: object) -> Trials:
    if not folder.exists():
        shutil.copytree(bundle, folder)
    reference = unverified_bundle(folder, read_bundle(bundle).pipeline, str(folder))
    graphs = {one.file: load_saved_graph(folder / one.file) for one in reference.pipeline.pipeline.sessions.values()}
    return Trials(reference, find_units(graphs, SETTINGS, LEVELS, tables=True), SETTINGS, SETS, **options)


def throughout(made: Trials, level: PrecisionLevel) -> Mix:
    return tuple(unit.nearest(level) for unit in made.units)


def test_a_mix_is_measured_once_and_read_afterwards(
    demo_split_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = trials(tmp_path / "t", demo_split_bundle, texts=True)
    full, small = (made.measure(throughout(made, level), "judge") for level in (FULL, PrecisionLevel("int4")))
    assert (full.top1, full.kl, full.perplexity) == (1.0, 0.0, 1.0)
    assert 0 < small.kl < 1 and small.perplexity != 1.0 and full.positions == small.positions > 2
    later = trials(tmp_path / "t", demo_split_bundle, texts=True)
    monkeypatch.setattr("workflows.evaluation.goal.trials.open_machine", None)  # which is not needed again
    assert later.is_measured(throughout(later, PrecisionLevel("int4")), "judge")
    assert later.measure(throughout(later, PrecisionLevel("int4")), "judge") == small


def test_a_point_that_was_cut_short_is_measured_again(demo_split_bundle: Path, tmp_path: Path) -> None:
    def stop() -> None:
        raise Cancelled("Stopped.")

    made = trials(tmp_path / "t", demo_split_bundle)
    mix = throughout(made, PrecisionLevel("int8"))
    made.measure(mix, "rank")
    stopped = trials(tmp_path / "t", demo_split_bundle, check=stop)
    assert stopped.measure(mix, "rank").positions > 0  # it was known
    with pytest.raises(Cancelled):
        stopped.measure(mix, "judge")
    assert not stopped.is_measured(mix, "judge") and not (tmp_path / "t" / "reference-judge.json").exists()
    assert trials(tmp_path / "t", demo_split_bundle).measure(mix, "judge").top1 == 1.0


def test_parts_are_made_once_and_no_weight_is_in_the_graph(demo_split_bundle: Path, tmp_path: Path) -> None:
    made = trials(tmp_path / "t", demo_split_bundle)
    made.measure(throughout(made, PrecisionLevel("int4")), "rank")
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / "t").glob("part-*.data")}
    assert len(parts) > 2 * len(made.units)
    half = tuple(PrecisionLevel("int4") if place % 2 else FULL for place in range(len(made.units)))
    graphs = made._graphs(half)
    assert graphs.keys() == {"prefill", "decode"} and max(map(len, graphs.values())) < 300_000
    assert parts == {path: path.stat().st_mtime_ns for path in (tmp_path / "t").glob("part-*.data")}
    assert json.loads((tmp_path / "t" / "reference-rank.json").read_text())["positions"] > 0
