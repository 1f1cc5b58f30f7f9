"""The sampling settings of the next reply, and the request options they become."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from app.state.json_file import parse_json
from workflows.wire.generation_options import GenerationOptions

ALTERNATIVES = 5
"""Alternatives requested for each token, for hovering."""


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """The defaults are greedy: with temperature 0 the other distribution settings have no effect."""

    temperature: float = GenerationOptions.temperature
    top_k: int = GenerationOptions.top_k
    top_p: float = GenerationOptions.top_p
    min_p: float = GenerationOptions.min_p
    repetition_penalty: float = GenerationOptions.repetition_penalty
    max_new_tokens: int = 512
    seed: int | None = GenerationOptions.seed
    stop: tuple[str, ...] = ()

    def to_options(self) -> dict[str, Any]:
        """The options of a generate request."""
        return asdict(self) | {"stop": list(self.stop), "alternatives": ALTERNATIVES}

    def to_json(self) -> str:
        """The settings as JSON text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> SamplingSettings:
        """Reads JSON text; the defaults if it is damaged."""
        try:
            return cls.from_dict(parse_json(text or "{}"))
        except ValueError:
            return cls()

    @classmethod
    def from_dict(cls, data: Any) -> SamplingSettings:
        """Reads saved settings; a value of another type takes its default."""
        if not isinstance(data, dict):
            return cls()
        default = cls()
        known: dict[str, Any] = {}
        for name in ("temperature", "top_p", "min_p", "repetition_penalty"):
            known[name] = _number(data.get(name), getattr(default, name))
        for name in ("top_k", "max_new_tokens"):
            known[name] = int(_number(data.get(name), getattr(default, name)))
        seed, stop = data.get("seed"), data.get("stop")
        known["seed"] = seed if isinstance(seed, int) and not isinstance(seed, bool) else None
        known["stop"] = tuple(s for s in stop if isinstance(s, str) and s) if isinstance(stop, list) else ()
        return cls(**known)


def _number(value: Any, default: float) -> float:
    """`value` if it is a finite number: JSON as Python reads it allows NaN and Infinity."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    return value if known else default


def parse_stops(text: str) -> tuple[str, ...]:
    r"""One stop string a line; \n and \t stand for a line end and a tab."""
    lines = (line.replace("\\n", "\n").replace("\\t", "\t") for line in text.split("\n"))
    return tuple(line for line in lines if line)


def show_stops(stops: tuple[str, ...]) -> str:
    """The text that `parse_stops` reads back."""
    return "\n".join(s.replace("\n", "\\n").replace("\t", "\\t") for s in stops)
