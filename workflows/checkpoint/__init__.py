"""Opens a checkpoint: a folder, a demo or a Hugging Face Hub id becomes a validated `Checkpoint`.

    "models/x" │ "demo:qwen3" │ "org/name" ──open_checkpoint──▶ Checkpoint(config, tokenizer, tensors, remote_code, …)

    source.py              resolves a source: folder, demo or Hub id
    hub.py                 downloads a Hub repository into the Hub's cache folder; download.py: one file of it
    hub_cache.py           paths in the Hub's cache folder
    files.py               reads files: regular, inside the folder, bounded in size
    configuration.py       reads config.json and checks it against allow-lists
    config_checks.py       compares the sizes in config.json with the weights
    weights.py             lists the weight files and the tensors in their headers
    tokenizer.py           detects the kind of tokenizer
    remote_code.py         lists the Python files that the checkpoint would run, with their hashes
    checkpoint.py          the `Checkpoint` class: files, digest, consent to remote code

Nothing here imports torch or transformers, runs code from a checkpoint, or reads tensor data (except to hash it).
"""

from workflows.checkpoint.checkpoint import Checkpoint, SourceKind
from workflows.checkpoint.source import CheckpointLocation, demos, find_checkpoint, is_hub_id, open_checkpoint
from workflows.checkpoint.tokenizer import TokenizerInfo
from workflows.checkpoint.weights import TensorInfo

__all__ = ["Checkpoint", "CheckpointLocation", "SourceKind", "TensorInfo", "TokenizerInfo", "demos", "find_checkpoint",
           "is_hub_id", "open_checkpoint"]  # fmt: skip
