"""What the default passes gain: one decode step of the demo, built in several ways, interleaved in one process.

    python -m tests.benchmarks.passes [--source demo:qwen3] [--tokens 100] [--rounds 9]

plain    torch's default opset, no pass: what an export is elsewhere; onnxruntime's own optimizations are all on
off      our export (opset 23 has fused norms, rotary and attention), no pass
default  our export and its default passes
All run in the engine's own buffers by I/O binding, on one thread, at the same fill of the cache.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from tests.benchmarks.token_step import raw_step
from workflows.builder import BuildRequest, build
from workflows.bundle.manifest import MANIFEST, make_manifest
from workflows.checkpoint import open_checkpoint
from workflows.generate import open_engine
from workflows.recipe import family_for, resolve_recipe

PLAIN_OPSET = 20  # of torch.onnx.export where none is asked for


def build_all(source: str, folder: Path) -> dict[str, Path]:
    """Name → bundle; the first is what the others are held against."""
    recipe = resolve_recipe(open_checkpoint(source), {})
    off = dict.fromkeys(family_for(recipe.model_type, recipe.task).passes, False)
    found = {"static plain": folder / "plain"}
    for cache in ("static", "gqa", "scatter"):
        for name, passes in (("off", off), ("default", {})):
            out = found[f"{cache} {name}"] = folder / f"{cache}-{name}"
            build(BuildRequest(source, out, {"cache": cache, "passes": passes}))
    build(BuildRequest(source, found["static plain"], {"passes": off}))
    replace_graphs(source, found["static plain"])
    return found


def replace_graphs(source: str, bundle: Path) -> None:
    """Exports at PLAIN_OPSET, which no recipe offers, over the bundle's graphs."""
    from workflows.export.components import export_components

    checkpoint = open_checkpoint(source)
    recipe = resolve_recipe(checkpoint, {}).model_copy(update={"opset": PLAIN_OPSET})
    for path in (*bundle.glob("*.onnx"), *bundle.glob("*.data")):
        path.unlink()
    export_components(checkpoint, recipe, bundle, lambda _: None)
    (bundle / MANIFEST).unlink()
    (bundle / MANIFEST).write_text(make_manifest(bundle).model_dump_json(), "utf-8")


def main() -> None:
    """Prints the median step of each, and by what it is faster than the first and than its own export."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", default="demo:qwen3")
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--prompt", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engines = {name: open_engine(bundle) for name, bundle in build_all(arguments.source, Path(folder)).items()}
        steps: dict[str, list[float]] = {name: [] for name in engines}
        for engine in engines.values():
            engine.bundle.pipeline.tokens.eos.clear()
        for _ in range(arguments.rounds):
            for name, engine in engines.items():
                steps[name].append(raw_step(engine, [3 + i % 97 for i in range(arguments.prompt)], arguments.tokens))
    for name, times in steps.items():
        against = {"plain": "static plain", "off": f"{name.split()[0]} off"}
        ratios = {
            label: statistics.median(other / own for other, own in zip(steps[key], times, strict=True))
            for label, key in against.items()
        }
        gains = "  ".join(f"{ratio:.2f}x of {label}" for label, ratio in ratios.items())
        print(f"{name:15} {statistics.median(times):.4f} ms (min {min(times):.4f})  {gains}")


if __name__ == "__main__":
    main()
