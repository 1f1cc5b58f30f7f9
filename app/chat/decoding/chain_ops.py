"""The ops of a chain as rows that are typed: a name and a text, which the engine's own schema takes or refuses.

{"op": "top_k", "value": 40} ◀──chain_op── Row("top_k", "40") ──problem_of──▶ "", or one sentence
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.chat.sampling import SamplingSettings
from app.state.json_file import parse_json
from workflows.wire.generation_options import CHAIN_OPTIONS

LAST = "sample"
"""Draws the token, so that nothing can follow it."""
BARE = (LAST,)
"""Ops that have nothing to be typed."""
_TEXTS = ("grammar", "combine")  # of these all fields are typed, as JSON
BEGIN = {
    "repetition_penalty": "1.1",
    "frequency_penalty": "0.5",
    "presence_penalty": "0.5",
    "no_repeat_ngram": "3",
    "min_length": "16",
    "logit_bias": "0: -1",
    "temperature": "0.7",
    "top_k": "40",
    "top_p": "0.95",
    "min_p": "0.05",
    "typical_p": "0.9",
    LAST: "",
}
"""What can be added, and the value that it begins with."""


@dataclass(frozen=True, slots=True)
class ChainRow:
    """One op. text: its value as it was typed; of logit_bias `token: value, …`."""

    op: str
    text: str = ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Ops", text)


def op_titles() -> dict[str, tuple[str, str]]:
    """What each op is called, and what it does."""
    return {
        "repetition_penalty": (_tr("Repetition penalty"), _tr("Makes tokens that came before less likely; 1 is off.")),
        "frequency_penalty": (_tr("Frequency penalty"), _tr("Taken off for each time that a token was generated.")),
        "presence_penalty": (_tr("Presence penalty"), _tr("Taken off once where a token was generated.")),
        "no_repeat_ngram": (_tr("No repeated n-gram"), _tr("No n tokens come twice in the same order.")),
        "min_length": (_tr("Minimum length"), _tr("The reply does not end before it has so many tokens.")),
        "logit_bias": (_tr("Logit bias"), _tr("Added to the logits of tokens: 7: 2.5, 11: -30.")),
        "temperature": (_tr("Temperature"), _tr("Divides the logits: above 1 it evens them out.")),
        "top_k": (_tr("Top-k"), _tr("Only the k most probable tokens.")),
        "top_p": (_tr("Top-p"), _tr("Only the most probable tokens that together reach p.")),
        "min_p": (_tr("Min-p"), _tr("Only tokens at least this probable relative to the best.")),
        "typical_p": (_tr("Typical-p"), _tr("Only the tokens whose surprise is nearest the expected one.")),
        "grammar": (_tr("Grammar"), _tr("Only tokens with which the reply keeps to a grammar.")),
        "combine": (_tr("Combine"), _tr("Joins the logits of several models.")),
        LAST: (_tr("Sample"), _tr("Draws the token; without it the most probable one is taken. It is the last.")),
    }


def chain_row(op: Mapping[str, object]) -> ChainRow:
    """The row of an op as JSON has it."""
    name = str(op["op"])
    if name == "logit_bias":
        pairs = op.get("map")
        shown = pairs.items() if isinstance(pairs, dict) else ()
        return ChainRow(name, ", ".join(f"{token}: {value:.12g}" for token, value in shown))
    if name in _TEXTS:
        return ChainRow(name, json.dumps({key: value for key, value in op.items() if key != "op"}))
    value = op.get("value")
    return ChainRow(name, f"{value:.12g}" if isinstance(value, (int, float)) else "")


def chain_op(row: ChainRow) -> dict[str, object]:
    """The op as JSON has it. Raises ValueError, one sentence, for a text that is no value of its kind."""
    if row.op in BARE:
        return {"op": row.op}
    if row.op == "logit_bias":
        return {"op": row.op, "map": dict(_pair(part) for part in row.text.split(",") if part.strip())}
    if row.op in _TEXTS:
        fields = parse_json(row.text or "{}")
        if not isinstance(fields, dict):
            raise ValueError(_tr("Write a JSON object."))
        return {"op": row.op, **fields}
    return {"op": row.op, "value": _number(row.text)}


def _pair(text: str) -> tuple[str, float]:
    token, colon, value = text.partition(":")
    if not colon or not token.strip().isdecimal():
        raise ValueError(_tr("Write a token's id and what is added, as in 7: 2.5."))
    return token.strip(), _number(value)


def _number(text: str) -> float:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise ValueError(_tr("{0} is no number.").format(text.strip() or "–")) from None


def problem_of(row: ChainRow) -> str:
    """What the engine's schema says against a row, one sentence; empty for nothing."""
    from pydantic import ValidationError  # brought along with the first bundle that is read

    from workflows.bundle.strategy import LogitsOp

    try:
        LogitsOp.model_validate(chain_op(row))
    except ValidationError as error:
        words = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        return words[:1].upper() + words[1:].rstrip(".") + "."
    except ValueError as error:
        return str(error)
    return ""


def draws(rows: Sequence[ChainRow]) -> bool:
    """Whether a chain draws its tokens: `sample` is in it, and no temperature of 0."""
    heat = next((row.text for row in rows if row.op == "temperature"), "1")
    return any(row.op == LAST for row in rows) and heat.strip() not in ("0", "0.0")


def model_chain(ops: Sequence[Mapping[str, object]], sampling: SamplingSettings) -> tuple[ChainRow, ...]:
    """The chain without one of a person's own: the bundle's `ops`, or what is set of the sampling, in its order."""
    if ops:
        return tuple(chain_row(op) for op in ops)
    usual = SamplingSettings()
    rows = [ChainRow(name, f"{getattr(sampling, name):.12g}") for name in CHAIN_OPTIONS]
    own = [row for row in rows if getattr(sampling, row.op) != getattr(usual, row.op)]
    return tuple([*own, ChainRow(LAST)] if sampling.temperature > 0 else own)
