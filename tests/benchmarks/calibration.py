"""Whether calibration's memory grows with its samples: the peak at 160 against that at 16, for each method.

    python -m tests.benchmarks.calibration [--layers 4] [--hidden 256] [--vocabulary 8000]

The model is of random weights. Each run is a process of its own, and its peak is the system's; this one stays
small, because Linux hands a parent's peak down to its children.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

METHODS, SAMPLES, LIMIT = ("minmax", "percentile", "entropy"), (16, 160), 1.2


def peak_of(optimized: Path, method: str, samples: int) -> int:
    """Peak bytes of the calibration alone, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.calibration", "--of", str(optimized), method, str(samples)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak(bundle: Path, method: str, samples: int) -> None:
    """The child's part of peak_of."""
    import onnx_ir as ir

    from workflows.builder.calibrate import find_ranges
    from workflows.builder.pipeline import OptimizedComposite
    from workflows.bundle import read_bundle
    from workflows.common.memory import peak_bytes
    from workflows.recipe import Recipe
    from workflows.recipe.cut import make_cut
    from workflows.recipe.families import family_for

    opened = read_bundle(bundle)
    recipe = Recipe.model_validate_json((bundle / "recipe.json").read_text("utf-8"))
    calibration = {"method": method, "samples": samples, "prompts": str(bundle.parent / "prompts.txt")}
    recipe = Recipe.model_validate(
        recipe.model_dump() | {"precision": "w8a8", "quantize": {"calibration": calibration}}
    )
    models = {n: ir.load(bundle / s.file) for n, s in opened.pipeline.pipeline.sessions.items()}
    words = bundle / "tokenizer"
    family = family_for(recipe.model_type, recipe.task)
    cut = make_cut(family, recipe, family.geometry(json.loads((words / "config.json").read_text("utf-8"))))
    composite = OptimizedComposite(bundle, recipe, cut, opened.pipeline, words)
    found, said = find_ranges(composite, models, lambda event: None)
    assert found and f"over {samples} runs" in said
    print(peak_bytes())


def make(place: Path, **shape: int) -> None:
    """A checkpoint, its bundle, and prompts of ids."""
    from tests.workflows.conftest import make_qwen3
    from workflows.builder import BuildRequest, build

    make_qwen3(place / "checkpoint", **shape)
    build(BuildRequest(str(place / "checkpoint"), place / "bundle", {"capacity": 256, "cache": "static"}))
    lines = [",".join(str(3 + 7 * i * j % 997) for j in range(1, 49)) for i in range(1, 21)]
    (place / "prompts.txt").write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Builds the model once, and prints both peaks of each method and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--vocabulary", type=int, default=8000)
    parser.add_argument("--of", nargs=3)
    parser.add_argument("--make", type=Path)
    asked = parser.parse_args()
    if asked.of:
        print_peak(Path(asked.of[0]), asked.of[1], int(asked.of[2]))
        return
    if asked.make:
        make(asked.make, num_hidden_layers=asked.layers, hidden_size=asked.hidden, vocab_size=asked.vocabulary)
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        command = [sys.executable, "-m", "tests.benchmarks.calibration", "--make", folder, *sys.argv[1:]]
        subprocess.run(command, check=True)
        for method in METHODS:
            few, many = (peak_of(place / "bundle", method, samples) for samples in SAMPLES)
            held = "holds" if many <= LIMIT * few else "DOES NOT HOLD"
            print(f"{method}: {few / 1e6:.0f} MB, {many / 1e6:.0f} MB: {many / few:.3f} times ({held})", flush=True)


if __name__ == "__main__":
    main()
