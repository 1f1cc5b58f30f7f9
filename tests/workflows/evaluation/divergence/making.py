"""Two bundles of one small model, one of which was changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from tests.workflows.runtime.toy_bundles import Toy
from workflows.evaluation.divergence import SubjectOptions, diverge
from workflows.interop.assemble import assemble
from workflows.wire.reports.divergence import DivergenceReport

IDS = (5, 9, 30, 7)
Edit = Callable[[onnx.ModelProto], None]


def bundle(folder: Path, toy: Toy, edit: Edit | None = None, parts: Sequence[str] = ("decoder",)) -> Path:
    """The toy as a bundle; edit: of the last of its graphs before that."""
    folder.mkdir()
    toy.write(folder, parts)
    if edit is not None:
        model = onnx.load(folder / f"{parts[-1]}.onnx")
        edit(model)
        onnx.save(model, folder / f"{parts[-1]}.onnx")
    assemble({part: folder / f"{part}.onnx" for part in parts}, folder / "bundle", _said(parts))
    return folder / "bundle"


def _said(parts: Sequence[str]) -> dict[str, object]:
    """Who feeds whom."""
    edges = [{"from": f"{one}.hidden_out", "to": f"{two}.hidden_in"} for one, two in pairwise(parts)]
    sessions = {part: {"file": f"{part}.onnx"} for part in parts}
    flow = [{"run": part} for part in parts]
    joined = {"sessions": sessions, "flow": flow, "dataflow": edges, "state": {"kv_cache": {}}}
    return {"pipeline": joined} if edges else {}


def scaled(weight: str, by: float, at: tuple[int, ...] | None = None, layers: int = 2) -> Toy:
    """The toy with one weight multiplied, or one element of it."""
    toy = Toy(layers=range(layers))
    if at is None:
        toy.weights[weight] = toy.weights[weight] * by
    else:
        toy.weights[weight][at] *= by
    return toy


def asked(a: Path, b: Path, ids: Sequence[int] = IDS, **options: int) -> DivergenceReport:
    """The report on two bundles as they run on the CPU."""
    return diverge(SubjectOptions(a), SubjectOptions(b), ids, **options)  # type: ignore[arg-type]


def users(folder: Path, values: np.ndarray, file: str = "decoder.onnx") -> list[str]:
    """The nodes that read the weight with these values, by their names in a report."""
    model = onnx.load(folder / file)
    wanted = values.astype(np.float32)
    names = {one.name for one in model.graph.initializer if np.array_equal(numpy_helper.to_array(one), wanted)}
    return [node.name or node.output[0] for node in model.graph.node if names & set(node.input)]
