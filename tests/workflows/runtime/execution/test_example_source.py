"""Models that listen are measured and compared with noise; a prompt is all that others take."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from workflows.common.errors import GraphError
from workflows.common.tensors import TensorSpec
from workflows.runtime.execution.example_source import example_inputs, example_tokens


def machine(*shape: int | str) -> Any:
    inputs = [TensorSpec("input_features", shape, "float32")] if shape else []
    ports = tuple(("encoder", spec.name) for spec in inputs)
    program = SimpleNamespace(required_inputs=ports)
    return SimpleNamespace(program=program, sessions={"encoder": SimpleNamespace(inputs=inputs)})


def test_noise_has_the_shape_of_the_input_and_is_always_the_same() -> None:
    (noise,), (again,) = (example_inputs(machine("batch", 80, 200)).values() for _ in range(2))
    assert noise.shape == (1, 80, 200) and noise.dtype == np.float32 and noise.std() > 0.9
    np.testing.assert_array_equal(noise, again)
    assert example_inputs(machine()) == {}


def test_random_tokens_are_text_alone_and_always_the_same() -> None:
    """Placeholders would need rows of pictures; small vocabularies hit them often."""
    program = SimpleNamespace(places={"image": 0, "audio": 3})
    drawn = [example_tokens(SimpleNamespace(program=program, vocabulary=7), 200) for _ in range(2)]  # type: ignore[arg-type]
    assert drawn[0] == drawn[1] and set(drawn[0]) == {1, 2, 4, 5, 6}


def test_a_shape_that_is_open_is_refused() -> None:
    with pytest.raises(GraphError, match=r"encoder\.input_features is \[1, 80, 'frames'\]: .* export the graph again"):
        example_inputs(machine(1, 80, "frames"))
