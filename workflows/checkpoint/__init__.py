"""A folder, a demo or a hub id comes in; a Checkpoint that was looked at and found whole goes out.

    "models/x" │ "demo:qwen3" │ "org/name" ──open_checkpoint──▶ Checkpoint(config, tokenizer, tensors, remote_code, …)

    source.py         which of the three it is
    hub.py            a hub id to a folder in the hub's own cache: progress, cancel, resume, hashes
    files.py          the only way to a file: inside the folder, regular, bounded
    configuration.py  config.json, and the lists of what it may name
    weights.py        which files hold the weights; header.py: the tensors in one of them
    sizes.py          whether the weights can be those of the config's layers
    tokenizer.py      what kind of tokenizer there is
    code.py           the Python that would run, and its hashes
    checkpoint.py     the value, its digest, and the consent

Nothing here imports torch or transformers, runs code from a checkpoint, or reads a tensor's data (but for hashing).
"""

from workflows.checkpoint.checkpoint import Checkpoint, SourceKind
from workflows.checkpoint.safetensors_header import TensorInfo
from workflows.checkpoint.source import CheckpointLocation, demos, find_checkpoint, is_hub_id, open_checkpoint
from workflows.checkpoint.tokenizer import TokenizerInfo

__all__ = ["Checkpoint", "CheckpointLocation", "SourceKind", "TensorInfo", "TokenizerInfo", "demos", "find_checkpoint",
           "is_hub_id",           "open_checkpoint"]  # fmt: skip
