"""Converts from and to onnxruntime-genai and compares the tokens: `python -m tests.interop.genai [ARCH…]`.

`--document FILE` writes the table. Needs the wheel of onnxruntime-genai.

    tiny checkpoint ─┬─ the peer's builder ─▶ its folder ─▶ the wheel │ in place │ imported
                     └─ our build ─▶ exported ─▶ the wheel │ imported again            each against eager Hugging Face

Prompts of 1, 7, 64, 65, 100 tokens and 64 greedy tokens after each, the end token never chosen; weights are random and
seeded. A cell is `equal`, `N of 5` lengths equal with the first token that differs, `as the wheel` where what runs here
differs from Hugging Face and not from the wheel, or why there is nothing to compare.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from tests.provenance import header_line
from workflows.builder import BuildRequest, build
from workflows.bundle import read_bundle
from workflows.common.errors import JoineryError, RequestError
from workflows.interop.genai_export import export_genai
from workflows.interop.genai_import import import_genai
from workflows.recipe.schema import Cache
from workflows.runtime import device_named, open_machine

_PLACE = re.compile(rf"{re.escape(tempfile.gettempdir())}/[^/ ]+/")
SOURCES = ("workflows/interop", "workflows/graph", "workflows/export", "workflows/optimize", "workflows/runtime",
           "workflows/kvcache", "workflows/bundle", "tests/interop/genai.py")  # fmt: skip
LENGTHS, STEPS, END = (1, 7, 64, 65, 100), 64, 2
Tokens = dict[int, list[int]]
ASK = """
import json, sys
import onnxruntime_genai as og
folder, steps, prompts = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
model, found = og.Model(folder), {}
for ids in prompts:
    parameters, whole = og.GeneratorParams(model), len(ids) + steps
    parameters.set_search_options(max_length=whole, min_length=whole, do_sample=False)
    generator = og.Generator(model, parameters)
    generator.append_tokens(ids)
    while not generator.is_done():
        generator.generate_next_token()
    found[len(ids)] = [int(token) for token in generator.get_sequence(0)][len(ids):]
print(json.dumps(found))
"""
SIZES: dict[str, Any] = {
    "vocab_size": 128, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 256, "bos_token_id": 1, "eos_token_id": END,
    "pad_token_id": 0,
}  # fmt: skip
_SLIDES = {"sliding_window": 32, "query_pre_attn_scalar": 16}
ARCHITECTURES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llama": ("LlamaForCausalLM", "LlamaConfig", {}),
    "mistral": ("MistralForCausalLM", "MistralConfig", {"sliding_window": None}),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", {}),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", {}),
    "phi": ("PhiForCausalLM", "PhiConfig", {"num_key_value_heads": 4, "hidden_size": 128, "head_dim": 32}),
    "phi3": ("Phi3ForCausalLM", "Phi3Config", {"original_max_position_embeddings": 256}),
    "gemma": ("GemmaForCausalLM", "GemmaConfig", {}),
    "gemma2": ("Gemma2ForCausalLM", "Gemma2Config", _SLIDES),
    "gemma3": ("Gemma3ForCausalLM", "Gemma3TextConfig", _SLIDES),
    "granite": ("GraniteForCausalLM", "GraniteConfig", {}),
    "olmo": ("OlmoForCausalLM", "OlmoConfig", {}),
    "smollm3": ("SmolLM3ForCausalLM", "SmolLM3Config", {}),
    "ernie4_5": ("Ernie4_5ForCausalLM", "Ernie4_5Config", {}),
    "hunyuan": ("HunYuanDenseV1ForCausalLM", "HunYuanDenseV1Config", {}),
    "nemotron": ("NemotronForCausalLM", "NemotronConfig", {"hidden_size": 128, "head_dim": 32}),
}


def prompts(lengths: Sequence[int]) -> list[list[int]]:
    return [[(7 * i * i + 3 * i + 5) % 120 + 4 for i in range(length)] for length in lengths]


def make(name: str, folder: Path) -> None:
    """A checkpoint with a tokenizer of words t0, t1 …"""
    from tokenizers import Tokenizer, models, pre_tokenizers

    model_class, config_class, changes = ARCHITECTURES[name]
    torch.manual_seed(0)
    model = getattr(transformers, model_class)(getattr(transformers, config_class)(**(SIZES | changes))).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.15)
    model.save_pretrained(folder)
    words = Tokenizer(models.WordLevel({f"t{i}": i for i in range(128)}, unk_token="t0"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    special = {"bos_token": "t1", "eos_token": "t2", "pad_token": "t0", "unk_token": "t0"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(folder)


def chosen(logits: Any) -> int:
    """The likeliest token but the end token."""
    row = np.asarray(logits, np.float32).copy()
    row[END] = -np.inf
    return int(row.argmax())


def eager(folder: Path, lengths: Sequence[int]) -> Tokens:
    """The oracle: the whole sequence computed anew at each step."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    found: Tokens = {}
    for ids in prompts(lengths):
        whole = list(ids)
        with torch.no_grad():
            for _ in range(STEPS):
                whole.append(chosen(model(torch.tensor([whole]), use_cache=False).logits[0, -1].numpy()))
        found[len(ids)] = whole[len(ids) :]
    return found


def joinery(folder: Path, lengths: Sequence[int]) -> Tokens:
    """A bundle, or a folder of genai's in place."""
    found: Tokens = {}
    with open_machine(read_bundle(folder), device_named("cpu")) as machine:
        for ids in prompts(lengths):
            machine.cache.reset()
            for chunk, phase in machine.chunks(ids):
                logits = machine.step(chunk, phase)[-1]
            tokens = [chosen(logits)]
            while len(tokens) < STEPS:
                tokens.append(chosen(machine.step(tokens[-1:])[-1]))
            found[len(ids)] = tokens
    return found


class WheelError(Exception):
    """The peer's own code failed, in its own words."""


def _peer(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise WheelError(lines[-1] if lines else f"exit {done.returncode}")
    return done.stdout


def wheel(folder: Path, lengths: Sequence[int]) -> Tokens:
    """The released onnxruntime-genai, in a process of its own."""
    output = _peer("-c", ASK, str(folder), str(STEPS), json.dumps(prompts(lengths)))
    return {int(length): tokens for length, tokens in json.loads(output.splitlines()[-1]).items()}


def builder(checkpoint: Path, out: Path, precision: str = "fp32") -> None:
    """The peer's own builder."""
    _peer("-m", "onnxruntime_genai.models.builder", "-i", str(checkpoint), "-o", str(out), "-p", precision, "-e", "cpu",
          "-c", str(out.with_name("cache")))  # fmt: skip


@dataclass
class Row:
    """An architecture. cells: by column, what came of it; whys: what was said where nothing did; theirs: the wheel's
    tokens from its own builder's folder."""

    name: str
    truth: Tokens
    cells: dict[str, str] = field(default_factory=dict)
    whys: list[str] = field(default_factory=list)
    theirs: Tokens | None = None

    @property
    def lengths(self) -> tuple[int, ...]:
        """Of the prompts."""
        return tuple(self.truth)

    def prepare(self, columns: list[str], work: Callable[[], object]) -> bool:
        """Does what the columns need; where that fails, they say so."""
        try:
            work()
        except (JoineryError, WheelError) as error:
            self._failed(columns, error)
            return False
        return True

    def compare(self, column: str, give: Callable[[], Tokens]) -> None:
        """Fills in a cell."""
        try:
            found = give()
        except (JoineryError, WheelError) as error:
            self._failed([column], error)
            return
        wrong = [_first(found[length], truth) for length, truth in self.truth.items() if found[length] != truth]
        count = len(self.truth)
        told = f"{count - len(wrong)} of {count}, from token {min(wrong)}" if wrong else "equal"
        self.cells[column] = "as the wheel" if wrong and found == self.theirs else told
        if column == THEIRS[0]:
            self.theirs = found

    def _failed(self, columns: list[str], error: Exception) -> None:
        word = "refused" if isinstance(error, RequestError) else "fails"
        self.cells |= dict.fromkeys(columns, word)
        said = _PLACE.sub("", str(error)).replace("|", "/")[:400]
        self.whys.append(f"{self.name}, {', '.join(columns)}: {word}: {said}")


def _first(found: list[int], truth: list[int]) -> int:
    return next((i for i, pair in enumerate(zip(found, truth, strict=False)) if pair[0] != pair[1]), len(found))


THEIRS = ["builder: wheel", "in place", "imported"]


def tried(name: str, root: Path, lengths: Sequence[int] = LENGTHS, caches: Sequence[Cache] = ("static", "gqa")) -> Row:
    """Everything for one architecture: prompts of `lengths` tokens, our own builds with `caches`."""
    checkpoint = root / "hf"
    make(name, checkpoint)
    row = Row(name, eager(checkpoint, lengths))
    if row.prepare(THEIRS, lambda: builder(checkpoint, root / "peer")):
        row.compare(THEIRS[0], lambda: wheel(root / "peer", lengths))
        row.compare(THEIRS[1], lambda: joinery(root / "peer", lengths))
        if row.prepare(THEIRS[2:], lambda: import_genai(root / "peer", root / "imported")):
            row.compare(THEIRS[2], lambda: joinery(root / "imported", lengths))
    for cache in caches:
        _ours(row, cache, checkpoint, root / cache)
    return row


def _columns(cache: str) -> list[str]:
    return [f"{cache}: {column}" for column in ("bundle", "exported, wheel", "imported again")]


def _ours(row: Row, cache: str, checkpoint: Path, root: Path) -> None:
    bundle, exported, again = (root / name for name in ("bundle", "exported", "again"))
    root.mkdir()
    columns, options = _columns(cache), {"cache": cache, "capacity": 256}
    if not row.prepare(columns, lambda: build(BuildRequest(str(checkpoint), bundle, options))):
        return
    row.compare(columns[0], lambda: joinery(bundle, row.lengths))
    if row.prepare(columns[1:], lambda: export_genai(bundle, exported)):
        row.compare(columns[1], lambda: wheel(exported, row.lengths))
        if row.prepare(columns[2:], lambda: import_genai(exported, again)):
            row.compare(columns[2], lambda: joinery(again, row.lengths))


def judged(row: Row) -> Iterator[str]:
    """Whose it is that a cell is not equal, as far as the cells beside it tell."""
    there, here = row.cells[THEIRS[0]], row.cells[THEIRS[2]]
    if there == here == "fails":
        yield f"{row.name}: the builder's, which makes no graph of this checkpoint that onnxruntime runs."
    elif here == "as the wheel":
        yield f"{row.name}: the builder's, whose graph differs from Hugging Face in the wheel and here alike."
    elif there != "equal" and here == "equal":
        yield f"{row.name}: the wheel's, which does not run the builder's graph as it is; here it is right."
    elif there == "equal" != here:
        yield f"{row.name}: Joinery's: the wheel runs the builder's graph."
    if row.cells[THEIRS[1]] not in (here, there, "equal"):
        yield f"{row.name}, in place: by its own nature; an import changes the graph."
    for cell, value in row.cells.items():
        if cell not in THEIRS and value != "equal":
            yield f"{row.name}, {cell}: Joinery's."


def document(rows: list[Row]) -> str:
    """The page."""
    columns = [*THEIRS, *_columns("static"), *_columns("gqa")]
    packages = ("onnxruntime-genai", "onnxruntime", "transformers", "torch")
    lines = [
        "# Conversion from and to onnxruntime-genai",
        "",
        f"Written by `python -m tests.interop.genai --document FILE` on {datetime.now(UTC):%Y-%m-%d} with "
        + ", ".join(f"{name} {version(name)}" for name in packages) + ".",
        header_line(*SOURCES),
        "",
        (__doc__ or "").partition("\n\n")[2].rpartition("\n\n")[2].strip(),
        "",
        f"| | {' | '.join(columns)} |",
        "|---" * (len(columns) + 1) + "|",
        *(f"| {row.name} | {' | '.join(row.cells.get(column, '–') for column in columns)} |" for row in rows),
        "",
        *(f"- {line}" for row in rows for line in (*judged(row), *row.whys)),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> None:
    """See the module."""
    parser = ArgumentParser()
    parser.add_argument("names", nargs="*", default=list(ARCHITECTURES), metavar="ARCH")
    parser.add_argument("--document", type=Path)
    asked = parser.parse_args()
    transformers.logging.set_verbosity_error()
    rows = []
    for name in asked.names:
        with tempfile.TemporaryDirectory() as place:
            rows.append(tried(name, Path(place)))
        print(name, json.dumps(rows[-1].cells), *rows[-1].whys, sep="\n  ", flush=True)
        if asked.document:
            asked.document.write_text(document(rows), "utf-8")
    print(document(rows))


if __name__ == "__main__":
    main()
