"""Reads config.json and the other configuration files, and checks what they name.

    config.json, tokenizer_config.json … ──read_config──▶ dict ──allow-lists──▶ dict, or CheckpointError

A config is untrusted data that transformers acts on: it may name classes, files, kernels and repositories to load.
A name outside the allow-lists here is refused, at any depth of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from workflows.checkpoint.files import exists, read_object
from workflows.common.errors import CheckpointError, printable

CONFIG = "config.json"
GENERATION = "generation_config.json"
CONFIG_LIMIT = 8 << 20
# Files whose `auto_map` transformers follows.
CODE_CONFIGS = (CONFIG, "tokenizer_config.json", "processor_config.json", "preprocessor_config.json",
                "image_processor_config.json", "video_preprocessor_config.json")  # fmt: skip

_ATTENTION = {"eager", "sdpa", "flex_attention", "flash_attention_2", "flash_attention_3"}
_EXPERTS = {"eager", "batched_mm", "grouped_mm"}
_CHOICES = {
    **dict.fromkeys(("attn_implementation", "_attn_implementation", "_attn_implementation_internal"), _ATTENTION),
    "_attn_implementation_autoset": set[str](),
    **dict.fromkeys(("experts_implementation", "_experts_implementation"), _EXPERTS),
    "_experts_implementation_internal": _EXPERTS,
}
_FOREIGN = ("transformers_weights", "fast_tokenizer_files", "kernel_config", "custom_generate")
_CLASSES = ("tokenizer_class", "processor_class", "image_processor_type", "feature_extractor_type")
BUNDLE = "pipeline.json"  # a file of bundles, never of checkpoints
_MODEL_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def read_config(folder: Path) -> dict[str, object]:
    """Reads and checks config.json. Raises CheckpointError if it is missing, damaged or names a forbidden thing."""
    if exists(folder, BUNDLE):
        raise CheckpointError(
            f"{printable(folder)} is a bundle, whose graphs are already built and possibly quantized: run it with "
            f"`joinery generate {printable(folder)}`, or build again from its original checkpoint."
        )
    if not exists(folder, CONFIG) and exists(folder, "0_Transformer"):  # of early sentence-transformers
        raise CheckpointError(
            f"{printable(folder)} has its config.json in 0_Transformer and lacks modules.json, which states the steps "
            "after it: get that file as well, or open 0_Transformer alone."
        )
    if not exists(folder, CONFIG):
        raise CheckpointError(
            f"{printable(folder)} has no config.json, so it is not a checkpoint; give the folder that holds it."
        )
    config = read_object(folder, CONFIG, CONFIG_LIMIT)
    check_names(config, CONFIG)
    model_type(config)
    architectures(config)
    return config


def read_optional(folder: Path, name: str) -> dict[str, object]:
    """Reads a JSON object of the folder and checks it like a config; empty where the file does not exist."""
    if not exists(folder, name):
        return {}
    data = read_object(folder, name, CONFIG_LIMIT)
    check_names(data, name)
    return data


def model_type(config: dict[str, object]) -> str:
    """The model type, such as `qwen3`."""
    value = config.get("model_type")
    if not isinstance(value, str) or not _MODEL_TYPE.fullmatch(value):
        raise CheckpointError(
            "'config.json' has no model_type, so the model's architecture is unknown; "
            "get the checkpoint again, or one that transformers saved."
        )
    return value


def architectures(config: dict[str, object]) -> tuple[str, ...]:
    """The class names in `architectures`, such as `("Qwen3ForCausalLM",)`."""
    value = config.get("architectures") or []
    if not isinstance(value, list) or not all(isinstance(name, str) and _IDENTIFIER.fullmatch(name) for name in value):
        raise CheckpointError("'config.json' has architectures that are not a list of class names; get it again.")
    return tuple(value)


def walk(value: object) -> Iterator[tuple[str, object]]:
    """Yields every key and value of a decoded JSON value, at every depth."""
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            yield from here.items()
            pending.extend(here.values())
        elif isinstance(here, list):
            pending.extend(here)


def check_names(config: dict[str, object], name: str) -> None:
    """Raises CheckpointError for a config that names a kernel, a file or a class outside the allow-lists."""
    for key, value in walk(config):
        if value is None or isinstance(value, bool):
            continue
        if (
            (key in _CHOICES and not _is_choice(value, _CHOICES[key]))
            or (key in _FOREIGN and value not in ([], {}, ""))
            or (key in _CLASSES and not (isinstance(value, str) and _IDENTIFIER.fullmatch(value)))
        ):
            raise CheckpointError(
                f"'{printable(name)}' sets {printable(key, 40)} to '{printable(value, 60)}', which would load "
                "something from outside the checkpoint's own files; remove that line if you trust the rest."
            )


def _is_choice(value: object, choices: set[str]) -> bool:
    """Whether `value` is one of the choices, or an object with one choice for each part of the model."""
    values = value.values() if isinstance(value, dict) else [value]
    return all((isinstance(one, str) and one in choices) or one is None for one in values)


def token_ids(key: str, *sources: dict[str, object]) -> tuple[int, ...]:
    """The token ids under `key` in the first source that has it: one number or a list; () where none has it."""
    for source in sources:
        value = source.get(key)
        if value is None:
            continue
        ids = value if isinstance(value, list) else [value]
        whole = [one for one in ids if isinstance(one, int) and not isinstance(one, bool) and -1 <= one < 1 << 31]
        if len(whole) < len(ids):
            raise CheckpointError(
                f"The checkpoint's {key} is '{printable(value, 60)}', which is not a token id; get it again."
            )
        return tuple(one for one in whole if one >= 0)
    return ()
