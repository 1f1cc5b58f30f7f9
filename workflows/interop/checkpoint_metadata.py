"""Reads a checkpoint folder's token ids, model type and limits for graphs that are stored elsewhere.

generation_config.json, config.json ──▶ the keys tokens, generation and metadata of a pipeline.json
"""

from __future__ import annotations

from pathlib import Path

from workflows.build.tokenizer import COPIED
from workflows.checkpoint.configuration import CONFIG, GENERATION, read_optional, token_ids
from workflows.common.errors import RequestError
from workflows.common.tensor_names import DEFAULT_CAPACITY

Json = dict[str, object]
# pipeline key → config keys, of which the first present one counts
_ONE: dict[str, tuple[str, ...]] = {
    "pad": ("pad_token_id",),
    "bos": ("bos_token_id",),
    "decoder_start": ("decoder_start_token_id",),
    "image_token": ("image_token_id", "image_token_index"),
    "audio_token": ("audio_token_id", "audio_token_index"),
    "video_token": ("video_token_id", "video_token_index"),
}


def read_checkpoint_metadata(folder: Path, *, reads: bool) -> dict[str, Json]:
    """Returns top-level keys of a pipeline.json. reads: whether an encoder reads a source, limited like the decoder.

    Raises RequestError where the folder does not exist, CheckpointError for damaged files.
    """
    if not any((folder / name).is_file() for name in COPIED):
        raise RequestError(f"{folder} holds neither tokenizer.json nor config.json: give the folder that does.")
    config = read_optional(folder, CONFIG)
    text = config.get("text_config")
    sources = (read_optional(folder, GENERATION), config, text if isinstance(text, dict) else {})
    tokens: Json = {"eos": list(token_ids("eos_token_id", *sources))}
    for name, keys in _ONE.items():
        value = [one for key in keys for one in token_ids(key, *sources)]
        tokens |= {name: value[0]} if value else {}
    kind = config.get("model_type")
    metadata: Json = {"model_type": kind} if isinstance(kind, str) else {}
    classes = config.get("architectures")
    metadata |= {"architecture": str(classes[0])} if isinstance(classes, list) and classes else {}
    limit = _positions(*sources[1:])
    metadata |= {"source_limit": limit} if limit and reads else {}
    return {"tokens": tokens, "metadata": metadata} | (
        {"generation": {"max_length": min(limit, DEFAULT_CAPACITY)}} if limit else {}
    )


def _positions(*sources: dict[str, object]) -> int | None:
    """The number of positions that the model has a table for, or was trained on."""
    value = (source.get("max_position_embeddings") for source in sources)
    return next((one for one in value if isinstance(one, int) and one > 0), None)
