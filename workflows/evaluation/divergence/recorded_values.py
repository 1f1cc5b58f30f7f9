"""The values of A, recorded on the machine where A runs and compared on the one where B runs.

    A's machine:  A, B's graphs, prompt ──record_values──▶ a file: digest, provider, feed plan, values of each run
    B's machine:  the file ──RecordedSubject──▶ in A's place in a search for the divergence

Both machines have both bundles, for the values are matched by the graphs; A runs on the first one, B on the second.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from workflows.bundle import Pipeline
from workflows.common.errors import JoineryError, RequestError
from workflows.common.files import atomic_target
from workflows.evaluation.divergence.feed_plan import FeedPlan, Run, make_feed_plan, prompt_ids, run_plan
from workflows.evaluation.divergence.matching import match_components
from workflows.evaluation.divergence.subject import OpenSubject, Subject, SubjectOptions, Values

_FACTS = "facts.json"
Places = dict[str, dict[str, str]]  # component → value → entry of the file


def record_values(
    a: SubjectOptions,
    b: SubjectOptions,
    prompt: str | Sequence[int],
    file: Path,
    *,
    steps: int,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Runs A and writes every value that a comparison with B needs. B's provider need not be here.

    Raises as `diverge` does, and OSError.
    """
    subjects = Subject(a), Subject(SubjectOptions(b.bundle, b.stage))
    opened = subjects[0].open({}), subjects[1].open({})
    own = subjects[0].bundle
    plan = make_feed_plan(opened, prompt_ids(subjects[0], prompt), steps)
    parts = match_components(subjects, opened, plan.runs)
    for one in opened:
        one.machine.close()
    taps: dict[str, list[str]] = {}
    for part in parts:
        taps.setdefault(part.a, []).extend([*(pair.a for pair in part.pairs), *part.leaves.values()])
    recorded = subjects[0].open(taps), subjects[1].open({})
    with atomic_target(file) as draft, zipfile.ZipFile(draft, "w") as archive:
        runs = [
            _write(archive, number, recorded[0].seen) for number, _ in enumerate(run_plan(recorded, plan, cancelled))
        ]
        facts = {"digest": own.digest, "provider": subjects[0].device.name, "plan": _plan_fields(plan), "runs": runs}
        archive.writestr(_FACTS, json.dumps(facts))


def _write(archive: zipfile.ZipFile, run: int, seen: Mapping[str, Values]) -> Places:
    """Writes the values of one run; returns where each is."""
    places: Places = {}
    for part, (component, values) in enumerate(seen.items()):
        for number, (name, array) in enumerate(values.items()):
            entry = f"{run}/{part}/{number}.npy"
            content = io.BytesIO()
            np.save(content, array, allow_pickle=False)
            archive.writestr(entry, content.getvalue())
            places.setdefault(component, {})[name] = entry
    return places


class RecordedSubject(Subject):
    """A side whose runs took place on another machine. plan: what it was fed; provider: where it ran."""

    def __init__(self, choice: SubjectOptions, file: Path) -> None:
        """Raises RequestError for a file that is no recording of this bundle, and as Subject does."""
        super().__init__(SubjectOptions(choice.bundle, choice.stage))
        try:
            self._archive = zipfile.ZipFile(file)
            facts = json.loads(self._archive.read(_FACTS))
            self.plan = _plan_of(facts["plan"])
            self.runs_on = str(facts["provider"])
            self._runs: list[Places] = facts["runs"]
            if len(self._runs) != len(self.plan.steps) + self.plan.source:
                raise ValueError("a run of the plan is missing")
            digest = facts["digest"]
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
            raise RequestError(f"{file} is no recording of a run: write one by `joinery diverge … --record`.") from None
        if digest != self.bundle.digest:
            raise RequestError(f"{file} is a recording of another bundle than {choice.bundle}.")

    def open(self, taps: Mapping[str, Collection[str]]) -> OpenSubject:
        """The recorded values; the machine, which runs nothing, where no value is wanted."""
        return RecordedRuns(self, self._values, taps) if taps else super().open(taps)

    def _values(self, run: int, taps: Mapping[str, Collection[str]]) -> dict[str, Values]:
        places = self._runs[run]
        try:
            return {
                component: {name: self._array(places[component][name]) for name in names}
                for component, names in taps.items()
                if component in places
            }
        except (KeyError, ValueError, zipfile.BadZipFile) as error:
            raise JoineryError(f"The recording lacks a value ({error}): record it again with these bundles.") from None

    def _array(self, entry: str) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
        array: np.ndarray[tuple[int, ...], np.dtype[np.generic]] = np.load(
            io.BytesIO(self._archive.read(entry)), allow_pickle=False
        )
        return array


class RecordedRuns(OpenSubject):
    """Shows one recorded run after another in place of running."""

    def __init__(
        self,
        subject: RecordedSubject,
        values: Callable[[int, Mapping[str, Collection[str]]], dict[str, Values]],
        taps: Mapping[str, Collection[str]],
    ) -> None:
        self.seen: dict[str, Values] = {}
        self._recorded, self._taps, self._run = values, taps, 0
        self._source = subject.plan.source
        self.pipeline = subject.bundle.pipeline

    def begin(self, pipeline: Pipeline, ids: Sequence[int]) -> None:
        self._run = 0
        self.seen = {}
        if self._source:
            self._show()

    def step(self, run: Run) -> None:
        self._show()

    def _show(self) -> None:
        self.seen = self._recorded(self._run, self._taps)
        self._run += 1


def _plan_fields(plan: FeedPlan) -> dict[str, object]:
    return {
        "ids": plan.ids,
        "tokens": plan.tokens,
        "chunks": plan.chunks,
        "token_by_token": plan.token_by_token,
        "source": plan.source,
    }


def _plan_of(fields: Mapping[str, object]) -> FeedPlan:
    """The plan of a recording. Raises KeyError, TypeError and ValueError for other fields."""
    ids, tokens, chunks = (fields[name] for name in ("ids", "tokens", "chunks"))
    if not (isinstance(ids, list) and isinstance(tokens, list) and isinstance(chunks, list)):
        raise TypeError("a plan has lists")
    runs = tuple((tuple(map(int, some)), "prefill" if phase == "prefill" else "decode") for some, phase in chunks)
    whole = bool(fields["token_by_token"]), bool(fields["source"])
    return FeedPlan(tuple(map(int, ids)), tuple(map(int, tokens)), runs, *whole)  # type: ignore[arg-type]
