"""Opens a checkpoint: a folder, a demo or a Hugging Face Hub id becomes a validated `Checkpoint`.

    "models/x" │ "demo:qwen3" │ "org/name" ──open_checkpoint──▶ Checkpoint(config, tokenizer, tensors, remote_code, …)

Nothing here imports torch or transformers, runs code from a checkpoint, or reads tensor data (except to hash it).
"""

from workflows.checkpoint.checkpoint import Checkpoint, SourceKind
from workflows.checkpoint.source import CheckpointLocation, demos, find_checkpoint, is_hub_id, open_checkpoint
from workflows.checkpoint.tokenizer import TokenizerInfo
from workflows.checkpoint.weights import TensorInfo

__all__ = ["Checkpoint", "CheckpointLocation", "SourceKind", "TensorInfo", "TokenizerInfo", "demos", "find_checkpoint",
           "is_hub_id", "open_checkpoint"]  # fmt: skip
