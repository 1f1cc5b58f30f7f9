"""What a graph without a cache needs beside its tokenizer to give vectors, labels or scores: part of `metadata`.

hidden states [S,H] ──EmbeddingSettings: pooling, steps──▶ a text's vector
logits [labels] ──ClassificationSettings: activation──▶ label → probability
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from workflows.bundle.session_options import PositiveInt, StrictBool
from workflows.bundle.strict_model import NameInBundle, StrictModel

PoolingMode = Literal["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
Similarity = Literal["cosine", "dot", "euclidean", "manhattan"]
Activation = Literal["identity", "tanh", "relu", "gelu", "sigmoid"]


class NormalizeStep(StrictModel):
    """Divides the vector by its Euclidean length."""

    kind: Literal["normalize"] = "normalize"


class DenseStep(StrictModel):
    """A linear layer. file: float32, little-endian: the weight [outputs, inputs], then the bias [outputs] if any."""

    kind: Literal["dense"] = "dense"
    file: NameInBundle
    inputs: PositiveInt
    outputs: PositiveInt
    bias: StrictBool = True
    activation: Activation = "identity"


EmbeddingStep = Annotated[NormalizeStep | DenseStep, Field(discriminator="kind")]


class EmbeddingSettings(StrictModel):
    """From hidden states to a vector. pooling: the modes whose vectors are joined, in this order; steps: what follows.

    include_prompt: whether the tokens of a prompt count in the pooling. prompts: name → the text put before a text.
    similarity: how two vectors are compared.
    """

    pooling: Annotated[list[PoolingMode], Field(min_length=1)]
    steps: list[EmbeddingStep] = Field(default_factory=list)
    include_prompt: StrictBool = True
    prompts: dict[str, str] = Field(default_factory=dict)
    default_prompt: str | None = None
    similarity: Similarity = "cosine"

    @model_validator(mode="after")
    def _check_prompt(self) -> EmbeddingSettings:
        if self.default_prompt is not None and self.default_prompt not in self.prompts:
            raise ValueError(f"default_prompt {self.default_prompt} is not one of the prompts")
        return self

    def summary(self) -> str:
        """How a vector is made, on one line: `mean of the tokens, normalized`."""
        steps = ["normalized" if step.kind == "normalize" else f"dense {step.outputs}" for step in self.steps]
        return ", ".join([f"{' + '.join(self.pooling)} pooling", *steps])


class PairTemplate(StrictModel):
    """A pair as turns of the tokenizer's chat template: a prompt's as `system`, then `query` and `document`.

    parts: a turn's content is a list with a text. begins_reply: the template begins the reply.
    """

    parts: StrictBool = False
    begins_reply: StrictBool = False


class ClassificationSettings(StrictModel):
    """The names of the logits in their order, and how logits become probabilities, or the score of a pair of texts.

    template: of a pair, where it is not one of the tokenizer's. prompts: name → the text before a query, or a turn.
    """

    labels: Annotated[list[str], Field(min_length=1)]
    activation: Literal["softmax", "sigmoid", "identity"] = "softmax"
    score: Literal["sigmoid", "identity"] = "sigmoid"
    template: PairTemplate | None = None
    prompts: dict[str, str] = Field(default_factory=dict)
    default_prompt: str | None = None


class TextLimits(StrictModel):
    """What a text is cut to. tokens: the most that the model reads, special ones included; lowercase: of all texts."""

    tokens: PositiveInt | None = None
    lowercase: StrictBool = False
