"""Every sequence-to-sequence architecture of transformers, of text and of speech, held against eager Hugging Face.

    python -m tests.sweep.seq2seq [--shard K/N] [--minutes M] [--json FILE] [--only TYPE …]

Each is saved from a tiny config and built for real: its logits over sources of several lengths and STEPS greedy tokens
are those of the model at once, without a cache, or it is refused. SEQ2SEQ.md holds the verdicts.
"""

from __future__ import annotations

import json
import tempfile
import traceback
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file

from tests.provenance import header_line
from tests.sweep.case import TOLERANCE, Verdict, save_spread
from tests.sweep.run import Case, command
from tests.sweep.table import SOURCES, verdict_rows
from tests.sweep.tiny import LARGEST, SIZES
from workflows.builder import BuildRequest, build
from workflows.common.errors import JoineryError
from workflows.generate import open_engine
from workflows.recipe.families import FAMILIES
from workflows.runtime import Machine
from workflows.runtime.execution.example_source import example_inputs

LENGTHS = (1, 7, 63, 64, 65, 130)  # of the source
STEPS = 72  # more than a chunk
OPTIONS = {"chunk": 64, "capacity": 96}
START = 1

# What must go together in a class, beyond the sizes that every class shares.
ADJUST: dict[str, dict[str, Any]] = {
    "t5": {"d_kv": 16, "d_ff": 96},
    "mt5": {"d_kv": 16, "d_ff": 96},
    "umt5": {"d_kv": 16, "d_ff": 96},
    "longt5": {"d_kv": 16, "d_ff": 96, "local_radius": 8, "global_block_size": 4},
    "switch_transformers": {"d_kv": 16, "d_ff": 96},
    "pop2piano": {"d_kv": 16, "d_ff": 96},
    "fsmt": {"langs": ["en", "de"], "src_vocab_size": 251, "tgt_vocab_size": 251},
    "led": {"attention_window": [8, 8], "max_encoder_position_embeddings": 256, "max_decoder_position_embeddings": 256},
    "bigbird_pegasus": {"block_size": 8, "num_random_blocks": 1},
    "blenderbot": {"encoder_no_repeat_ngram_size": 0},
    "whisper": {"max_source_positions": 100, "num_mel_bins": 40, "begin_suppress_tokens": None},
}


def sequence_models() -> dict[str, Case]:
    """Every model type that transformers has a sequence-to-sequence model for → its case.

    Without the audio language models that Joinery builds: these are decoders, and transformers lists them here.
    """
    from transformers import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING, MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING

    decoders = {name for family in FAMILIES.families if family.takes_sound for name in family.model_types}
    classes = {
        config.model_type: (config, model)
        for mapping in (MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING, MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING)
        for config, model in mapping.items()
        if config.model_type not in decoders
    }
    return {name: partial(_case, name, *pair) for name, pair in sorted(classes.items())}


def _case(name: str, config_class: Any, model_class: Any) -> Verdict:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        whole = save_tiny(name, config_class, model_class, folder / "checkpoint")
        try:
            build(BuildRequest(str(folder / "checkpoint"), folder / "bundle", OPTIONS))
            if not whole:
                return Verdict(name, "wrong", "built from a config and one weight")
            machine = open_engine(folder / "bundle").machine
            eager = partial(_eager, model_class, folder / "checkpoint")
            wrong = next((said for length in LENGTHS if (said := _compared(machine, eager(), length))), "")
            return Verdict(name, "wrong" if wrong else "equal", wrong)
        except JoineryError as error:
            return Verdict(name, "refused", str(error).replace(str(folder / "checkpoint"), "the checkpoint"))
        except Exception as error:  # noqa: BLE001 - that anything else comes out is what is looked for
            where = traceback.extract_tb(error.__traceback__)[-1]
            return Verdict(name, "traceback", f"{type(error).__name__} in {Path(where.filename).name}: {error}"[:300])


def save_tiny(name: str, config_class: Any, model_class: Any, folder: Path) -> bool:
    """A tiny checkpoint; where the class cannot be made tiny, its default config and one weight, which gives False."""
    torch.manual_seed(0)
    try:
        config = config_class(**_small(config_class) | ADJUST.get(name, {}))
        with torch.device("meta"):
            weights = sum(weight.numel() for weight in model_class(config).parameters())
        if weights > LARGEST:
            raise ValueError(f"{weights:,} weights are left")
        save_spread(model_class(config).eval(), folder)
        _scale_queries(folder / "model.safetensors")
        return True
    except Exception:  # noqa: BLE001 - transformers' own checks, of every kind
        folder.mkdir(exist_ok=True)
        said = {"model_type": name, "architectures": [model_class.__name__]}
        (folder / "config.json").write_text(json.dumps(said), "utf-8")
        save_file({"weight": torch.zeros(2)}, folder / "model.safetensors")
        return False


def _scale_queries(file: Path) -> None:
    """T5 and its kin have the scale of their scores in the queries' weights: without it float32 is not enough."""
    weights = load_file(file)
    scaled = {name: weight / 4 if name.endswith(".q.weight") else weight for name, weight in weights.items()}
    save_file(scaled, file, {"format": "pt"})


def _small(config_class: Any) -> dict[str, Any]:
    """Keyword arguments: every known size, and a small config for each part."""
    default = config_class()
    said = default.to_dict()
    parts = {name: _small(type(getattr(default, name))) for name in config_class.sub_configs if said.get(name)}
    given = {name: size for name, size in SIZES.items() if name in said}
    return given | ({"decoder_start_token_id": START} if not parts else {}) | parts


def _eager(model_class: Any, folder: Path) -> Any:
    """A fresh one: some models change how they attend for good, by the first length that they see."""
    return model_class.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()


def _compared(machine: Machine, model: Any, length: int) -> str:
    """What is wrong over a source of `length`; empty where nothing is."""
    vocabulary = machine.vocabulary
    ids, rows = [START], list[np.ndarray]()
    machine.cache.reset()
    given = _read(machine, length)
    for _ in range(STEPS):
        rows.append(np.array(machine.step(ids[-1:], "decode")[-1], np.float32).reshape(-1)[-vocabulary:])
        ids.append(int(rows[-1].argmax()))
    with torch.no_grad():
        wanted = model(**given, decoder_input_ids=torch.tensor([ids[:-1]]), use_cache=False).logits[0].numpy()
    scale, off = max(1.0, float(np.abs(wanted).max())), np.abs(np.stack(rows) - wanted).max(axis=1)
    step = int(off.argmax())
    if not off[step] <= TOLERANCE * scale:
        return f"source of {length} tokens, step {step}: logits of up to {scale:.3g} are off by {off[step]:.3g}"
    best = np.sort(wanted)[:, -1:-3:-1]
    other = (np.array(ids[1:]) != wanted.argmax(axis=1)) & (best[:, 0] - best[:, 1] > 2 * TOLERANCE * scale)
    return f"source of {length} tokens: token {int(other.argmax())} is another" if other.any() else ""


def _read(machine: Machine, length: int) -> dict[str, torch.Tensor]:
    """Has the encoder read a source of `length` tokens, or noise of its one length; what the model reads instead."""
    chances = np.random.default_rng(length)
    if machine.has_source:
        source = [int(i) for i in chances.integers(3, machine.vocabulary, length)]
        machine.encode(source)
        return {"input_ids": torch.tensor([source])}
    noise = {
        port: chances.normal(size=array.shape).astype(np.float32) for port, array in example_inputs(machine).items()
    }
    machine.start(noise)
    return {port.split(".", 1)[1]: torch.from_numpy(array) for port, array in noise.items()}


def table(verdicts: list[Verdict]) -> str:
    """The verdicts as a document."""
    counts = Counter(one.kind for one in verdicts)
    lines = [
        "# Every sequence-to-sequence architecture of transformers",
        "",
        f"transformers {transformers.__version__}, `python -m tests.sweep.seq2seq --table tests/sweep/SEQ2SEQ.md`: tiny"
        f" random checkpoints, sources of {', '.join(map(str, LENGTHS))} tokens, {STEPS} greedy tokens each, logits and"
        " tokens against",
        f"eager Hugging Face. Of {len(verdicts)}: {', '.join(f'{n} {kind}' for kind, n in counts.most_common())}.",
        "",
        header_line(*SOURCES),
        "",
        *verdict_rows(verdicts),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    command("seq2seq", __doc__, sequence_models(), table)
