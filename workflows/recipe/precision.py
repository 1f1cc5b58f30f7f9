"""What each precision is, in words: for the wizard's cards, and as notices before a build.

precision ──▶ title, what it is good for, what each provider makes of it, bytes of a weight
recipe ──notices──▶ sentences that a person should read before the build takes its minutes
"""

from __future__ import annotations

from dataclasses import dataclass

from workflows.recipe.schema import Recipe
from workflows.recipe.suits import remarks


@dataclass(frozen=True)
class Facts:
    """title, note: of the wizard's card. providers: where it runs and how well. bits: of a weight, without scales.
    trap: a sentence about where it hurts, empty where it does not."""

    title: str
    note: str
    providers: str
    bits: float
    trap: str = ""


FACTS: dict[str, Facts] = {
    "fp32": Facts("Keep fp32", "Every weight as it is.", "Runs on every provider.", 32),
    "fp16": Facts(
        "Half precision",
        "Weights, activations and cache in 16 bits: half the size, hardly another answer.",
        "For GPUs and NPUs. The CPU provider computes in fp32 and converts on the way: no faster than fp32.",
        16,
    ),
    "bf16": Facts(
        "Brain floats",
        "16 bits with the range of 32 and fewer digits.",
        "For providers that take it; the CPU provider does not.",
        16,
        "bf16 does not run on the CPU provider, which lacks products in bfloat16, so the bundle cannot be tried here: "
        "fp16 has the same size and runs everywhere.",
    ),
    "int8": Facts(
        "8-bit weights",
        "Weights in blocks of 8-bit integers: a quarter of the size, next to the same answers.",
        "CPU about 2.9 × as fast as fp32; GPU, WebGPU and NPU have the operator too.",
        8,
    ),
    "int4": Facts(
        "4-bit weights",
        "Weights in blocks of 4-bit integers: the smallest and fastest; small models lose some exactness.",
        "CPU about 4 × as fast as fp32; GPU, WebGPU and NPU have the operator too.",
        4,
    ),
    "int8-dynamic": Facts(
        "8-bit products",
        "Weights in 8 bits a column, activations quantized by their own range at every run.",
        "CPU about 3.4 × as fast as fp32; other providers do not have the operator.",
        8,
    ),
    "w8a16": Facts(
        "8-bit weights, 16-bit activations",
        "Calibrated on what the model really sees; for NPUs.",
        "For NPUs. On the CPU no faster than fp32.",
        8,
        "w8a16 is for NPUs: on the CPU provider its integers are about 13 × slower than fp32, so it is opened there in "
        "floating point, at the speed of fp32; for the CPU, int8 or int4 serve better.",
    ),
    "w8a8": Facts(
        "8-bit weights and activations",
        "Calibrated on what the model really sees; the least exact of the 8-bit ones.",
        "CPU about 3.4 × as fast as fp32; NPUs.",
        8,
    ),
}
_SCALES = {"int8": 8, "int4": 4}  # bits of a zero point; a scale has 32


def notices(recipe: Recipe) -> list[str]:
    """The traps of the precisions that the recipe has, and what its target's provider has badly."""
    chosen = dict.fromkeys([recipe.precision, *recipe.quantize.components.values()])
    return [*(FACTS[precision].trap for precision in chosen if FACTS[precision].trap), *remarks(recipe)]


def weight_bytes(recipe: Recipe, precision: str, parameters: int, table: int, tied: bool) -> int:
    """About how many bytes the weights take in `precision`; table: numbers of the embedding. A tied head is the
    embedding, which `parameters` count once; quantized alone, it stands beside it."""
    facts = FACTS[precision]
    if precision in ("fp32", "fp16", "bf16"):
        return int(parameters * facts.bits / 8)
    bits = fine = float(facts.bits)
    if precision in _SCALES:
        block = recipe.quantize.block_size
        finer = min(block, recipe.quantize.fine_block_size or block) if precision == "int4" else block
        scale = 32 + (0 if recipe.quantize.symmetric else _SCALES[precision])
        bits, fine = bits + scale / block, fine + scale / finer
    head, embedding = recipe.quantize.head, recipe.quantize.embedding and precision in _SCALES
    if tied:
        small, kept = int(head or embedding), int(not (head and embedding))
    else:
        small, kept = head + embedding, 2 - head - embedding
    body = max(0, parameters - (1 if tied else 2) * table)
    return int((body * bits + small * table * fine) / 8) + kept * table * 4
