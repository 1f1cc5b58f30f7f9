"""Lists a checkpoint's weight files and their tensors; an error names what is there instead.

    folder ──weight_files──▶ ("model-00001-of-00002.safetensors", …) ──read_weights──▶ {name: TensorInfo}

    a file:  8 bytes: N, little-endian │ N bytes: JSON {name: {dtype, shape, data_offsets}} │ data, which is not read

A TensorInfo says where the tensor's data lies in its file, whatever kind of file that is (torch_weights.py lists those
of PyTorch): nothing after this module knows the kind.

Format: https://github.com/huggingface/safetensors (README, "Format"). As specified there, the tensors fill the data
without gaps or overlaps; unlike the library up to 0.8, a duplicate tensor name is refused.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workflows.checkpoint import torch_weights
from workflows.checkpoint.files import exists, open_file, parse_object, read_object, regular_file, safe_name
from workflows.checkpoint.packed import PackedWeight
from workflows.checkpoint.peft.changes import WeightChange
from workflows.common.errors import CheckpointError, printable

SINGLE_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
INDEX_LIMIT = 64 << 20
SHARD_LIMIT = 10_000
# each index, and the suffix of the files that it may name; in the order in which transformers looks for them
INDICES = {INDEX_FILE: ".safetensors", torch_weights.INDEX_FILE: ".bin"}
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5", ".msgpack")
HEADER_LIMIT = 100_000_000  # bytes; the library's own limit

# dtype in the file: (dtype in numpy or torch, bits of one element)
DTYPES: dict[str, tuple[str, int]] = {
    "BOOL": ("bool", 8),
    **{f"U{bits}": (f"uint{bits}", bits) for bits in (8, 16, 32, 64)},
    **{f"I{bits}": (f"int{bits}", bits) for bits in (8, 16, 32, 64)},
    **{f"F{bits}": (f"float{bits}", bits) for bits in (16, 32, 64)},
    "BF16": ("bfloat16", 16),
    "C64": ("complex64", 64),
    "F8_E4M3": ("float8_e4m3fn", 8),
    "F8_E5M2": ("float8_e5m2", 8),
    "F8_E4M3FNUZ": ("float8_e4m3fnuz", 8),
    "F8_E5M2FNUZ": ("float8_e5m2fnuz", 8),
    "F8_E8M0": ("float8_e8m0fnu", 8),
    "F6_E2M3": ("float6_e2m3fn", 6),
    "F6_E3M2": ("float6_e3m2fn", 6),
    "F4": ("float4_e2m1fn", 4),
}


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A tensor as its file declares it. `dtype` is of numpy, of torch or a form of GGUF, `file` a name in the folder.

    `offset` is the byte of the file at which its data begins, `name` the tensor's name in the file. GGUF has some
    tensors in another way than models do: head_rows: the rows of each so many alternate between the first and the
    second half of a head; raised: 1 is added to each number. packed: the stored tensors that a quantized weight is in.
    changes: what adapters make of it, in order; folder: where the file is, if not in the checkpoint's own.
    """

    dtype: str
    shape: tuple[int, ...]
    file: str
    bytes: int
    offset: int = field(default=0, compare=False)
    name: str = field(default="", compare=False)
    head_rows: int = 0
    raised: bool = False
    changes: tuple[WeightChange, ...] = ()
    folder: str = ""
    packed: PackedWeight | None = None

    @property
    def files(self) -> frozenset[str]:
        """The files that hold it."""
        return frozenset(part.file for part in self.packed.parts) if self.packed else frozenset({self.file})

    @property
    def elements(self) -> int:
        """The number of elements: 1 for a scalar."""
        return math.prod(self.shape)

    @property
    def is_mask(self) -> bool:
        """Whether it has the shape of a layer's mask [1,1,P,P], which old files store and models compute."""
        return self.shape[:2] == (1, 1) and len(self.shape) == 4 and self.shape[2] == self.shape[3] > 1


def weight_files(folder: Path) -> tuple[str, ...]:
    """The files that transformers would load: `model.safetensors`, else the shards in its index, else PyTorch's own."""
    single, index = weight_layout(path.name for path in folder.iterdir())
    if single:
        return (single,)
    return tuple(sorted(set(read_index(folder, index).values())))


def weight_layout(names: Iterable[str]) -> tuple[str, str]:
    """The one weight file among `names`, or the index of several; the other is empty. Raises CheckpointError."""
    present = set(names)
    for index in INDICES:
        single = SINGLE_FILE if index == INDEX_FILE else torch_weights.SINGLE_FILE
        if single in present:
            return single, ""
        if index in present:
            return "", index
    raise no_weights_error(sorted(present))


def read_index(folder: Path, index: str) -> dict[str, str]:
    """Reads an index of INDICES: tensor → shard; every shard has a safe name."""
    table = read_object(folder, index, INDEX_LIMIT).get("weight_map")
    if not isinstance(table, dict) or not table:
        raise CheckpointError(f"'{index}' has no weight_map, so the checkpoint is damaged; get it again.")
    shards, suffix = set(map(str, table.values())), INDICES[index]
    for shard in shards:
        if not safe_name(shard) or not shard.endswith(suffix):
            raise CheckpointError(
                f"'{index}' names '{printable(shard)}', which is not a {suffix.removeprefix('.')} file inside the "
                "folder; get the checkpoint again from a source that you trust."
            )
    if len(shards) > SHARD_LIMIT:
        raise CheckpointError(f"'{index}' names more than {SHARD_LIMIT} files, so the checkpoint is refused.")
    return {str(tensor): str(shard) for tensor, shard in table.items()}


def read_weights(folder: Path) -> dict[str, TensorInfo]:
    """Reads every tensor's header entry. Raises CheckpointError where a tensor or a file is missing."""
    _, index = weight_layout(path.name for path in folder.iterdir())
    names = weight_files(folder)
    for name in names:
        if not exists(folder, name):
            raise CheckpointError(
                f"The checkpoint's index names '{printable(name)}', which is missing; download the missing file."
            )
        regular_file(folder, name)
    tensors: dict[str, TensorInfo] = {}
    for name, header in read_tensors(folder, names).items():
        if twice := next((tensor for tensor in header if tensor in tensors), None):
            raise CheckpointError(
                f"The tensor '{printable(twice)}' is in '{printable(tensors[twice].file)}' and in "
                f"'{printable(name)}', which is ambiguous; the checkpoint is refused."
            )
        tensors.update(header)
    if index:
        _check_placement(read_index(folder, index), tensors)
    if not tensors:
        raise CheckpointError("The checkpoint's weight files hold no tensor; get the checkpoint again.")
    return tensors


def read_tensors(folder: Path, names: Sequence[str]) -> dict[str, dict[str, TensorInfo]]:
    """The tensors of each of these weight files, all of one kind. Raises CheckpointError for a file that is damaged."""
    if not all(name.endswith(".bin") for name in names):
        return {name: read_header(folder, name) for name in names}
    return {name: _listed(name, tensors) for name, tensors in torch_weights.list_tensors(folder, names).items()}


def _listed(name: str, tensors: Sequence[torch_weights.PickledTensor]) -> dict[str, TensorInfo]:
    """The tensors of a file of PyTorch's. Raises CheckpointError for a dtype or a size that cannot be."""
    bits = dict(DTYPES.values())
    made: dict[str, TensorInfo] = {}
    for one in tensors:
        info = TensorInfo(one.dtype, one.shape, name, one.bytes, one.offset, one.name)
        if one.dtype not in bits:
            raise _damaged(name, f"its tensor '{printable(one.name, 60)}' has the dtype '{printable(one.dtype, 30)}'")
        if not _naturals(list(one.shape)) or info.elements * bits[one.dtype] != 8 * one.bytes or one.name in made:
            raise _damaged(name, f"its tensor '{printable(one.name, 60)}' has a size that contradicts its shape")
        made[one.name] = info
    return made


def _check_placement(table: dict[str, str], tensors: dict[str, TensorInfo]) -> None:
    missing = [name for name, shard in table.items() if name not in tensors or tensors[name].file != shard]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise CheckpointError(
            f"'{printable(table[missing[0]])}' lacks the tensor '{printable(missing[0])}'{more}, which the index "
            "says it holds; download the checkpoint again."
        )


def dominant_dtype(tensors: dict[str, TensorInfo]) -> str:
    """The dtype of most elements."""
    count: Counter[str] = Counter()
    for tensor in tensors.values():
        count[tensor.dtype] += tensor.elements
    return count.most_common(1)[0][0]


def no_weights_error(names: Iterable[str]) -> CheckpointError:
    """Returns the error for a folder with these files that has no usable weights: the reason and the remedy."""
    present = list(names)
    pickle = next((name for name in present if name.endswith(_PICKLES)), None)
    other = next((name for name in present if name.endswith(".safetensors")), None)
    if "adapter_config.json" in present:
        return CheckpointError(
            "This is an adapter and not a whole model: give its base with it, `joinery build BASE --adapter DIR --out "
            "DIR`."
        )
    if other:
        return CheckpointError(
            f"The checkpoint has '{printable(other)}' but neither '{SINGLE_FILE}' nor '{INDEX_FILE}'; "
            f"save the model with save_pretrained, or name its one weight file '{SINGLE_FILE}'."
        )
    if pickle:
        return CheckpointError(
            f"The checkpoint's weights are in '{printable(pickle)}', a format that can run code when it is opened and "
            f"that is read under the names '{torch_weights.SINGLE_FILE}' and '{torch_weights.INDEX_FILE}' alone; "
            "convert it to safetensors (save_pretrained does that) and open the result."
        )
    return CheckpointError(f"The checkpoint has no weights: '{SINGLE_FILE}' is missing; get the checkpoint again.")


def read_header(folder: Path, name: str) -> dict[str, TensorInfo]:
    """Reads the tensors of a safetensors file. Raises CheckpointError where header and data disagree."""
    header, data, available = _read_json(folder, name)
    _pop_metadata(header, name)
    tensors: dict[str, TensorInfo] = {}
    spans: list[tuple[int, int, str]] = []
    for tensor, entry in header.items():
        info, (begin, end) = _tensor(name, tensor, entry)
        tensors[tensor] = replace(info, offset=data + begin)
        spans.append((begin, end, tensor))
    _check_spans(name, sorted(spans), available)
    return tensors


def read_metadata(folder: Path, name: str) -> dict[str, str]:
    """Reads what a safetensors file says of itself, beside its tensors."""
    return _pop_metadata(_read_json(folder, name)[0], name)


def _pop_metadata(header: dict[str, object], name: str) -> dict[str, str]:
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise _damaged(name, "its metadata is not an object of strings")
    return metadata


def _read_json(folder: Path, name: str) -> tuple[dict[str, object], int, int]:
    """Returns the header object, the byte at which the data begins, and the number of data bytes."""
    with open_file(regular_file(folder, name)) as file:
        size = os.fstat(file.fileno()).st_size
        prefix = file.read(8)
        length = int.from_bytes(prefix, "little")
        if len(prefix) < 8 or length > size - 8:
            raise _damaged(name, "it ends before its header does, so it is cut short")
        if length > HEADER_LIMIT:
            raise _damaged(name, f"its header is larger than {HEADER_LIMIT // 1_000_000} MB")
        content = file.read(length)
    if content[:1] != b"{":
        raise _damaged(name, "its header is not JSON")
    return parse_object(content, name), 8 + length, size - 8 - length


def _tensor(name: str, tensor: str, entry: object) -> tuple[TensorInfo, tuple[int, int]]:
    what = f"its tensor '{printable(tensor, 60)}'"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise _damaged(name, f"{what} is not described by dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise _damaged(name, f"{what} has the unknown dtype '{printable(dtype, 30)}'")
    if not _naturals(shape) or not _naturals(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise _damaged(name, f"{what} has a shape or offsets that are not counts")
    label, bits = DTYPES[dtype]
    expected, rest = divmod(math.prod(shape) * bits, 8)
    if rest or expected != offsets[1] - offsets[0]:
        needed = printable(expected + bool(rest), 24)
        raise _damaged(name, f"{what} has {offsets[1] - offsets[0]} bytes where its shape needs {needed}")
    return TensorInfo(label, tuple(shape), name, expected, name=tensor), (offsets[0], offsets[1])


def _naturals(values: object) -> bool:
    """Whether `values` is a list of at most 64 integers from 0 to 2**63: the valid shapes."""
    return (
        isinstance(values, list)
        and len(values) <= 64
        and all(type(value) is int and 0 <= value < 1 << 63 for value in values)
    )


def _check_spans(name: str, spans: list[tuple[int, int, str]], available: int) -> None:
    """Raises CheckpointError unless the tensors fill the data from its first byte to its last."""
    position = 0
    for begin, end, tensor in spans:
        if end > available:
            raise _damaged(name, f"its data ends before the tensor '{printable(tensor, 60)}' does, so it is cut short")
        if begin != position:
            problem = "overlaps the tensor before it" if begin < position else "leaves a gap before it"
            raise _damaged(name, f"its tensor '{printable(tensor, 60)}' {problem}")
        position = end
    if position != available:
        raise _damaged(name, f"it holds {available - position} bytes that belong to no tensor")


def _damaged(name: str, problem: str) -> CheckpointError:
    return CheckpointError(f"'{printable(name)}' is damaged: {problem}; copy or download it again.")
