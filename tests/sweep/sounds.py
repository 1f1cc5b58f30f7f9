"""Every architecture of transformers that answers a text with recordings, held against eager Hugging Face.

    python -m tests.sweep.sounds [--shard K/N] [--minutes M] [--json FILE] [--table FILE] [--only TYPE …]

Those that Joinery builds are drawn SEEDS times with odd sizes, built with the default options, and compared at the end
of each chunk of a prompt and at STEPS tokens after it. The others are refused. SOUNDS.md holds the verdicts. Models
that only transcribe are in SEQ2SEQ.md, and those that are built for their pictures in PICTURES.md.
"""

from __future__ import annotations

import random
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from tests.provenance import header_line
from tests.sweep.case import TOLERANCE, Verdict, save_spread
from tests.sweep.run import Case, command
from tests.sweep.seq2seq import save_tiny
from tests.sweep.table import SOURCES, verdict_rows
from workflows.builder import BuildRequest, build
from workflows.common.errors import JoineryError
from workflows.common.tensor_names import SOUND, SOUND_MASK
from workflows.generate import open_engine
from workflows.media import sound_tokens
from workflows.recipe.families import FAMILIES
from workflows.runtime import Machine

SEEDS, STEPS, AUDIO, VOCABULARY = 3, 6, 200, 211
OPTIONS = {"chunk": 64, "capacity": 640}
TEXTS: tuple[tuple[int, ...], ...] = ((20,), (1, 1), (62, 3), (64, 5, 30), (130, 2, 1, 7))
"""Lengths of the texts around the recordings: none, one, two and three of them, before, across and behind a chunk."""
PARTS = (0.7, 1.0, 2.3)
"""The lengths of these recordings, in windows; of a model that reads one window of each, at most one."""
_PROCESSORS = {"qwen2_audio": "Qwen2AudioProcessor", "audioflamingo3": "AudioFlamingo3Processor",
               "glmasr": "GlmAsrProcessor", "voxtral": "VoxtralProcessor"}  # fmt: skip


def sound_models() -> dict[str, Case]:
    """Every model type that transformers has a model of text and sound for → its cases."""
    from transformers import MODEL_FOR_MULTIMODAL_LM_MAPPING, MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING

    speech = transformers.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING
    named = {
        config.model_type: (config, model)
        for mapping in (MODEL_FOR_MULTIMODAL_LM_MAPPING, MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING, speech)
        for config, model in mapping.items()
        if not isinstance(model, tuple) and {"audio", "text"} <= {*getattr(model, "input_modalities", ())}
    }
    sees = {name for family in FAMILIES.families if family.sees or family.encoder for name in family.model_types}
    built = {name for family in FAMILIES.families if family.takes_sound for name in family.model_types}
    cases: dict[str, Case] = {}
    for name, (config, model) in sorted(named.items()):
        if name in built:
            cases |= {f"{name} {seed}": partial(_built, name, model, seed) for seed in range(SEEDS)}
        elif name not in sees and not getattr(config, "is_encoder_decoder", False):
            cases[name] = partial(_refused, name, config, model)
    return cases


def _refused(name: str, config_class: Any, model_class: Any) -> Verdict:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        save_tiny(name, config_class, model_class, folder / "checkpoint")
        return _verdict(name, folder)


def _built(name: str, model_class: Any, seed: int) -> Verdict:
    """The verdict on one drawing of sizes."""
    with tempfile.TemporaryDirectory() as place:
        folder, chances = Path(place), random.Random(f"{name} {seed}")
        config = transformers.AutoConfig.for_model(name, **_config(name, chances))
        torch.manual_seed(seed)
        save_spread(model_class(config).eval(), folder / "checkpoint", seed)
        return _verdict(f"{name} {seed}", folder, model_class)


def _verdict(name: str, folder: Path, model_class: Any = None) -> Verdict:
    """model_class: of a model that must be built; None for one that must be refused."""
    try:
        build(BuildRequest(str(folder / "checkpoint"), folder / "bundle", OPTIONS))
        if model_class is None:
            return Verdict(name, "wrong", "built, and no family of models that take sound has it")
        model = model_class.from_pretrained(folder / "checkpoint", dtype=torch.float32, attn_implementation="eager")
        with open_engine(folder / "bundle") as engine:
            wrong = next((said for texts in TEXTS if (said := _compared(engine.machine, model.eval(), texts))), "")
        return Verdict(name, "wrong" if wrong else "equal", wrong or _sizes(model.config))
    except JoineryError as error:
        return Verdict(name, "refused", str(error).replace(str(folder / "checkpoint"), "the checkpoint"))
    except Exception as error:  # noqa: BLE001 - that anything else comes out is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Verdict(name, "traceback", f"{type(error).__name__} in {Path(where.filename).name}: {error}"[:300])


# -- sizes ---------------------------------------------------------------------------------------------------------


def _config(name: str, chances: random.Random) -> dict[str, Any]:
    """Odd sizes of every part: heads of no multiple of 8, hidden sizes that are not heads × head size."""
    groups, head = chances.choice([(2, 1), (4, 2), (3, 3), (6, 2)]), chances.choice([10, 12, 18, 20, 24])
    text = {
        "model_type": chances.choice(["llama", "mistral"]) if name == "voxtral" else "qwen2",
        "vocab_size": VOCABULARY, "intermediate_size": chances.choice([70, 90]), "hidden_size": groups[0] * head,
        "num_hidden_layers": chances.choice([2, 3]), "num_attention_heads": groups[0],
        "num_key_value_heads": groups[1], "max_position_embeddings": 1024, "pad_token_id": 0, "bos_token_id": 1,
        "eos_token_id": None,
    }  # fmt: skip
    if text["model_type"] != "qwen2":
        text |= {"head_dim": head, "hidden_size": groups[0] * chances.choice([13, 15, 22])}
    config = {"text_config": text, "audio_config": _audio(name, chances), "audio_token_id": AUDIO}
    return config | {"tie_word_embeddings": False}


def _audio(name: str, chances: random.Random) -> dict[str, Any]:
    """Windows of 104 frames or more; where four rows become one, as many rows as that divides."""
    heads, head = chances.choice([2, 3]), chances.choice([8, 12, 20] if name == "glmasr" else [6, 10, 14])
    merged, positions = name in ("glmasr", "voxtral"), chances.choice([52, 76, 100])
    sizes = {
        "model_type": f"{name}_encoder", "num_mel_bins": chances.choice([40, 80, 128]), "activation_function": "gelu",
        "hidden_size": heads * head, "num_hidden_layers": chances.choice([2, 3]), "num_attention_heads": heads,
        "intermediate_size": 4 * heads * head if merged else chances.choice([50, 70]),
        "max_position_embeddings" if name == "glmasr" else "max_source_positions": positions,
    }  # fmt: skip
    if name == "qwen2_audio":
        older = {"hidden_size": "d_model", "num_hidden_layers": "encoder_layers",
                 "num_attention_heads": "encoder_attention_heads", "intermediate_size": "encoder_ffn_dim"}  # fmt: skip
        sizes = {older.get(key, key): value for key, value in sizes.items()}
    return sizes


def _frames(config: Any) -> int:
    audio = config.audio_config
    return 2 * int(getattr(audio, "max_source_positions", None) or audio.max_position_embeddings)


def _sizes(config: Any) -> str:
    text, audio = config.get_text_config(), config.audio_config
    head = text.to_dict().get("head_dim") or text.hidden_size // text.num_attention_heads
    size = getattr(audio, "d_model", None) or audio.hidden_size
    return (
        f"{text.model_type}, hidden {text.hidden_size}, {text.num_attention_heads}/{text.num_key_value_heads} heads of "
        f"{head}; sound {size}, {audio.num_attention_heads} heads, {audio.num_mel_bins} mels, windows of "
        f"{_frames(config)} frames"
    )


# -- the comparison ------------------------------------------------------------------------------------------------


def _compared(machine: Machine, model: Any, texts: tuple[int, ...]) -> str:
    """What is wrong for texts of these lengths with recordings between them; empty where nothing is."""
    chances = np.random.default_rng(len(texts) + texts[0])
    given, counts = _recordings(model.config, len(texts) - 1, chances)
    ids = chances.integers(1, 190, texts[0]).tolist()
    for count, length in zip(counts, texts[1:], strict=True):
        ids += [AUDIO] * count + chances.integers(1, 190, length).tolist()
    rows = dict(_rows(machine, ids, given))  # makes ids longer
    wanted = _eager(model, ids, given)
    for row, logits in rows.items():
        off, scale = float(np.abs(logits - wanted[row]).max()), max(1.0, float(np.abs(wanted[row]).max()))
        if not off <= TOLERANCE * scale:
            return f"texts of {texts}, token {row}: logits of up to {scale:.3g} are off by {off:.3g}"
    return ""


def _recordings(config: Any, count: int, chances: np.random.Generator) -> tuple[dict[str, np.ndarray], list[int]]:
    """The model's inputs for `count` recordings of several lengths, and the rows of each."""
    if not count:
        return {}, []
    tokens, frames = sound_tokens({"processor_class": _PROCESSORS[config.model_type]}), _frames(config)
    lengths = [round(part * frames) - 1 if part != 1 else frames for part in PARTS[:count]]
    if tokens.seconds is None:
        lengths = [min(one, frames) for one in lengths]
    windows = [part for length in lengths for part in _windows(length, frames)]
    sound = chances.normal(size=(len(windows), config.audio_config.num_mel_bins, frames)).astype(np.float32)
    if tokens.whole:
        return {SOUND: sound}, [tokens.rows(-(-length // frames) * frames) for length in lengths]
    mask = (np.arange(frames)[None] < np.array(windows)[:, None]).astype(np.int64)
    return {SOUND: sound, SOUND_MASK: mask}, [tokens.rows(length) for length in lengths]


def _windows(length: int, frames: int) -> Sequence[int]:
    """The frames of sound in each window of a recording."""
    return [min(frames, length - start) for start in range(0, length, frames)]


def _rows(machine: Machine, ids: list[int], given: Mapping[str, np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    """The number of each run's last token and its logits [V]; `ids` get the STEPS tokens."""
    machine.cache.reset()
    machine.start(dict(given), ids)
    reached, logits = -1, np.zeros(0)
    for fed, phase in list(machine.chunks(ids)):
        reached, logits = reached + len(fed), np.array(machine.step(fed, phase)[-1], np.float32)
        yield reached, logits.copy()
    for _ in range(STEPS):
        logits[AUDIO] = -np.inf
        ids.append(int(logits[:VOCABULARY].argmax()))
        logits = np.array(machine.step(ids[-1:], "decode")[-1], np.float32)
        yield len(ids) - 1, logits.copy()


def _eager(model: Any, ids: list[int], given: Mapping[str, np.ndarray]) -> np.ndarray:
    """The model's own logits [S,V]."""
    tensors, row = {name: torch.from_numpy(value) for name, value in given.items()}, torch.tensor([ids])
    if model.config.model_type == "qwen2_audio" and given:
        tensors["feature_attention_mask"] = tensors.pop(SOUND_MASK)
    with torch.no_grad():
        logits = model(input_ids=row, attention_mask=torch.ones_like(row), use_cache=False, **tensors).logits
    return np.asarray(logits[0].numpy())


# -- the document --------------------------------------------------------------------------------------------------


def table(verdicts: list[Verdict]) -> str:
    """The verdicts as a document."""
    counts = Counter(one.kind for one in verdicts)
    lines = [
        "# Every architecture of transformers that answers a text with recordings",
        "",
        f"transformers {transformers.__version__}, `python -m tests.sweep.sounds --table tests/sweep/SOUNDS.md`:"
        f" random checkpoints of odd sizes, each type drawn {SEEDS} times; none, one, two and three recordings of"
        f" {', '.join(map(str, PARTS))} windows before, across and behind a chunk of 64, texts of"
        f" {', '.join('+'.join(map(str, texts)) for texts in TEXTS)} tokens around them; logits at the end of each"
        f" chunk and at {STEPS} greedy tokens after it against eager Hugging Face, within {TOLERANCE} of the largest."
        f" Of {len(verdicts)}: {', '.join(f'{n} {kind}' for kind, n in counts.most_common())}.",
        "",
        header_line(*SOURCES),
        "",
        *verdict_rows(verdicts),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    command("sounds", __doc__, sound_models(), table)
