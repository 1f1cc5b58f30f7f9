"""A checkpoint of Qwen3-0.6B's shape, made int4: what the build holds in memory, stage by stage, and what it gains.

    python -m tests.benchmarks.quantize --folder FOLDER [--precision int4] [--rounds 3] [--keep]

The weights are random: 28 layers, hidden 1,024, vocabulary 151,936, tied. Tensors are written one by one, so that
making the checkpoint does not hold it. FOLDER needs about 10 GB. Memory is that of the build's process and its
children, sampled; time a token is measured in turns, a process a bundle.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray
from safetensors.numpy import save_file

LAYERS, HIDDEN, INNER, HEADS, KV_HEADS, HEAD, VOCABULARY = 28, 1024, 3072, 16, 8, 128, 151_936
PROMPT, STEPS = 40, 48
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "num_hidden_layers": LAYERS,
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "head_dim": HEAD,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 40960,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000},
    "rms_norm_eps": 1e-6,
    "hidden_act": "silu",
    "tie_word_embeddings": True,
    "attention_bias": False,
    "dtype": "float32",
    "eos_token_id": 151_645,
}


def shapes() -> Iterator[tuple[str, dict[str, tuple[int, ...]]]]:
    """(shard, name → shape): the table, each layer, the last norm."""
    yield "table", {"model.embed_tokens.weight": (VOCABULARY, HIDDEN)}
    for layer in range(LAYERS):
        at = f"model.layers.{layer}."
        yield (
            f"layer{layer}",
            {
                f"{at}self_attn.q_proj.weight": (HEADS * HEAD, HIDDEN),
                f"{at}self_attn.k_proj.weight": (KV_HEADS * HEAD, HIDDEN),
                f"{at}self_attn.v_proj.weight": (KV_HEADS * HEAD, HIDDEN),
                f"{at}self_attn.o_proj.weight": (HIDDEN, HEADS * HEAD),
                f"{at}self_attn.q_norm.weight": (HEAD,),
                f"{at}self_attn.k_norm.weight": (HEAD,),
                f"{at}mlp.gate_proj.weight": (INNER, HIDDEN),
                f"{at}mlp.up_proj.weight": (INNER, HIDDEN),
                f"{at}mlp.down_proj.weight": (HIDDEN, INNER),
                f"{at}input_layernorm.weight": (HIDDEN,),
                f"{at}post_attention_layernorm.weight": (HIDDEN,),
            },
        )
    yield "norm", {"model.norm.weight": (HIDDEN,)}


def random(shape: tuple[int, ...], chances: np.random.Generator) -> NDArray[np.float32]:
    """A norm's ones, or a matrix as it is initialized."""
    if len(shape) == 1:
        return np.ones(shape, np.float32)
    return chances.standard_normal(shape, np.float32) * np.float32(0.02)


def make_checkpoint(folder: Path) -> Path:
    """Writes config and shards; only one shard is in memory."""
    folder.mkdir(parents=True)
    chances, places = np.random.default_rng(0), {}
    for shard, entries in shapes():
        name = f"model-{shard}.safetensors"
        save_file({key: random(shape, chances) for key, shape in entries.items()}, folder / name)
        places |= dict.fromkeys(entries, name)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    total = sum((folder / name).stat().st_size for name in set(places.values()))
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


class Watched:
    """A build in a process of its own, and the most that it and its children had resident in each stage."""

    def __init__(self, source: Path, out: Path, *options: str) -> None:
        command = [sys.executable, "-m", "workflows", "build", str(source), "--out", str(out), "--json", *options]
        self.stage, self.peaks, self.seconds = "start", dict[str, int](), dict[str, float]()
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._sampler = threading.Thread(target=self._sample, daemon=True)

    def run(self) -> None:
        """Waits for the end. Raises CalledProcessError where the build failed."""
        self._sampler.start()
        assert self._process.stdout is not None
        for line in self._process.stdout:
            event = json.loads(line)
            if event["event"] == "stage" and event["state"] == "started":
                self.stage = event["stage"]
            elif event["event"] == "stage":
                self.seconds[event["stage"]] = event.get("seconds", 0.0)
            elif event["event"] == "progress":
                self.stage = self.stage.split(":")[0] + ": " + event.get("message", "")
        self._sampler.join()
        if self._process.wait():
            raise subprocess.CalledProcessError(self._process.returncode, "build")

    def _sample(self) -> None:
        root = psutil.Process(self._process.pid)
        while self._process.poll() is None:
            try:
                held = sum(one.memory_info().rss for one in [root, *root.children(recursive=True)])
            except psutil.Error:
                continue
            self.peaks[self.stage] = max(self.peaks.get(self.stage, 0), held)
            time.sleep(0.05)


def decode_ms(bundle: Path) -> tuple[float, float]:
    """(median milliseconds a token, GB resident) of the bundle, opened in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.quantize", "--folder", str(bundle), "--decode"]
    took, resident = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(took), int(resident) / 1e9


def print_decode(bundle: Path) -> None:
    """The child's part of decode_ms; there is no tokenizer, so the machine is run by hand."""
    from workflows.bundle import read_bundle
    from workflows.runtime import device_named, open_machine

    machine = open_machine(read_bundle(bundle), device_named("cpu"), capacity=512)
    prompt, times = [3 + i % 900 for i in range(PROMPT)], []
    for fed, phase in machine.chunks(prompt):
        logits = machine.step(fed, phase)[-1]
    for _ in range(STEPS):
        began = time.perf_counter()
        logits = machine.step([int(logits.argmax())], "decode")[-1]
        times.append(1e3 * (time.perf_counter() - began))
    print(statistics.median(times[5:]), psutil.Process().memory_info().rss)


def main() -> None:
    """Builds the fp32 bundle and the quantized one, and prints peaks, sizes and times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--precision", default="int4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--decode", action="store_true", help="measure the bundle in FOLDER, for this program itself")
    parser.add_argument("--set", action="append", default=[], dest="settings")
    asked = parser.parse_args()
    if asked.decode:
        print_decode(asked.folder)
        return
    source = asked.folder / "checkpoint"
    if not source.exists():
        make_checkpoint(source)
    settings = [word for pair in asked.settings for word in ("--set", pair)]
    bundles = {}
    for precision in dict.fromkeys(["fp32", asked.precision]):
        bundles[precision] = out = asked.folder / precision
        if asked.keep and (out / "manifest.json").exists():
            continue
        build = Watched(source, out, "--precision", precision, "--capacity", "4096", "--force", *settings)
        build.run()
        print(f"\n{precision}: {(out / 'weights.data').stat().st_size / 1e9:.2f} GB on disk, {build.seconds} s")
        for stage, peak in build.peaks.items():
            print(f"  {peak / 1e9:6.2f} GB  {stage}")
        print(f"  {max(build.peaks.values()) / 1e9:6.2f} GB  peak", flush=True)
    times: dict[str, list[float]] = {precision: [] for precision in bundles}
    for _ in range(asked.rounds):
        for precision, bundle in bundles.items():
            took, resident = decode_ms(bundle)
            times[precision].append(took)
            print(f"{precision}: {took:.1f} ms a token, {resident:.2f} GB resident", flush=True)
    medians = {precision: statistics.median(values) for precision, values in times.items()}
    print(f"decode, {asked.precision} against fp32: {medians['fp32'] / medians[asked.precision]:.2f} times as fast")
    if not asked.keep:
        shutil.rmtree(asked.folder)


if __name__ == "__main__":
    main()
