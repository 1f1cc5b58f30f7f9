"""config.json and its sisters: what they say, and what they may name.

    config.json, tokenizer_config.json … ──read_config──▶ dict ──allow-lists──▶ dict, or a refusal

A config is data from a stranger that transformers acts upon: it may name classes, files, kernels and repositories
to load. Whatever is named outside the lists here is refused, wherever in the file it stands.
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
CODE_CONFIGS = (
    CONFIG,
    "tokenizer_config.json",
    "processor_config.json",
    "preprocessor_config.json",
    "image_processor_config.json",
    "video_preprocessor_config.json",
)

_ATTENTION = {"eager", "sdpa", "flex_attention", "flash_attention_2", "flash_attention_3"}
_EXPERTS = {"eager", "batched_mm", "grouped_mm"}
_CHOICES = {
    "attn_implementation": _ATTENTION,
    "_attn_implementation": _ATTENTION,
    "_attn_implementation_internal": _ATTENTION,
    "_attn_implementation_autoset": set[str](),
    "experts_implementation": _EXPERTS,
    "_experts_implementation": _EXPERTS,
    "_experts_implementation_internal": _EXPERTS,
}
_FOREIGN = ("transformers_weights", "fast_tokenizer_files", "kernel_config", "custom_generate")
_CLASSES = ("tokenizer_class", "processor_class", "image_processor_type", "feature_extractor_type")
BUNDLE = "pipeline.json"  # what a checkpoint never has
_MODEL_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def read_config(folder: Path) -> dict[str, object]:
    """config.json, checked; raises CheckpointError where it is missing, damaged, or names what it may not."""
    if exists(folder, BUNDLE):
        raise CheckpointError(
            f"{printable(folder)} is a bundle, whose graphs are built and perhaps quantized already: build anew from "
            "the checkpoint that it was made of."
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
    """A JSON object of the folder, checked like a config; empty where there is no such file."""
    if not exists(folder, name):
        return {}
    found = read_object(folder, name, CONFIG_LIMIT)
    check_names(found, name)
    return found


def model_type(config: dict[str, object]) -> str:
    """The family's name, as `qwen3`."""
    found = config.get("model_type")
    if not isinstance(found, str) or not _MODEL_TYPE.fullmatch(found):
        raise CheckpointError(
            "'config.json' has no model_type, so the model's architecture is unknown; "
            "get the checkpoint again, or one that transformers saved."
        )
    return found


def architectures(config: dict[str, object]) -> tuple[str, ...]:
    """The classes that the config says it is for, as `("Qwen3ForCausalLM",)`."""
    found = config.get("architectures") or []
    if not isinstance(found, list) or not all(isinstance(name, str) and _IDENTIFIER.fullmatch(name) for name in found):
        raise CheckpointError("'config.json' has architectures that are not a list of class names; get it again.")
    return tuple(found)


def walk(value: object) -> Iterator[tuple[str, object]]:
    """Every key and value of a decoded JSON value, at every depth."""
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            yield from here.items()
            pending.extend(here.values())
        elif isinstance(here, list):
            pending.extend(here)


def check_names(config: dict[str, object], name: str) -> None:
    """Refuse a config that names a kernel, a file or a class which is not on the lists."""
    for key, value in walk(config):
        if value is None or isinstance(value, bool):
            continue
        if key in _CHOICES and not _is_choice(value, _CHOICES[key]):
            raise _refused(name, key, value)
        if key in _FOREIGN and value not in ([], {}, ""):
            raise _refused(name, key, value)
        if key in _CLASSES and not (isinstance(value, str) and _IDENTIFIER.fullmatch(value)):
            raise _refused(name, key, value)


def _is_choice(value: object, choices: set[str]) -> bool:
    """One of the choices, or one for each part of the model."""
    values = value.values() if isinstance(value, dict) else [value]
    return all((isinstance(one, str) and one in choices) or one is None for one in values)


def _refused(name: str, key: str, value: object) -> CheckpointError:
    return CheckpointError(
        f"'{printable(name)}' sets {printable(key, 40)} to '{printable(value, 60)}', which would load something from "
        "outside the checkpoint's own files; remove that line if you trust the rest."
    )


def token_ids(key: str, *sources: dict[str, object]) -> tuple[int, ...]:
    """The ids that the first source with `key` gives: one number or a list of them; () where none does."""
    for source in sources:
        found = source.get(key)
        if found is None:
            continue
        ids = found if isinstance(found, list) else [found]
        whole = [one for one in ids if isinstance(one, int) and not isinstance(one, bool) and -1 <= one < 1 << 31]
        if len(whole) < len(ids):
            raise CheckpointError(
                f"The checkpoint's {key} is '{printable(found, 60)}', which is no token id; get it again."
            )
        return tuple(one for one in whole if one >= 0)
    return ()
