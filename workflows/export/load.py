"""The checkpoint as an eager PyTorch model whose every weight came from the file."""

from __future__ import annotations

from typing import Any

import torch
import transformers

from workflows.checkpoint import Checkpoint
from workflows.errors import CheckpointError, printable
from workflows.export.attention import NAME


_CLASSES = {
    "text-generation": transformers.AutoModelForCausalLM,
    "translation": transformers.AutoModelForSeq2SeqLM,
    "summarization": transformers.AutoModelForSeq2SeqLM,
}


def load_model(checkpoint: Checkpoint, task: str) -> Any:
    """The model of `checkpoint` for `task`, float32, in evaluation mode, without running code from its folder.

    Raises CheckpointError where a weight is missing, has another shape, is not finite, or where the
    vocabulary does not fit the embedding: loaders fill such holes with random numbers silently.
    """
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        model, info = _CLASSES[task].from_pretrained(
            checkpoint.folder,
            dtype=torch.float32,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            attn_implementation=NAME,
            output_loading_info=True,
        )
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"transformers cannot load {checkpoint.source}: {printable(error, 200)} Check config.json and the weights."
        ) from error
    _check_loading(checkpoint, info)
    _check_values(checkpoint, model)
    return model.eval().requires_grad_(False)


def _check_loading(checkpoint: Checkpoint, info: dict[str, Any]) -> None:
    for what, verb in (("missing_keys", "lacks the weight"), ("mismatched_keys", "has another shape than its config for")):
        keys = sorted(str(key[0] if isinstance(key, tuple) else key) for key in info.get(what, ()))
        if keys:
            more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
            raise CheckpointError(f"{checkpoint.source} {verb} {printable(keys[0])}{more}: get the whole checkpoint.")


def _check_values(checkpoint: Checkpoint, model: Any) -> None:
    for name, weight in model.named_parameters():
        if not torch.isfinite(weight).all():
            raise CheckpointError(f"{checkpoint.source}: the weight {printable(name)} holds NaN or infinite values.")
    rows = model.get_input_embeddings().weight.shape[0]
    tokenizer = checkpoint.tokenizer
    if tokenizer is not None and tokenizer.vocabulary is not None and tokenizer.vocabulary > rows:
        raise CheckpointError(
            f"{checkpoint.source}: the tokenizer knows {tokenizer.vocabulary:,} tokens and the embedding holds "
            f"{rows:,}; the two do not belong together."
        )
