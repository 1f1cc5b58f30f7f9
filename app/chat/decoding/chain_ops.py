"""The ops of a chain as editable rows: a name and a text, validated by the engine's own schema.

{"op": "top_k", "value": 40} ◀──chain_op── ChainRow("top_k", "40") ──problem_of──▶ "", or one sentence
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.chat.sampling import SamplingSettings
from app.state.json_file import parse_json
from app.text.translatable import tr
from workflows.wire.generation_options import CHAIN_OPTIONS

LAST = "sample"
"""The op that samples the token: it has no value, and no op can follow it."""
_TEXTS = ("grammar", "combine")  # their fields are typed as JSON
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
"""Ops that can be added, with their initial values."""


@dataclass(frozen=True, slots=True)
class ChainRow:
    """One op. text: its value as typed; of logit_bias `token: value, …`."""

    op: str
    text: str = ""


def op_titles() -> dict[str, tuple[str, str]]:
    """The name and the description of each op."""
    return {
        "repetition_penalty": (tr("Repetition penalty"), tr("Makes earlier tokens less likely; 1 is off.")),
        "frequency_penalty": (
            tr("Frequency penalty"),
            tr("Subtracted from a token's logit for each time it was generated."),
        ),
        "presence_penalty": (tr("Presence penalty"), tr("Subtracted from a token's logit once if it was generated.")),
        "no_repeat_ngram": (tr("No repeated n-gram"), tr("No sequence of n tokens occurs twice.")),
        "min_length": (tr("Minimum length"), tr("The minimum number of tokens of a reply.")),
        "logit_bias": (tr("Logit bias"), tr("Added to the logits of tokens, for example 7: 2.5, 11: -30.")),
        "temperature": (tr("Temperature"), tr("Divides the logits; values above 1 flatten the distribution.")),
        "top_k": (tr("Top-k"), tr("Only the k most probable tokens.")),
        "top_p": (tr("Top-p"), tr("Only the most probable tokens that together reach p.")),
        "min_p": (tr("Min-p"), tr("Only tokens at least this probable relative to the best.")),
        "typical_p": (tr("Typical-p"), tr("Only the tokens whose information is nearest to the entropy.")),
        "grammar": (tr("Grammar"), tr("Only tokens that match a grammar.")),
        "combine": (tr("Combine"), tr("Joins the logits of several models.")),
        LAST: (tr("Sample"), tr("Samples the token; without it, the most probable one is chosen. Always last.")),
    }


def chain_row(op: Mapping[str, object]) -> ChainRow:
    """The row of an op in JSON form."""
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
    """The op in JSON form. Raises ValueError, one sentence, for an invalid text."""
    if row.op == LAST:
        return {"op": row.op}
    if row.op == "logit_bias":
        return {"op": row.op, "map": dict(_pair(part) for part in row.text.split(",") if part.strip())}
    if row.op in _TEXTS:
        fields = parse_json(row.text or "{}")
        if not isinstance(fields, dict):
            raise ValueError(tr("Write a JSON object."))
        return {"op": row.op, **fields}
    return {"op": row.op, "value": _number(row.text)}


def _pair(text: str) -> tuple[str, float]:
    token, colon, value = text.partition(":")
    if not colon or not token.strip().isdecimal():
        raise ValueError(tr("Write a token's id and what is added, as in 7: 2.5."))
    return token.strip(), _number(value)


def _number(text: str) -> float:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise ValueError(tr("{0} is not a number.").format(text.strip() or "–")) from None


def problem_of(row: ChainRow) -> str:
    """Why the engine's schema rejects a row, one sentence; empty if it does not."""
    from pydantic import ValidationError  # imported with the first bundle that is read

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
    """Whether a chain samples its tokens: it contains `sample`, and no temperature of 0."""
    heat = next((row.text for row in rows if row.op == "temperature"), "1")
    return any(row.op == LAST for row in rows) and heat.strip() not in ("0", "0.0")


def model_chain(ops: Sequence[Mapping[str, object]], sampling: SamplingSettings) -> tuple[ChainRow, ...]:
    """The chain without a custom one: the bundle's `ops`, or the sampling settings, in their order."""
    if ops:
        return tuple(chain_row(op) for op in ops)
    usual = SamplingSettings()
    rows = [ChainRow(name, f"{getattr(sampling, name):.12g}") for name in CHAIN_OPTIONS]
    own = [row for row in rows if getattr(sampling, row.op) != getattr(usual, row.op)]
    return tuple([*own, ChainRow(LAST)] if sampling.temperature > 0 else own)
