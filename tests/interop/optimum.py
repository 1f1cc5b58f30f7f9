"""optimum's exports, assembled, against eager Hugging Face: tokens and logits, at lengths where chunks begin and end.

    python -m tests.interop.optimum PYTHON FOLDER

PYTHON: that of an environment with tests/interop/optimum.txt, which needs another transformers than ours:

    python3 -m venv optimum
    optimum/bin/pip install torch==2.13.0
    optimum/bin/pip install -r tests/interop/optimum.txt torch==2.13.0

FOLDER: where the exports and bundles are put, 10 MB. It runs for a minute.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from workflows.bundle import read_bundle
from workflows.generate.prefill import start_prompt
from workflows.interop.assemble import assemble
from workflows.runtime import Machine, device_named, open_machine

CLOSE = 1e-4
NEVER = -1e9  # the logit of a token that no reply has
# name of the case → name of the export, the graphs
ENCODER = {"encoder": "encoder_model.onnx"}
HALVES = {"first": "decoder_model.onnx", "then": "decoder_with_past_model.onnx"}
CASES: dict[str, tuple[str, dict[str, str]]] = {
    "llama": ("llama", {"model": "model.onnx"}),
    "llama, merged": ("llama-merged", {"model": "model_merged.onnx"}),
    "llama, two files": ("llama-merged", HALVES),
    "t5, merged": ("t5", ENCODER | {"decoder": "decoder_model_merged.onnx"}),
    "t5, two files": ("t5", ENCODER | HALVES),
    "bart, merged": ("bart", ENCODER | {"decoder": "decoder_model_merged.onnx"}),
    "bart, two files": ("bart", ENCODER | HALVES),
    "llava": ("llava", {"vision_encoder": "vision_encoder.onnx", "embed_tokens": "embed_tokens.onnx",
                        "decoder_model_merged": "decoder_model_merged.onnx"}),
    "whisper, merged": ("whisper", ENCODER | {"decoder": "decoder_model_merged.onnx"}),
    "whisper, two files": ("whisper", ENCODER | HALVES),
}  # fmt: skip


def run(machine: Machine, ids: list[int], tokens: list[int]) -> np.ndarray:
    """The logits after the prompt, and after each of `tokens` but the last [n, V]."""
    for chunk, phase in machine.chunks(ids):
        rows = [machine.step(chunk, phase)[-1].copy()]
    rows += [machine.step([token])[-1].copy() for token in tokens[:-1]]
    return np.stack(rows)


def check(name: str, folder: Path) -> bool:
    """Whether a case gives what Hugging Face does; prints how far it is away."""
    export, graphs = CASES[name]
    own, out = folder / export / "onnx", folder / "bundles" / name.replace(", ", "-").replace(" ", "-")
    assemble({key: own / file for key, file in graphs.items()}, out, checkpoint_folder=own, force=True)
    bundle, truth = read_bundle(out), np.load(folder / export / "truth.npz")
    machine = open_machine(bundle, device_named("cpu"))
    good = True
    for length in sorted({int(key.split(".")[0]) for key in truth}):
        told = {key.split(".")[1]: truth[key] for key in truth if key.startswith(f"{length}.")}
        prompt, tokens = told["prompt"].tolist(), told["tokens"].tolist()
        machine.cache.reset()
        if given := {name: told[name] for name in ("pixel_values", "input_features") if name in told}:
            machine.start(given, prompt)
        rows = run(machine, start_prompt(machine, bundle.pipeline, prompt), tokens)
        rows[told["logits"] == NEVER] = NEVER
        far, same = float(np.abs(rows - told["logits"]).max()), rows.argmax(-1).tolist() == tokens
        good = good and same and far <= CLOSE
        print(f"{name}, {length} tokens: {len(tokens)} new {'equal' if same else 'DIFFER'}, logits {far:.1e} away")
    return good


def main(python: str, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([python, "-P", str(Path(__file__).with_name("optimum_export.py")), str(folder)], check=True)
    return sum(not check(name, folder) for name in CASES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
