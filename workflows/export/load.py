"""The checkpoint as an eager PyTorch model whose every weight came from the file."""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import Any

import torch
import transformers
from huggingface_hub.errors import StrictDataclassError
from safetensors import safe_open

from workflows.checkpoint import Checkpoint
from workflows.common.errors import CheckpointError, RecipeError, printable
from workflows.export.attention import ATTENTION_NAME
from workflows.export.unused_weights import and_more, check_unused_weights
from workflows.recipe.task import is_headless

_FAILURES = (
    StrictDataclassError,
    OSError,
    ValueError,
    RuntimeError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    ImportError,
)

_UNSTORED = 1 << 24  # parameters that files may leave out: tables of positions, a pooler
_WHOLE = ("int", "uint", "bool")  # types of no weight that a model computes with as it is
EXPERTS = "batched_mm"  # gathers each token's experts: the way of transformers that has ONNX operators

_CLASSES = {
    "text-generation": transformers.AutoModelForCausalLM,
    "translation": transformers.AutoModelForSeq2SeqLM,
    "summarization": transformers.AutoModelForSeq2SeqLM,
    "text2text-generation": transformers.AutoModelForSeq2SeqLM,
    "feature-extraction": transformers.AutoModel,
    "fill-mask": transformers.AutoModelForMaskedLM,
    "text-classification": transformers.AutoModelForSequenceClassification,
    "token-classification": transformers.AutoModelForTokenClassification,
    "image-classification": transformers.AutoModelForImageClassification,
    "depth-estimation": transformers.AutoModelForDepthEstimation,
}


_GENERATING = {
    task
    for task, kind in _CLASSES.items()
    if kind in (transformers.AutoModelForCausalLM, transformers.AutoModelForSeq2SeqLM)
}


def load_model(checkpoint: Checkpoint, task: str, remote_code: bool = False, attention: str = ATTENTION_NAME) -> Any:
    """The model of `checkpoint` for `task`, float32, in evaluation mode.

    remote_code: run the code that the checkpoint brings, to which consent was given; else none of it runs.
    attention: transformers' name of how it attends; ours lets a seam hold the cache.

    Raises CheckpointError where a weight is missing, has another shape, is not finite, or where the
    vocabulary does not fit the embedding: loaders fill such holes with random numbers silently.
    """
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        config = transformers.AutoConfig.from_pretrained(
            checkpoint.folder, local_files_only=True, trust_remote_code=remote_code
        )
        with torch.device("meta"):
            skeleton = _CLASSES[task].from_config(config, trust_remote_code=remote_code)
        _check_shapes(checkpoint, skeleton)
        with ExitStack() as files:
            model, info = type(skeleton).from_pretrained(
                None,
                config=config,
                state_dict=_stored(checkpoint, files),
                dtype=torch.float32,
                attn_implementation=attention,
                experts_implementation=EXPERTS,
                output_loading_info=True,
            )
    except KeyError as error:
        if error.args != (ATTENTION_NAME,):
            raise _failure(checkpoint, error) from error
        raise RecipeError(
            f"{checkpoint.model_type} has attention of its own in transformers, which does not go through its table of "
            "attention functions, so no KV cache can be fitted to it."
        ) from error
    except _FAILURES as error:
        raise _failure(checkpoint, error) from error
    missing = sorted(name for name in map(str, info["missing_keys"]) if not _is_unused(name, task))
    if missing:
        raise _missing(checkpoint, task, missing)
    check_unused_weights(checkpoint, model, sorted(map(str, info["unexpected_keys"])), one_head=task in _GENERATING)
    _check_values(checkpoint, model)
    return model.eval().requires_grad_(False)


def _failure(checkpoint: Checkpoint, error: Exception) -> CheckpointError:
    why = (str(error).strip() or type(error).__name__).splitlines()[-1].strip().rstrip(".")
    return CheckpointError(
        f"transformers cannot load {checkpoint.source} ({printable(why, 200)}): check config.json and the weights."
    )


def _missing(checkpoint: Checkpoint, task: str, names: list[str]) -> CheckpointError:
    what = f"{checkpoint.source} lacks the weight {printable(names[0])}{and_more(names)}"
    if is_headless(checkpoint):
        body = printable(", ".join(checkpoint.architectures))
        return CheckpointError(f"{what}: it is a {body}, so open a checkpoint that has the head for {task}.")
    return CheckpointError(f"{what}: get the whole checkpoint.")


def _is_unused(name: str, task: str) -> bool:
    """Whether the export leaves the weight out: a pooler stands behind the features, and few checkpoints hold one."""
    return task == "feature-extraction" and "pooler" in name.split(".")


def _stored(checkpoint: Checkpoint, files: ExitStack) -> dict[str, Any]:
    """Every weight as what reads it when it is wanted; `files` closes what they are read from.

    Read and not mapped: a mapped file stays in memory beside the model that is made of it.
    """
    names = sorted({stored.file for stored in checkpoint.tensors.values()})
    opened = [files.enter_context(safe_open(checkpoint.folder / name, "pt", backend="pread")) for name in names]
    return {name: file.get_slice(name) for file in opened for name in file.keys()}  # noqa: SIM118 - it is no dict


def _check_shapes(checkpoint: Checkpoint, skeleton: Any) -> None:
    """Before memory is taken: what the config makes of each weight against what the file holds."""
    _check_total(checkpoint, skeleton)
    for name, weight in skeleton.named_parameters():
        stored = checkpoint.tensors.get(name)
        if stored is not None and stored.shape != tuple(weight.shape):
            raise CheckpointError(
                f"{checkpoint.source}: the weight {printable(name)} has the shape {list(stored.shape)} and config.json "
                f"makes it {list(weight.shape)}; the two do not belong together."
            )
        if stored is not None and stored.dtype.startswith(_WHOLE) and weight.is_floating_point():
            raise CheckpointError(
                f"{checkpoint.source}: the weight {printable(name)} is stored in {stored.dtype}, and nothing says by "
                "what its whole numbers are to be multiplied: get the checkpoint in floating point."
            )


def _check_total(checkpoint: Checkpoint, skeleton: Any) -> None:
    """Before what no file holds is filled with random numbers: by far more than there is, is another model."""
    made = sum(weight.numel() for weight in skeleton.parameters())
    if made > 2 * checkpoint.parameters + _UNSTORED:
        raise CheckpointError(
            f"{checkpoint.source}: config.json makes a model of {made:,} parameters and the weights hold "
            f"{checkpoint.parameters:,}; the two do not belong together."
        )


def _check_values(checkpoint: Checkpoint, model: Any) -> None:
    for name, weight in model.named_parameters():
        ends = torch.aminmax(weight.detach()) if weight.numel() else ()  # of what holds a NaN, both are NaN
        if not all(math.isfinite(float(end)) for end in ends):
            raise CheckpointError(f"{checkpoint.source}: the weight {printable(name)} holds NaN or infinite values.")
    tokenizer = checkpoint.tokenizer
    if tokenizer is None or tokenizer.vocabulary is None:
        return
    rows = model.get_input_embeddings().weight.shape[0]
    if tokenizer.vocabulary > rows:
        raise CheckpointError(
            f"{checkpoint.source}: the tokenizer knows {tokenizer.vocabulary:,} tokens and the embedding holds "
            f"{rows:,}; the two do not belong together."
        )
