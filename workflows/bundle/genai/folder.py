"""Opens a folder of onnxruntime-genai in place: it is read, never written.

genai_config.json, of either version ──▶ Pipeline      tokenizer.json …, in model.tokenizer_dir ──▶ tokenizer/
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from pydantic import ValidationError

from workflows.bundle.genai.keys import Json, drop, object_at, overlaid, value_at
from workflows.bundle.genai.metadata import CONFIG
from workflows.bundle.genai.speculation import write_strategy
from workflows.bundle.genai.to_version2 import to_version2
from workflows.bundle.genai.version1 import GenaiConfig, ring_faults, version1_faults
from workflows.bundle.outline import Fault, path_of
from workflows.bundle.schema import Pipeline, parse_pipeline
from workflows.common.errors import BundleError, printable
from workflows.common.files import has_symlink
from workflows.common.strict_json import InvalidJsonError, read_json

TEXT_FILES = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja",
    "generation_config.json", "config.json", "preprocessor_config.json",
)  # fmt: skip
_LONGEST = 1 << 20  # bytes of a configuration
_V1 = ("model", "search", "speculative", "engine")
_V2 = ("pipeline", "tokens", "generation", "metadata")


def read_genai(folder: Path, *, importing: bool = False) -> tuple[Pipeline, dict[str, Path]]:
    """Returns the program, and the folder's files by their names in a bundle.

    importing: whether the graphs may be changed to make them run. Raises BundleError with the JSON path of a fault, or
    the name of a missing file.
    """
    path = folder / CONFIG
    data = _load(path)
    pipeline = parse_genai(data, str(path), folder.resolve().name, importing=importing)
    files = {session.file: folder / session.file for session in pipeline.pipeline.sessions.values()}
    for name, session in pipeline.pipeline.sessions.items():
        if not files[session.file].is_file():
            fault = Fault(f"pipeline.sessions.{name}.file", f"there is no file {session.file} in the folder")
            raise fault.error(f"{path}, read as version 2,")
    weights = {near.name: near for file in list(files.values()) for near in file.parent.glob(f"{file.name}?*")}
    own = {name: near for name, near in weights.items() if near.is_file() and near.suffix != ".onnx"}
    files = own | files | _text_files(folder, value_at(cast(Json, data), "model.tokenizer_dir"), path)
    for file in files.values():
        if has_symlink(folder, file.relative_to(folder)):
            raise BundleError(f"{printable(file)} is a symbolic link, and such a file is not opened: copy it there.")
    return pipeline, files


def parse_genai(data: object, location: str, name: str = "", *, importing: bool = False) -> Pipeline:
    """Converts a decoded file of either version; name: the model's display name.

    Raises BundleError with the JSON path of a fault.
    """
    if not isinstance(data, dict):
        raise BundleError(f"{location} is not a JSON object: get the folder again.")
    version = data.get("version", 1)
    if version not in (1, 2) or isinstance(version, bool):
        raise Fault("version", f"there is no version {printable(version, 40)}: there are 1 and 2").error(location)
    for key in data:
        if key not in (*_V1, *_V2, "version") and isinstance(data[key], dict | list):
            known = ", ".join((*_V1, *(_V2 if version == 2 else ())))
            raise Fault(key, f"there is no such key: there are {known}").error(location)
    if version == 2 and "model" not in data:
        return parse_pipeline(_with_facts({key: data[key] for key in data if key in (*_V2, "version")}, name), location)
    if version == 1 and (odd := next((key for key in _V2 if key in data), None)):
        raise Fault(odd, 'the key is one of version 2: write "version": 2').error(location)
    made = _of_version_1({key: data[key] for key in _V1 if key in data}, location, importing)
    if version == 2:
        made = _with_version_2(made, data)
    return parse_pipeline(_with_facts(made, name), f"{location}, read as version 2,")


def _with_facts(made: Json, name: str) -> Json:
    """Adds the metadata that a build would write; nothing is known about the weights."""
    facts: Json = {"name": name, "task": "text-generation", "precision": "", "counts": True}  # as genai feeds them
    return overlaid({"metadata": facts}, made)


def _of_version_1(data: Json, where: str, importing: bool) -> Json:
    try:
        config = GenaiConfig.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        path = path_of([part for part in first["loc"] if part != "[key]"]) or "the file"
        raise Fault(path, first["msg"].removeprefix("Value error, ")).error(where) from None
    for fault in (*version1_faults(config), *(() if importing else ring_faults(config))):
        raise fault.error(where)
    made = to_version2(config, data)
    if importing:
        drop(made, "metadata.genai.model.decoder.sliding_window.layers")
        drop(made, "metadata.genai.model.decoder.sliding_window.cache_slack")
    return made


def _with_version_2(made: Json, data: Json) -> Json:
    """Merges version 1's `model` with the version 2 keys of the same file: a flow in version 2 takes precedence.

    Without a flow, its sessions are names for a strategy; keys that are not run are kept.
    """
    data = {key: data[key] for key in _V2 if key in data}
    flow = data.get("pipeline")
    if isinstance(flow, dict) and "flow" not in flow and "extends" not in flow:
        data["metadata"] = overlaid({"genai": {"pipeline": flow}}, object_at(data, "metadata"))
        write_strategy(made, flow)
        del data["pipeline"]
    elif flow is not None:
        del made["pipeline"]
    return overlaid(made, data)


def _text_files(folder: Path, tokenizer: object, path: Path) -> dict[str, Path]:
    """The folder's tokenizer and generation files, by their names in a bundle."""
    inner = tokenizer if isinstance(tokenizer, str) else ""
    outside = inner.startswith(("/", "\\")) or ".." in inner or ":" in inner
    if outside or not (folder / inner).is_dir():
        message = "the folder's tokenizer must lie in it" if outside else f"there is no folder {inner}"
        raise Fault("model.tokenizer_dir", message).error(str(path))
    places = {f"tokenizer/{name}": folder / inner / name for name in TEXT_FILES}
    return {name: place for name, place in places.items() if place.is_file()}


def _load(path: Path) -> object:
    if path.stat().st_size > _LONGEST:
        raise BundleError(f"{path} has more than {_LONGEST:,} bytes, which no configuration needs: get it again.")
    try:
        data: object = read_json(path.read_bytes(), endless=False)
    except InvalidJsonError as error:
        raise BundleError(f"{path} {error}: get the folder again.") from None
    return data
