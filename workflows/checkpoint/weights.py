"""Lists a checkpoint's weight files and their tensors; an error names what is there instead.

folder ──weight_files──▶ ("model-00001-of-00002.safetensors", …) ──read_weights──▶ {name: TensorInfo}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from workflows.checkpoint.files import exists, read_object, safe_name
from workflows.checkpoint.safetensors_header import TensorInfo, read_header
from workflows.common.errors import CheckpointError, printable

SINGLE_FILE = "model.safetensors"
INDEX_FILE = "model.safetensors.index.json"
INDEX_LIMIT = 64 << 20
SHARD_LIMIT = 10_000
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5", ".msgpack")


def weight_files(folder: Path) -> tuple[str, ...]:
    """The safetensors files that transformers would load: `model.safetensors`, else the shards in its index."""
    if exists(folder, SINGLE_FILE):
        return (SINGLE_FILE,)
    if exists(folder, INDEX_FILE):
        return tuple(sorted(set(read_index(folder).values())))
    raise no_weights_error(sorted(path.name for path in folder.iterdir()))


def read_index(folder: Path) -> dict[str, str]:
    """Reads the index: tensor → shard; every shard has a safe name."""
    return check_index(read_object(folder, INDEX_FILE, INDEX_LIMIT))


def check_index(index: dict[str, object]) -> dict[str, str]:
    """Returns the `weight_map` of a decoded index."""
    table = index.get("weight_map")
    if not isinstance(table, dict) or not table:
        raise CheckpointError(f"'{INDEX_FILE}' has no weight_map, so the checkpoint is damaged; get it again.")
    shards = set(map(str, table.values()))
    for shard in shards:
        if not safe_name(shard) or not shard.endswith(".safetensors"):
            raise CheckpointError(
                f"'{INDEX_FILE}' names '{printable(shard)}', which is not a safetensors file inside the folder; "
                "get the checkpoint again from a source that you trust."
            )
    if len(shards) > SHARD_LIMIT:
        raise CheckpointError(f"'{INDEX_FILE}' names more than {SHARD_LIMIT} files, so the checkpoint is refused.")
    return {str(tensor): str(shard) for tensor, shard in table.items()}


def read_weights(folder: Path) -> dict[str, TensorInfo]:
    """Reads every tensor's header entry. Raises CheckpointError where a tensor or a file is missing."""
    names = weight_files(folder)
    for name in names:
        if not exists(folder, name):
            raise CheckpointError(
                f"The checkpoint's index names '{printable(name)}', which is missing; download the missing file."
            )
    tensors: dict[str, TensorInfo] = {}
    for name in names:
        header = read_header(folder, name)
        if twice := next((tensor for tensor in header if tensor in tensors), None):
            raise CheckpointError(
                f"The tensor '{printable(twice)}' is in '{printable(tensors[twice].file)}' and in "
                f"'{printable(name)}', which is ambiguous; the checkpoint is refused."
            )
        tensors.update(header)
    if names != (SINGLE_FILE,):
        _check_placement(read_index(folder), tensors)
    if not tensors:
        raise CheckpointError("The checkpoint's safetensors files hold no tensor; get the checkpoint again.")
    return tensors


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
    gguf = next((name for name in present if name.lower().endswith(".gguf")), None)
    other = next((name for name in present if name.endswith(".safetensors")), None)
    if "adapter_config.json" in present:
        return CheckpointError(
            "This is an adapter and not a whole model; merge it into its base model and open the result."
        )
    if other:
        return CheckpointError(
            f"The checkpoint has '{printable(other)}' but neither '{SINGLE_FILE}' nor '{INDEX_FILE}'; "
            f"save the model with save_pretrained, or name its one weight file '{SINGLE_FILE}'."
        )
    if pickle:
        return CheckpointError(
            f"The checkpoint's weights are in '{printable(pickle)}', a format that can run code when it is opened, "
            "so it is refused; convert it to safetensors (save_pretrained does that) and open the result."
        )
    if gguf:
        return CheckpointError(
            f"The checkpoint's weights are in '{printable(gguf)}' alone, and GGUF cannot be exported; "
            "open the original checkpoint with safetensors weights."
        )
    return CheckpointError(f"The checkpoint has no weights: '{SINGLE_FILE}' is missing; get the checkpoint again.")
