"""The keys that both versions have under different paths; access to nested JSON objects by dotted paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

Json = dict[str, object]

# version 1 → version 2
SAME = {
    "model.type": "metadata.model_type",
    "model.vocab_size": "metadata.vocabulary",
    "model.eos_token_id": "tokens.eos",
    "model.pad_token_id": "tokens.pad",
    "model.bos_token_id": "tokens.bos",
    "model.sep_token_id": "tokens.sep",
    "model.decoder_start_token_id": "tokens.decoder_start",
    "model.image_token_id": "tokens.image_token",
    "model.audio_token_id": "tokens.audio_token",
    "model.video_token_id": "tokens.video_token",
    "search.min_length": "generation.min_length",
    "search.num_beams": "generation.num_beams",
    "search.temperature": "generation.sampling.temperature",
    "search.top_k": "generation.sampling.top_k",
    "search.top_p": "generation.sampling.top_p",
    "search.do_sample": "generation.sampling.do_sample",
    "search.repetition_penalty": "generation.sampling.repetition_penalty",
}
# the keys of `model` with one graph each, which are also their session names
PARTS = ("vision", "speech", "embedding", "encoder", "decoder")
# version 1's keys of the cache's tensor names, and the graphs' default names; separate, combined
SEPARATE = {
    "model.decoder.inputs.past_key_names": ("past_key_pattern", "past_key_values.%d.key"),
    "model.decoder.inputs.past_value_names": ("past_value_pattern", "past_key_values.%d.value"),
    "model.decoder.outputs.present_key_names": ("present_key_pattern", "present.%d.key"),
    "model.decoder.outputs.present_value_names": ("present_value_pattern", "present.%d.value"),
}
COMBINED = {
    "model.decoder.inputs.past_names": ("past_key_pattern", "past_%d"),
    "model.decoder.outputs.present_names": ("present_key_pattern", "present_%d"),
}


def value_at(data: Json, path: str) -> object | None:
    """The value at a path; None where it is absent."""
    value: object = data
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def object_at(data: Json, path: str) -> Json:
    """The object at a path; {} where it is absent."""
    value = value_at(data, path)
    return value if isinstance(value, dict) else {}


def put(data: Json, path: str, value: object) -> None:
    """Writes a value, creating the objects on its path."""
    *way, last = path.split(".")
    for key in way:
        data = cast(Json, data.setdefault(key, {}))
    data[last] = value


def drop(data: Json, path: str) -> None:
    """Removes a value and the objects that become empty."""
    way, last = _way(data, path), path.rpartition(".")[2]
    if len(way) == path.count(".") + 1:
        way[-1].pop(last, None)
    keys = path.split(".")[: len(way) - 1]
    for outer, key in zip(reversed(way[:-1]), reversed(keys), strict=True):
        if outer.get(key) == {}:
            del outer[key]


def _way(data: Json, path: str) -> list[Json]:
    """The objects along the path to the last key, as far as they exist."""
    value = [data]
    for key in path.split(".")[:-1]:
        inner = value[-1].get(key)
        if not isinstance(inner, dict):
            break
        value.append(inner)
    return value


def overlaid(below: Json, above: Json) -> Json:
    """Merges `above` over `below`, object by object."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = overlaid(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def leaves(data: object) -> Iterator[tuple[str, object]]:
    """Yields (path, value) of every value that is not an object, at any depth."""
    waiting: list[tuple[str, object]] = [("", data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict) and value:
            prefix = f"{path}." if path else ""
            waiting += [(f"{prefix}{key}", value) for key, value in reversed(value.items())]
        else:
            yield path, value
