"""Lists the tensors of PyTorch's own weight files (`pytorch_model.bin`), which are pickles, in a confined process.

    folder, names ──[ sandbox: torch.load(weights_only=True) ]──▶ JSON ──checks──▶ {file: {name: TensorInfo}}

torch refuses every pickle that wants more than tensors need. Nothing of its objects leaves the process but names,
dtypes, shapes and places: the data of each tensor lies in the file as in a safetensors file, and is read from there
later. That is true of both forms: zip archives whose entries are stored, and the older one, where a pickle is followed
by each storage's length and data.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from workflows.common.errors import CheckpointError, printable
from workflows.process.sandbox import confine, memory_limit
from workflows.process.subprocesses import claim_stdout, exit_with_parent, run_isolated

if TYPE_CHECKING:
    import torch

SINGLE_FILE = "pytorch_model.bin"
INDEX_FILE = "pytorch_model.bin.index.json"
_SECONDS = 600.0
_ARCHIVE = b"PK\x03\x04"
_LOCAL_HEADER = 30  # bytes before the name in a zip entry's own header
_WANTED = re.compile(r"(?:GLOBAL|global) (\S+?)(?: was not| is not|`|,|\s|$)")
_SAFE = "get the checkpoint from a source that you trust, or one with safetensors weights"


class PickledTensor(BaseModel):
    """A tensor of a file: its data is `bytes` bytes from `offset` on, contiguous and little-endian."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: str
    dtype: str
    shape: tuple[int, ...] = Field(strict=False)
    offset: int = Field(ge=0)
    bytes: int = Field(ge=0)


_LISTING = TypeAdapter(dict[str, list[PickledTensor]])


def list_tensors(folder: Path, names: Sequence[str]) -> dict[str, list[PickledTensor]]:
    """The tensors of each file. Raises CheckpointError for a damaged file, and for a pickle that wants to run code."""
    paths = [folder / name for name in names]
    states = tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in paths)
    return dict(zip(names, _listed(states), strict=True))


@lru_cache(maxsize=8)
def _listed(states: tuple[tuple[str, int, int], ...]) -> tuple[list[PickledTensor], ...]:
    """The tensors of each file (path, bytes, time of its last change); starting torch takes seconds."""
    most = memory_limit(sum(size for _, size, _ in states))
    ended = run_isolated(__name__, [json.dumps({"files": [path for path, _, _ in states], "most": most})], _SECONDS)
    try:
        answer = json.loads(ended.last_line)
    except (ValueError, RecursionError):
        answer = {}
    if isinstance(answer, dict) and isinstance(answer.get("refused"), str):
        raise CheckpointError(answer["refused"])
    first = Path(states[0][0]).name
    try:
        found = _LISTING.validate_python(answer)
        listed = tuple(found[path] for path, _, _ in states)
    except (ValidationError, KeyError):
        raise CheckpointError(
            f"The process that read '{printable(first)}' {ended.failure or 'gave no list of tensors'}, so the file is "
            f"refused: {_SAFE}."
        ) from None
    for (path, size, _), tensors in zip(states, listed, strict=True):
        beyond = next((one for one in tensors if one.offset + one.bytes > size), None)
        if beyond is not None:
            raise _damaged(Path(path).name, f"its tensor '{printable(beyond.name, 60)}' lies beyond its end")
    return listed


def _damaged(name: str, why: str) -> CheckpointError:
    return CheckpointError(f"'{printable(name)}' is damaged: {why}; copy or download it again.")


# -- in the subprocess -----------------------------------------------------------------------------------------


def main() -> None:
    """Prints the list, or the refusal."""
    exit_with_parent()
    out = claim_stdout("utf-8")
    request = json.loads(sys.argv[1])
    confine(request["most"])
    try:
        answer: dict[str, Any] = {path: _tensors(Path(path)) for path in request["files"]}
    except CheckpointError as refusal:
        answer = {"refused": str(refusal)}
    out.write(json.dumps(answer) + "\n")
    out.flush()


def _tensors(path: Path) -> list[dict[str, Any]]:
    """The tensors of one file, as PickledTensor states them."""
    with path.open("rb") as file:
        zipped = file.read(len(_ARCHIVE)) == _ARCHIVE  # as torch tells the two forms apart
    records = _stored_records(path) if zipped else None
    content, places = _load(path, mapped=zipped)
    if not isinstance(content, Mapping):
        raise CheckpointError(
            f"'{printable(path.name)}' holds {type(content).__name__} and no tensors by name: {_SAFE}."
        )
    return [_described(path.name, str(name), value, places, records) for name, value in content.items()]


def _load(path: Path, mapped: bool) -> tuple[object, dict[int, int]]:
    """What torch reads, and address in memory → place in the file. mapped: the file is not read but mapped."""
    import torch

    with _noted_places() as places:
        try:
            return torch.load(path, map_location="cpu", weights_only=True, mmap=mapped), places
        except Exception as error:  # noqa: BLE001 - torch raises what it likes for a file that is not its own
            raise _load_error(path.name, str(error)) from None


@contextmanager
def _noted_places() -> Iterator[dict[int, int]]:
    """Notes where torch takes storages from: of a mapped file its first byte, else each storage's own place."""
    import torch

    places: dict[int, int] = {}
    storage = torch.UntypedStorage
    from_file, set_from_file = storage.from_file, storage._set_from_file

    def map_file(*arguments: Any, **options: Any) -> torch.UntypedStorage:
        whole = from_file(*arguments, **options)
        places[whole.data_ptr()] = 0
        return whole

    def read_storage(self: torch.UntypedStorage, file: Any, offset: int | None, direct: bool, size: int) -> object:
        start = file.tell() if offset is None else offset
        result = set_from_file(self, file, offset, direct, size)
        places[self.data_ptr()] = start + 8  # behind the number of elements
        return result

    storage.from_file, storage._set_from_file = map_file, read_storage
    try:
        yield places
    finally:
        storage.from_file, storage._set_from_file = from_file, set_from_file


def _described(
    file: str, name: str, value: object, places: Mapping[int, int], records: Sequence[tuple[int, int]] | None
) -> dict[str, Any]:
    """A tensor as PickledTensor states it. records: the stored entries of a zip archive, from where to where."""
    import torch

    what = f"'{printable(file)}': '{printable(name, 60)}'"
    if not isinstance(value, torch.Tensor):
        raise CheckpointError(f"{what} is no tensor but {type(value).__name__}: {_SAFE}.")
    if value.layout != torch.strided or value.is_quantized or not value.is_contiguous():
        raise CheckpointError(
            f"{what} is not stored row by row (sparse, quantized or a view), which is not read: save the model with "
            "save_pretrained and open the result."
        )
    size, base = value.nbytes, value.untyped_storage().data_ptr()
    start = next((base - own + place for own, place in places.items() if records is not None or own == base), None)
    if start is None and size:
        raise CheckpointError(f"{what} has no place in the file: {_SAFE}.")
    offset = (start or 0) + value.storage_offset() * value.element_size()
    if size and records is not None and not any(begin <= offset and offset + size <= end for begin, end in records):
        raise _damaged(file, f"its tensor '{printable(name, 60)}' lies in no stored entry of the archive")
    dtype = str(value.dtype).removeprefix("torch.")
    return {"name": name, "dtype": dtype, "shape": list(value.shape), "offset": offset if size else 0, "bytes": size}


def _stored_records(path: Path) -> list[tuple[int, int]]:
    """(begin, end) of the archive's entries that are stored as they are. Raises CheckpointError for a damaged one."""
    records = []
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as file:
            for entry in archive.infolist():
                if entry.compress_type != zipfile.ZIP_STORED:
                    continue
                if entry.filename.endswith("/byteorder") and archive.read(entry) != b"little":
                    raise CheckpointError(f"'{printable(path.name)}' was saved on a big-endian machine: {_SAFE}.")
                file.seek(entry.header_offset + 26)
                lengths = [int.from_bytes(file.read(2), "little") for _ in range(2)]
                begin = entry.header_offset + _LOCAL_HEADER + sum(lengths)
                records.append((begin, begin + entry.file_size))
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, ValueError) as error:
        raise _damaged(path.name, f"it is no whole archive ({printable(error, 80)})") from None
    return records


def _load_error(name: str, message: str) -> CheckpointError:
    """torch's refusal as a sentence that names the global which the pickle wants."""
    if "Weights only load failed" not in message and "weights_only" not in message:
        first = next(iter(message.strip().splitlines()), "no reason given").rstrip(".")
        return _damaged(name, f"torch cannot read it ({printable(first, 80)})")
    wanted = _WANTED.search(message)
    if wanted is None:
        return CheckpointError(f"'{printable(name)}' is a pickle of more than tensors, so it is refused: {_SAFE}.")
    what = printable(wanted[1], 80)
    return CheckpointError(
        f"'{printable(name)}' wants to use {what}, which no weights need, so it is refused: {_SAFE}."
    )


if __name__ == "__main__":
    main()
