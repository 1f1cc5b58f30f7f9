"""Which loaded models read a sound of a fixed length."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from workflows.common.tensor_names import SOUND
from workflows.generate.speech.sound_input import sound_shape


@pytest.mark.parametrize(("name", "shape", "wanted"), [
    (SOUND, (1, 80, 3000), (80, 3000)),
    (SOUND, (1, 80, "frames"), None),
    (SOUND, (1, 3000), None),
    ("pixel_values", (1, 80, 3000), None),
])  # fmt: skip
def test_the_shape_of_a_window(name: str, shape: tuple[object, ...], wanted: tuple[int, int] | None) -> None:
    inputs = [SimpleNamespace(name=name, shape=shape), SimpleNamespace(name="other", shape=(1,))]
    machine: Any = SimpleNamespace(
        program=SimpleNamespace(required_inputs=[("encoder", name)]),
        sessions={"encoder": SimpleNamespace(inputs=inputs)},
    )
    assert sound_shape(machine) == wanted
