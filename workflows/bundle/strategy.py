"""How tokens are selected and drafted: the schema of `roles`, `strategy`, `plugin`, `controller` and logits ops.

speculation.py checks the sessions that a strategy names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from workflows.bundle.outline import Fault
from workflows.bundle.session_options import NonNegativeInt, PositiveInt, StrictBool
from workflows.bundle.strict_model import StrictModel

Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
FiniteFloat = Annotated[float, Field(allow_inf_nan=False)]
# a distribution's name
Library = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.\-]*$")]


class Roles(StrictModel):
    """Which session has which role in a strategy of several models."""

    target: str | None = None
    draft: str | None = None
    amateur: str | None = None
    expert: str | None = None
    unconditional: str | None = None


class NGramSettings(StrictModel):
    """Drafts by n-gram lookup in the previous text."""

    min_match: PositiveInt = 2
    max_draft: PositiveInt = 8
    window: PositiveInt = 256


class DraftSettings(StrictModel):
    """Where drafted tokens come from.

    session: any session of the draft model. depth: for self_speculative, the number of the target's first layers that
    draft.
    """

    producer: Literal["draft_model", "self_speculative", "ngram", "extra_heads"] = "draft_model"
    session: str | None = None
    depth: PositiveInt | None = None
    heads: str | None = None
    ngram: NGramSettings | None = None


class VerifySettings(StrictModel):
    """The session that verifies drafted tokens."""

    session: str | None = None


class TreeSettings(StrictModel):
    """Drafts that branch."""

    topology: Literal["medusa_choices", "dynamic"] = "dynamic"
    max_nodes: PositiveInt | None = None
    max_depth: PositiveInt | None = None
    medusa_choices: tuple[tuple[NonNegativeInt, ...], ...] = ()


class StrategySettings(StrictModel):
    """Speculative decoding."""

    kind: Literal["speculative"] = "speculative"
    num_speculative_tokens: PositiveInt = 5
    acceptance: Literal["greedy", "rejection_sampling", "typical"] = "greedy"
    typical_threshold: Fraction | None = None
    draft: DraftSettings = DraftSettings()
    verify: VerifySettings = VerifySettings()
    tree: TreeSettings | None = None

    @property
    def heads(self) -> str | None:
        """The session of extra heads that reads the target's hidden states; None where there is none."""
        return self.draft.heads if self.draft.producer == "extra_heads" else None


class PluginReference(StrictModel):
    """Code that provides the model. library: a distribution. entry_point: its name in the group joinery.plugins."""

    library: Library
    entry_point: str


class ControllerReference(PluginReference):
    """Code that runs the generation loop. config: passed to it as text."""

    config: str = ""


_WHOLE = ("min_length", "no_repeat_ngram", "top_k")
_BOUNDS: dict[str, tuple[float, float]] = {
    "repetition_penalty": (1e-6, 100), "min_length": (0, 1 << 31), "no_repeat_ngram": (1, 1 << 31),
    "temperature": (0, 100), "top_k": (1, 1 << 31), "top_p": (0, 1), "min_p": (0, 1), "typical_p": (0, 1),
}  # fmt: skip


class LogitsOp(StrictModel):
    """One step of the chain that processes logits."""

    op: Literal[
        "repetition_penalty", "min_length", "logit_bias", "no_repeat_ngram", "frequency_penalty", "presence_penalty",
        "grammar", "combine", "temperature", "top_k", "top_p", "min_p", "typical_p", "sample",
    ]  # fmt: skip
    value: FiniteFloat | None = None
    map: dict[Annotated[str, Field(pattern=r"^[0-9]+$")], FiniteFloat] | None = None
    backend: Literal["llguidance"] | None = None
    grammar: str | None = None
    stateful: StrictBool | None = None
    mode: Literal["contrastive", "cfg"] | None = None
    alpha: FiniteFloat | None = None
    expert: str | None = None
    amateur: str | None = None

    @model_validator(mode="after")
    def _whole(self) -> LogitsOp:
        needs = {"logit_bias": "map", "grammar": "backend", "combine": "alpha" if self.mode else "mode"}.get(self.op)
        if needs is None and self.op != "sample":
            needs = "value"
        if needs is not None and getattr(self, needs) in (None, "", {}):
            raise ValueError(f"the op {self.op} needs {'an' if needs == 'alpha' else 'a'} {needs}")
        if self.op == "grammar" and not self.grammar:
            raise ValueError("the op grammar needs a grammar: Lark's, or a JSON schema")
        if self.op == "grammar" and self.stateful is False:
            raise ValueError("a grammar is always stateful: leave stateful out")
        bounds = _BOUNDS.get(self.op)
        if bounds and self.value is not None and not bounds[0] <= self.value <= bounds[1]:
            raise ValueError(f"the op {self.op} takes a value from {bounds[0]:g} to {bounds[1]:g}")
        if self.op in _WHOLE and self.value != int(self.value or 0):
            raise ValueError(f"the op {self.op} takes a whole number")
        return self


def chain_faults(ops: Sequence[LogitsOp], vocabulary: int | None, amateur: str | None = None) -> Iterator[Fault]:
    """Yields the ops of a chain that cannot run, and tokens beyond the vocabulary. vocabulary: None if unknown.

    amateur: the session whose logits can be subtracted.
    """
    for place, op in enumerate(ops):
        path = f"generation.logits[{place}]"
        if op.amateur is not None and op.amateur != amateur:
            yield Fault(f"{path}.amateur", f"pipeline.roles.amateur must name {op.amateur} as well")
        if op.op == "sample" and place + 1 < len(ops):
            yield Fault(path, "sample selects the token, so it must be the last op")
        beyond = [token for token in op.map or {} if vocabulary is not None and int(token) >= vocabulary]
        if beyond:
            yield Fault(f"{path}.map", f"the token {beyond[0]} is not in the vocabulary of {vocabulary:,}")
