"""The table of a log: as Markdown, as JSON and as a picture."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.benchmarks.peers.environments import PEERS
from tests.benchmarks.peers.rounds import Log
from tests.benchmarks.peers.rows import ROWS, Goal, Row


@dataclass
class Table:
    """What stands in the cells. told: where, when and of what, line by line. machine: the processor's name."""

    log: Log
    engines: Sequence[str]
    told: Sequence[str]
    rows: Sequence[Row] = ROWS
    machine: str = ""
    _notes: list[str] = field(default_factory=list)

    def markdown(self) -> str:
        """The table, the reasons of its gaps, and how it was made."""
        self._notes = []
        self._medians = self.log.medians()
        heads = ["", "unit", *(PEERS[engine].title for engine in self.engines), "goal for Joinery"]
        lines = [heads, ["---", "---", *("---:" for _ in self.engines), "---"], *map(self._line, self.rows)]
        body = ["| " + " | ".join(line) + " |" for line in lines]
        notes = [f"{number}. {note}" for number, note in enumerate(self._notes, 1)]
        facts = [f"- {fact}" for fact in (*self.told, *self._disturbance())]
        return "\n".join(["# Joinery beside its peers", "", *facts, "", *body, "", *notes, ""])

    def as_json(self) -> str:
        """Every sample, with its median and what became of the goals."""
        medians = self.log.medians()
        rows = [
            {
                "row": row.key, "title": row.title, "unit": row.unit, "scale": row.scale,
                "samples": self.log.rows.get(row.key, {}), "medians": medians.get(row.key, {}),
                "ratios": ratios(medians.get(row.key, {})), "failed": self.log.failed.get(row.visit, {}),
                "goals": [self._judged(row, goal, medians) for goal in row.goals],
            }
            for row in self.rows
        ]  # fmt: skip
        told: dict[str, object] = {
            "machine": self.machine,
            "about": list(self.told),
            "versions": self.log.versions,
            "others": self.log.others,
        }
        return json.dumps(told | {"rows": rows}, indent=1)

    def _line(self, row: Row) -> list[str]:
        goals = "; ".join(self._goal(row, goal) for goal in row.goals)
        return [row.title, row.unit, *(self._cell(row, engine) for engine in self.engines), goals]

    def _cell(self, row: Row, engine: str) -> str:
        values = self._medians.get(row.key, {})
        if engine not in values:
            return self._gap(row, engine)
        ratio = ratios(values).get(engine)
        beside = "" if ratio is None or engine == "joinery" else f" (×{ratio:.2f})"
        return f"{values[engine] / row.scale:,.{row.digits}f}{beside}"

    def _gap(self, row: Row, engine: str) -> str:
        reason = self.log.failed.get(row.visit, {}).get(engine, "not measured in this run")
        if row.key == "roofline" and engine in self._medians.get("decode_fp32", {}):
            return ""
        if reason not in self._notes:
            self._notes.append(reason)
        return f"– [{self._notes.index(reason) + 1}]"

    def _goal(self, row: Row, goal: Goal) -> str:
        judged = self._judged(row, goal, self._medians)
        return f"{judged['goal']}: {judged['verdict']}"

    def _judged(self, row: Row, goal: Goal, medians: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
        by = PEERS[goal.of].title if goal.of else next((r.title for r in self.rows if r.key == goal.row), "")
        share = goal.share(row.key, medians)
        if share is None:
            return {"goal": goal.words(by), "verdict": "not measured"}
        shown = share if by else share / row.scale
        verdict = "reached" if goal.reached(shown) else "**not reached**"
        return {"goal": goal.words(by), "verdict": f"{verdict}, {shown:.2f}"}

    def _disturbance(self) -> list[str]:
        shares = [share for of in self.log.others.values() for each in of.values() for share in each if share >= 0]
        if not shares:
            return []
        middle, most = statistics.median(shares), max(shares)
        return [f"other processes had {middle:.0%} of the cores during the visits (median; {most:.0%} at most)"]


def ratios(values: Mapping[str, float]) -> dict[str, float]:
    """Engine → its figure over Joinery's; none without Joinery's."""
    own = values.get("joinery")
    return {engine: value / own for engine, value in values.items()} if own else {}
