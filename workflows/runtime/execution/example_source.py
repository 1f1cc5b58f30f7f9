"""A text of random tokens, and noise in place of what comes with each prompt of models that read a sound.

Runs that compare or measure graphs need the encoder's outputs, whatever was read.
"""

from __future__ import annotations

import numpy as np

from workflows.common.errors import GraphError
from workflows.common.tensors import Array
from workflows.runtime.execution.machine import Machine


def example_inputs(machine: Machine) -> dict[str, Array]:
    """Noise for each input that must come with a prompt, by `session.input`; empty where a prompt is all.

    Raises GraphError for an input without a fixed shape.
    """
    chances, found = np.random.default_rng(0), dict[str, Array]()
    for session, name in machine.program.required_inputs:
        spec = next(spec for spec in machine.sessions[session].inputs if spec.name == name)
        shape = [1 if i == 0 and isinstance(axis, str) else axis for i, axis in enumerate(spec.shape)]
        if not all(isinstance(axis, int) for axis in shape):
            raise GraphError(
                f"{session}.{name} is {list(spec.shape)}: a model that reads a sound is measured and compared with "
                "noise, for which its shape must be fixed; export the graph again."
            )
        found[f"{session}.{name}"] = chances.normal(size=[int(axis) for axis in shape]).astype(spec.numpy_dtype)
    return found


def example_tokens(machine: Machine, count: int) -> list[int]:
    """Random tokens, the same ones every time; none stands for a row of a picture or recording, for none is given."""
    places = set((machine.program.places or {}).values())
    plain = next(token for token in range(len(places) + 1) if token not in places)
    tokens = np.random.default_rng(0).integers(0, machine.vocabulary, count).tolist()
    return [plain if token in places else token for token in tokens]


def read_example(machine: Machine) -> None:
    """Has the encoder read the noise; nothing where a prompt is all. Raises what Machine.start raises."""
    if given := example_inputs(machine):
        machine.start(given)
