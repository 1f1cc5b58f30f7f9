"""What a build is made for: which passes, shapes and grids the target's provider computes rightly, each with its why.

The facts were measured on onnxruntime 1.31.1 with onnxruntime-qnn 2.7.0 and onnxruntime-ep-webgpu 0.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from workflows.errors import RecipeError, printable

TargetName = Literal["cpu", "qnn", "webgpu"]
ALIASES: dict[str, TargetName] = {"npu": "qnn"}
CONTRIB = ("gqa_attention", "split_attention", "skip_layernorm")  # passes that give operators of onnxruntime's own
MENDING = ("float_masks", "norm_in_three_axes", "position_tables")  # passes for what a provider computes wrongly


@dataclass(frozen=True)
class Target:
    """A target. passes: those that it has otherwise than the family. fixed: whether shapes must be. heads: whether
    16-bit activations of four axes are computed rightly. place: of a model cut in three, the components that run
    elsewhere. reasons: what of these is for what, a sentence each.
    """

    name: TargetName
    passes: Mapping[str, bool] = field(default_factory=dict)
    fixed: bool = False
    heads: bool = True
    place: Mapping[str, TargetName] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


TARGETS: dict[TargetName, Target] = {
    target.name: target
    for target in (
        Target("cpu"),
        Target(
            "qnn",
            passes=dict.fromkeys(CONTRIB, False) | dict.fromkeys(MENDING, True),
            fixed=True,
            heads=False,
            place={"embeddings": "cpu", "head": "cpu"},
            reasons=(
                "QNN takes fixed shapes alone, so there is a graph for chunks of a prompt and one for tokens.",
                "QNN takes no operators of onnxruntime's own, and masks of numbers alone.",
                "QNN's norm of four axes is wrong with more than one column: norms over heads have three.",
                "QNN computes angles in half precision: rotary angles come from tables.",
                "QNN's 16-bit grids on four axes are wrong with more than one column: heads stay in floating point.",
                "Embeddings and head of a model cut in three serve chunks and tokens alike, so they run on the CPU.",
            ),
        ),
        Target("webgpu"),
    )
}

def unaliased(name: object) -> object:
    """A target's own name for one of its others; anything else as it is."""
    return ALIASES.get(name, name) if isinstance(name, str) else name


def target_named(name: object) -> Target:
    """The target. Raises RecipeError that lists what there is."""
    found = next((one for one in TARGETS.values() if one.name == unaliased(name)), None)
    if found is None:
        raise RecipeError(f"There is no target {printable(name)!r}: choose one of {', '.join((*TARGETS, *ALIASES))}.")
    return found
