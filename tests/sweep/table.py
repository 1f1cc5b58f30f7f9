"""Verdicts → the document that says what became of every architecture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import get_args

import onnxruntime
import torch
import transformers

from tests.provenance import header_line
from tests.sweep.case import LENGTHS, STEPS, Kind, Verdict
from tests.sweep.tiny import HEAD

SOURCES = (
    "workflows/common/kernel_constraints.py", "workflows/recipe", "workflows/export", "workflows/optimize",
    "workflows/runtime",
    "workflows/kvcache", "tests/sweep",
)  # fmt: skip
_HEAD = """# Causal LMs of transformers, tried from tiny configs

Written by `python -m tests.sweep decoders --graphs-of 80=F 10=F … --seams G --heads H --fuzz I --document
tests/sweep/DECODERS.md` on {date} with transformers {transformers}, torch {torch}, onnxruntime {onnxruntime}.
Weights are random and seeded; windows are on wherever a config has one (24 tokens). Each number is the size of a head;
the hidden size is 12 more than all heads where the class lets the two differ. *graphs*: a real build with the
*default* cache (GroupQueryAttention in place where its kernel takes such heads, else static), chunk 64, run by
onnxruntime and compared with eager Hugging Face (the whole sequence, no cache) after prompts of {lengths} tokens and at
{steps} tokens after each, token and logits. *seam*: the module that would be traced, heads of {head}, run by PyTorch,
compared after 1, 64, 65, 128, 130, 131 and 132 tokens, which takes a second. `–`: not reached in the time that there
was.

{commit}

| | {kinds} | – |
|---|{rules}---|
{counts}

| model type | {columns} | why |
|---|{verdicts}---|
"""


def document(names: Sequence[str], columns: Mapping[str, Mapping[str, Verdict]]) -> str:
    """The page, in Markdown; names: every case, in order. columns: by their titles, the verdicts by name."""
    kinds = get_args(Kind)
    head = _HEAD.format(
        date=datetime.now(UTC).date(),
        transformers=transformers.__version__,
        torch=torch.__version__.split("+")[0],
        onnxruntime=onnxruntime.__version__,
        lengths=", ".join(map(str, LENGTHS)),
        steps=STEPS,
        head=HEAD,
        commit=header_line(*SOURCES),
        kinds=" | ".join(kinds),
        rules="---|" * len(kinds),
        counts="\n".join(f"| {title} | {_counts(names, column)} |" for title, column in columns.items()),
        columns=" | ".join(columns),
        verdicts="---|" * len(columns),
    )
    return head + "".join(_row(name, [column.get(name) for column in columns.values()]) for name in names)


def heads_section(verdicts: Mapping[str, Verdict]) -> str:
    """What became of every head size with every cache; the reasons of what was refused below."""
    sizes, caches = (list(dict.fromkeys(name.split()[i] for name in verdicts)) for i in (0, 1))
    rows = [[size, *(_kind(verdicts.get(f"{size} {cache}")) for cache in caches)] for size in sizes]
    lines = ["| " + " | ".join(row) + " |" for row in [["head size", *caches], ["---"] * (1 + len(caches)), *rows]]
    notes = [f"- {name}: {one.note}" for name, one in verdicts.items() if one.note]
    return (
        "\n# Every head size with every cache\n\nQwen 3 with a window in one of two layers, hidden size four heads and "
        f"6 (`python -m tests.sweep heads`), as graphs:\n\n{header_line(*SOURCES)}\n\n"
        + "\n".join([*lines, "", *notes])
        + "\n"
    )


def fuzz_section(verdicts: Sequence[Verdict]) -> str:
    """What became of the random configs, by family."""
    kinds = get_args(Kind)
    families = list(dict.fromkeys(one.name.rsplit(" ", 1)[0] for one in verdicts))
    rows = [[family, *(_count(verdicts, family, kind) for kind in kinds)] for family in families]
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [["family", *kinds], ["---"] * 6, *rows]]
    return (
        f"\n# Random configs\n\nThe first of each family (`python -m tests.sweep fuzz`), {len(verdicts):,} in all, at "
        f"the seam by PyTorch alone:\n\n{header_line('workflows/recipe', 'workflows/export', 'tests/sweep')}\n\n"
        + "\n".join(lines)
        + "\n"
    )


def _count(verdicts: Sequence[Verdict], family: str, kind: str) -> int:
    return sum(one.kind == kind and one.name.rsplit(" ", 1)[0] == family for one in verdicts)


def _counts(names: Sequence[str], verdicts: Mapping[str, Verdict]) -> str:
    found = [verdicts[name].kind if name in verdicts else None for name in names]
    return " | ".join(str(found.count(kind)) for kind in (*get_args(Kind), None))


def _row(name: str, verdicts: Sequence[Verdict | None]) -> str:
    """The note is the first that there is, of a graph before the seam's unless both say the same of it."""
    ran = [one for one in verdicts if one is not None]
    same = len({one.kind for one in ran}) == 1
    note = next((one.note for one in (ran[::-1] if same else ran) if one.note), "").replace("|", "\\|")
    return f"| {name} | {' | '.join(map(_kind, verdicts))} | {note} |\n"


def _kind(verdict: Verdict | None) -> str:
    return verdict.kind if verdict is not None else "–"


UNKNOWN = "Refused by name, with the list of the families that there are: "


def verdict_rows(verdicts: Sequence[Verdict]) -> list[str]:
    """A table, and a line of those that are refused because no family has them: their sentence lists all families."""
    others = [one.name for one in verdicts if one.kind == "refused" and "is not one that Joinery can build" in one.note]
    rows = [f"| {one.name} | {one.kind} | {one.note.replace('|', '/')} |" for one in verdicts if one.name not in others]
    return ["| model type | verdict | note |", "|---|---|---|", *rows, "", f"{UNKNOWN}{', '.join(others)}.", ""]


def unknown(text: str) -> list[str]:
    """The names in that line of a document."""
    (line,) = (line for line in text.splitlines() if line.startswith(UNKNOWN))
    return line.removeprefix(UNKNOWN).removesuffix(".").split(", ")
