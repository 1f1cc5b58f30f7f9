"""Verdicts → the document that says what became of every architecture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import get_args

import onnxruntime
import torch
import transformers

from tests.sweep.case import LENGTHS, STEPS, Kind, Verdict

_HEAD = """# Causal LMs of transformers, tried from tiny configs

Written by `python -m tests.sweep decoders --json F --seams G --fuzz H --document tests/sweep/DECODERS.md` on
{date} with transformers {transformers}, torch {torch}, onnxruntime {onnxruntime}. Weights are random and
seeded; windows are on wherever a config has one (24 tokens). *graphs*: a real build (static cache, chunk 64),
run by onnxruntime and compared with eager Hugging Face (the whole sequence, no cache) after prompts of
{lengths} tokens and at {steps} tokens after each, token and logits. *seam*: the module that would be traced,
run by PyTorch, compared after 1, 64, 65, 128, 130, 131 and 132 tokens, which takes a second. `–`: not reached
in the time that there was.

| | {kinds} | – |
|---|{rules}---|
| graphs | {graphs} |
| seam | {seams} |

| model type | graphs | seam | why |
|---|---|---|---|
"""


def document(names: Sequence[str], graphs: Mapping[str, Verdict], seams: Mapping[str, Verdict]) -> str:
    """The page, in Markdown; names: every case, in order."""
    kinds = get_args(Kind)
    head = _HEAD.format(
        date=datetime.now(UTC).date(),
        transformers=transformers.__version__,
        torch=torch.__version__.split("+")[0],
        onnxruntime=onnxruntime.__version__,
        lengths=", ".join(map(str, LENGTHS)),
        steps=STEPS,
        kinds=" | ".join(kinds),
        rules="---|" * len(kinds),
        graphs=_counts(names, graphs),
        seams=_counts(names, seams),
    )
    return head + "".join(_row(name, graphs.get(name), seams.get(name)) for name in names)


def fuzz_section(verdicts: Sequence[Verdict]) -> str:
    """What became of the random configs, by family."""
    kinds = get_args(Kind)
    families = list(dict.fromkeys(one.name.rsplit(" ", 1)[0] for one in verdicts))
    rows = [[family, *(_count(verdicts, family, kind) for kind in kinds)] for family in families]
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [["family", *kinds], ["---"] * 6, *rows]]
    return (
        f"\n# Random configs\n\nOf 200 a family (`python -m tests.sweep fuzz`), {len(verdicts):,} in all, at the seam "
        "by PyTorch alone:\n\n" + "\n".join(lines) + "\n"
    )


def _count(verdicts: Sequence[Verdict], family: str, kind: str) -> int:
    return sum(one.kind == kind and one.name.rsplit(" ", 1)[0] == family for one in verdicts)


def _counts(names: Sequence[str], verdicts: Mapping[str, Verdict]) -> str:
    found = [verdicts[name].kind if name in verdicts else None for name in names]
    return " | ".join(str(found.count(kind)) for kind in (*get_args(Kind), None))


def _row(name: str, graphs: Verdict | None, seams: Verdict | None) -> str:
    same = graphs is not None and seams is not None and graphs.kind == seams.kind
    both = (seams, graphs) if same else (graphs, seams)
    note = next((one.note for one in both if one is not None and one.note), "").replace("|", "\\|")
    return f"| {name} | {_kind(graphs)} | {_kind(seams)} | {note} |\n"


def _kind(verdict: Verdict | None) -> str:
    return verdict.kind if verdict is not None else "–"
