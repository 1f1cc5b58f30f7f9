"""What all encoders have in common whose rows take the places of placeholders in a prompt.

pictures or recordings ──FeatureEncoderModule──▶ features [rows,E] ──MergedEmbeddingsModule──▶ embeddings
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import torch
from transformers import PreTrainedModel

from workflows.common.tensor_names import FEATURES
from workflows.export.signature import ExportSignature


class FeatureEncoderModule(torch.nn.Module, ABC):  # type: ignore[misc]  # torch is not type-checked here
    """An encoder that gives one row [E] for each placeholder of its pictures or recordings, in their order."""

    features = FEATURES  # the name of its output

    def __init__(self, model: PreTrainedModel) -> None:
        super().__init__()
        self._config = model.config

    @property
    def placeholder(self) -> int:
        """The token in whose place its rows stand."""
        return int(self._config.image_token_id)

    @abstractmethod
    def attend(self) -> None:
        """Sets the attention of the graph; the model's own comparison sets another."""

    @abstractmethod
    def example(self) -> dict[str, torch.Tensor]:
        """Its inputs for two pictures or recordings."""

    @abstractmethod
    def example_rows(self) -> tuple[int, int]:
        """The rows of each of these two."""

    @abstractmethod
    def signature(self) -> ExportSignature:
        """The graph's inputs and outputs."""

    @abstractmethod
    def own_inputs(self, ids: torch.Tensor) -> Mapping[str, torch.Tensor]:
        """What the model itself takes beside `ids` [1,S], for the same two."""

    def positions(self, model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
        """The position ids of `ids` [1,S]: [1,S] where each is one number, else [3,1,S]."""
        return torch.arange(ids.shape[1])[None]
