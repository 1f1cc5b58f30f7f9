"""The input of a loaded model that takes a sound, if there is one.

sessions' required inputs ──sound_shape──▶ (mels, frames) of one window
"""

from __future__ import annotations

from workflows.common.tensor_names import SOUND
from workflows.runtime import Machine


def sound_shape(machine: Machine) -> tuple[int, int] | None:
    """(mels, frames) of the sound that the model reads; None for a model that reads none of a fixed length."""
    shapes = [
        spec.shape[1:]
        for session, name in machine.program.required_inputs
        for spec in machine.sessions[session].inputs
        if spec.name == name == SOUND
    ]
    if len(shapes) != 1 or len(shapes[0]) != 2:
        return None
    mels, frames = shapes[0]
    return (mels, frames) if isinstance(mels, int) and isinstance(frames, int) else None
