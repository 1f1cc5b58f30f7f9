"""The inputs of a prompt: what a model without a source refuses, and the mask of a source."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from workflows.common.errors import PromptError
from workflows.common.tensors import TensorSpec
from workflows.runtime.execution.prompt_inputs import SourceReader


def reader(tokens: int = 0, width: int = 0) -> SourceReader:
    program: Any = SimpleNamespace(source=None)
    made = SourceReader(program, {})
    made.tokens, made.width = tokens, width
    return made


def test_inputs_of_a_model_without_a_source_are_refused() -> None:
    control: Any = None
    reader().read({}, control)
    with pytest.raises(PromptError, match="takes a prompt alone, and pixel_values was given"):
        reader().read({"pixel_values": np.zeros(1)}, control)


def test_the_mask_of_a_padded_source() -> None:
    added = reader(2, 3).mask(TensorSpec("encoder_attention_mask", (1, 1, 1, "source"), "float32"))
    lowest = np.finfo(np.float32).min
    assert added.shape == (1, 1, 1, 3) and added.ravel().tolist() == [0.0, 0.0, lowest]
    plain = reader(2, 3).mask(TensorSpec("encoder_attention_mask", (1, "source"), "int64"))
    assert plain.tolist() == [[1, 1, 0]]
    with pytest.raises(PromptError, match="no source was given"):
        reader().mask(TensorSpec("encoder_attention_mask", (1, "source"), "int64"))
