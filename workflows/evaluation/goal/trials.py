"""Measures mixes against the saved outputs of the reference.

    reference ──the sets of prompts──▶ tokens, logits (a file), scores        Mix ──graphs──▶ session ──▶ TrialFigures

Both are saved atomically when they are measured, so that a restarted search reads them.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
import onnx_ir as ir

from workflows.bundle import Bundle
from workflows.common.errors import LogitsError, RecipeError
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.evaluation.accuracy.compared_side import Logits
from workflows.evaluation.accuracy.statistics import Agreement, NextToken, RunningMean, perplexity, wilson_lower_bound
from workflows.evaluation.accuracy.tasks import FileTask
from workflows.evaluation.goal.goal_prompts import Ids
from workflows.evaluation.goal.search_units import Mix, SearchUnit, mix_recipe, other_weight_bytes
from workflows.generate import Engine
from workflows.graph.weights import load_saved_graph
from workflows.quantize import METHODS
from workflows.quantize.base import run_method
from workflows.quantize.mixed_precision import MixedPrecision
from workflows.quantize.tensor_cache import TensorCache
from workflows.recipe import QuantizeSettings
from workflows.runtime import device_named, open_machine
from workflows.runtime.loading.memory_plan import mapped_options

STEPS = 16  # new tokens a prompt: as many as an evaluation has


@dataclass(frozen=True)
class TrialFigures:
    """The figures of a mix. kl: mean, in nats; None if the logits are not numbers. perplexity, task: relative to the
    reference's; None if not requested. seconds: of the measurement. kl_error: the standard error of the mean."""

    positions: int
    top1: float
    kl: float | None
    perplexity: float | None = None
    task: float | None = None
    seconds: float = 0.0
    kl_error: float = 0.0

    def of(self, metric: str) -> float | None:
        return {"top1": self.top1, "kl": self.kl, "perplexity": self.perplexity, "task": self.task}[metric]

    def at_worst(self, metric: str) -> float | None:
        """Returns the figure with a margin of one standard error, as it may be over other prompts.

        A top-1 agreement of 1 stays 1, however few the positions are. Perplexity, a ratio over the same tokens, and the
        task's score have no margin.
        """
        if metric == "top1" and self.top1 < 1:
            return wilson_lower_bound(self.top1, self.positions)
        if metric == "kl" and self.kl is not None:
            return self.kl + self.kl_error
        return self.of(metric)


@dataclass(frozen=True)
class _ReferenceRun:
    """The reference's outputs over one set: ids and tokens by prompt, and the logits of each token."""

    steps: Sequence[tuple[Ids, list[int]]]
    logits: Logits  # [positions, V], mapped
    perplexity: float | None
    right: int


class Trials:
    """Measures mixes of `units` on a reference, and saves the figures in its folder.

    sets: name → prompts. texts: whether the perplexity of the prompts is measured. task: measured with the set "judge".
    check: raises Cancelled.
    """

    def __init__(
        self,
        reference: Bundle,
        units: Sequence[SearchUnit],
        settings: QuantizeSettings,
        sets: Mapping[str, Sequence[Ids]],
        *,
        texts: bool = False,
        task: FileTask | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._bundle, self.units, self.settings, self._sets = reference, units, settings, sets
        self._texts, self._task, self._check = texts, task, check
        self._sessions = {name: one.file for name, one in reference.pipeline.pipeline.sessions.items()}
        self._parts = TensorCache(reference.folder)
        self._rest = other_weight_bytes(self._load(), units)
        self._kept: dict[str, _ReferenceRun] = {}

    def bytes_of(self, mix: Mix) -> int:
        """Returns the size of all weights, in bytes, over all components."""
        pairs = zip(self.units, mix, strict=True)
        return self._rest + sum(unit.bytes_at(level, self.settings.symmetric) for unit, level in pairs)

    def is_measured(self, mix: Mix, of: str) -> bool:
        """Whether the mix was measured before over the set `of`."""
        return self._place(mix, of).is_file()

    def measure(self, mix: Mix, of: str) -> TrialFigures:
        """Returns the figures of a mix over the set `of`, from the saved file if there is one."""
        place = self._place(mix, of)
        if place.is_file():
            return TrialFigures(**json.loads(place.read_text("utf-8")))
        began = time.monotonic()
        figures = self._run_mix(mix, of)
        figures = TrialFigures(**{**asdict(figures), "seconds": round(time.monotonic() - began, 3)})
        _write(place, json.dumps(asdict(figures)))
        return figures

    def _run_mix(self, mix: Mix, of: str) -> TrialFigures:
        reference = self._reference(of)
        side, agreement = self._open(self._graphs(mix)), Agreement(overlaps=False)
        try:
            return self._compared(side, agreement, reference, of)
        except LogitsError:  # from which no token can be chosen: worse than any figure
            return TrialFigures(len(reference.logits), 0.0, None)
        finally:
            side.engine.close()

    def _compared(self, side: ComparedBundle, agreement: Agreement, reference: _ReferenceRun, of: str) -> TrialFigures:
        before, text = iter(reference.logits), RunningMean()
        for ids, tokens in reference.steps:
            self._check()
            for row, token in _positions(side, ids, tokens):
                ours = NextToken(row)
                agreement.add(NextToken(np.array(next(before))), ours)
                if token is not None:
                    text.add(ours.surprise(token))
        over, task = None, None
        if reference.perplexity is not None and (candidate := perplexity(text)) is not None:
            over = candidate / reference.perplexity
        if reference.right:
            task = self._score(side) / reference.right
        top1, kl = agreement.top1.mean, agreement.kl.mean
        kl = None if agreement.not_finite else kl
        return TrialFigures(agreement.positions, top1 or 0.0, kl, over, task, kl_error=agreement.kl.error or 0.0)

    def _graphs(self, mix: Mix) -> dict[str, bytes]:
        """Returns the reference's graphs with the mix's weights by session; the weights stay in files."""
        precision, settings = mix_recipe(self.units, mix, self.settings)
        method, by_file = MixedPrecision(METHODS.get(precision)), dict[str, bytes]()
        for file, model in self._load().items():
            run_method(model, method, settings)
            by_file[file] = self._parts.serialized(model)
        return {name: by_file[file] for name, file in self._sessions.items()}

    def _load(self) -> dict[str, ir.Model]:
        return {file: load_saved_graph(self._bundle.file(file)) for file in dict.fromkeys(self._sessions.values())}

    def _open(self, graphs: Mapping[str, bytes] | None = None) -> ComparedBundle:
        options = mapped_options(self._bundle, graphs)
        machine = open_machine(self._bundle, device_named("cpu"), session_options=options, graphs=graphs)
        return ComparedBundle(Engine(self._bundle, machine, 0.0))

    def _score(self, side: ComparedBundle) -> int:
        assert self._task is not None  # else nothing was right
        right = 0
        for question in self._task.questions:
            self._check()
            right += self._task.is_right(question, side.reply(self._task, question, lambda: False))
        return right

    def _reference(self, of: str) -> _ReferenceRun:
        if of not in self._kept:
            facts, logits = (self._bundle.folder / f"reference-{of}.{end}" for end in ("json", "logits"))
            if not facts.is_file():
                self._run_reference(of, facts, logits)
            saved = json.loads(facts.read_text("utf-8"))
            rows = np.memmap(logits, np.float32, "r", shape=(saved["positions"], saved["vocabulary"]))
            steps = [(tuple(ids), tokens) for ids, tokens in saved["steps"]]
            self._kept[of] = _ReferenceRun(steps, rows, saved["perplexity"], saved["right"])
        return self._kept[of]

    def _run_reference(self, of: str, facts: Path, logits: Path) -> None:
        side, steps, positions, text = self._open(), list[tuple[Ids, list[int]]](), 0, RunningMean()
        with logits.open("wb") as file:
            for ids in self._sets[of]:
                self._check()
                room = side.room - (0 if side.has_source else len(ids) - 1)
                tokens = side.greedy(ids, max(1, min(STEPS, room)), lambda: False)
                steps.append((ids, tokens))
                for row, token in _positions(side, ids, tokens):
                    file.write(np.ascontiguousarray(row, np.float32).data)
                    positions += 1
                    if token is not None:
                        text.add(NextToken(row).surprise(token))
        right = self._score(side) if self._task is not None and of == "judge" else 0
        vocabulary = logits.stat().st_size // 4 // max(1, positions)
        known = perplexity(text) if self._texts else None
        figures = {"steps": steps, "positions": positions, "vocabulary": vocabulary}
        side.engine.close()
        _write(facts, json.dumps(figures | {"perplexity": known, "right": right}))

    def check_reference(self) -> None:
        """Raises RecipeError if the reference gives no figure to compare with."""
        reference = self._reference("judge")
        if self._texts and reference.perplexity is None:
            raise RecipeError("The goal perplexity needs prompts of two tokens at least: give others with --prompts.")
        if self._task is not None and not reference.right:
            raise RecipeError(
                f"The model itself answers none of the {len(self._task.questions):,} questions of "
                f"{self._task.path.name}, so there is no score to keep: check its columns and how replies are judged."
            )

    def _place(self, mix: Mix, of: str) -> Path:
        key = hashlib.sha256(json.dumps([of, *map(str, mix)]).encode()).hexdigest()[:24]
        return self._bundle.folder / f"point-{key}.json"


def _positions(side: ComparedBundle, ids: Ids, tokens: Sequence[int]) -> Iterator[tuple[Logits, int | None]]:
    """Yields the logits [V] at the positions of a prompt and of the reference's tokens, and the text's next token.

    The text is the prompt, or the reference's answer if an encoder reads the prompt; None beyond it.
    """
    read = (row for block in side.read(ids) for row in block.logits)
    yield from zip(read, ids[1:], strict=False)
    followed = (row for block in side.follow(ids, tokens) for row in block.logits)
    yield from zip(followed, tokens if side.has_source else repeat(None), strict=False)


def _write(path: Path, text: str) -> None:
    draft = path.with_suffix(".draft")
    draft.write_text(text, "utf-8")
    draft.replace(path)
