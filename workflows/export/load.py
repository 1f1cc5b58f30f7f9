"""Loads a checkpoint as an eager PyTorch model in which every weight comes from the file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import torch
import transformers
from huggingface_hub.errors import StrictDataclassError
from transformers import PreTrainedConfig, PreTrainedModel

from workflows.checkpoint import Checkpoint
from workflows.common.errors import CheckpointError, RecipeError, printable
from workflows.export.adapters import merge_adapters
from workflows.export.attention import ATTENTION_NAME, current_states, is_using_adapter
from workflows.export.checkpoint_tensors import CheckpointTensor
from workflows.export.complex_rotation import connect_complex_rotations
from workflows.export.dynamic_rotation import fix_dynamic_rotations
from workflows.export.expert_loops import connect_expert_loops
from workflows.export.own_attention import EAGER, adapt_attention, has_own_attention
from workflows.export.recurrence import connect_recurrences
from workflows.export.single_graph import keep_rows_of_head
from workflows.export.stand_ins import StandIns, is_stand_in
from workflows.export.text_part import text_part_of, text_tensors
from workflows.recipe.task import is_headless, is_text_part

_FAILURES = (ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, OSError, RuntimeError,
             StrictDataclassError, TypeError, ValueError)  # fmt: skip
_UNSTORED = 1 << 24  # parameters that files may omit: position tables, a pooler
_WHOLE = ("int", "uint", "bool")  # dtypes that no weight has in computation
EXPERTS = "batched_mm"  # gathers each token's experts: the implementation in transformers that ONNX can express

_GENERATING = {
    "text-generation": transformers.AutoModelForCausalLM,
    "image-text-to-text": transformers.AutoModelForImageTextToText,
    "automatic-speech-recognition": transformers.AutoModelForSpeechSeq2Seq,
    **dict.fromkeys(
        ("translation", "summarization", "text2text-generation", "audio-text-to-text"),
        transformers.AutoModelForSeq2SeqLM,
    ),
}
_CLASSES = {
    **_GENERATING,
    "feature-extraction": transformers.AutoModel,
    "fill-mask": transformers.AutoModelForMaskedLM,
    "text-classification": transformers.AutoModelForSequenceClassification,
    "token-classification": transformers.AutoModelForTokenClassification,
    "image-classification": transformers.AutoModelForImageClassification,
    "depth-estimation": transformers.AutoModelForDepthEstimation,
}


def load_model(
    checkpoint: Checkpoint,
    task: str,
    remote_code: bool = False,
    attention: str | dict[str, str] = ATTENTION_NAME,
    stand_ins: StandIns | None = None,
) -> PreTrainedModel:
    """Loads the model of `checkpoint` for `task`, in float32 and evaluation mode.

    remote_code: run the checkpoint's own code, for which consent was given. attention: transformers' name of the
    attention implementation, or one for each part of the config; the default lets a cache adapter hold the cache.
    stand_ins: in place of the large weights, whose numbers are checked when they are read.

    Raises CheckpointError where a weight is missing, has another shape, or is not finite: loaders fill such gaps with
    random numbers silently. Raises RecipeError for a model with own attention that no cache fits, and NotStreamedError
    for one that stand-ins cannot be made of.
    """
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        config = transformers.AutoConfig.from_pretrained(
            checkpoint.folder, local_files_only=True, trust_remote_code=remote_code
        )
        config.__dict__.pop("quantization_config", None)  # its tensors are unpacked before the model has them
        tokens = checkpoint.scored_tokens if task == "text-classification" else None
        skeleton = _skeleton(config, "text-generation" if tokens else task, remote_code)
        if type(skeleton.config) is not type(config):
            config, checkpoint = skeleton.config, replace(checkpoint, tensors=text_tensors(checkpoint, skeleton))
        checkpoint = merge_adapters(checkpoint, skeleton)
        _check_shapes(checkpoint, skeleton)
        adapted = attention == ATTENTION_NAME and has_own_attention(config)
        if stand_ins is not None:
            stand_ins.select(checkpoint.tensors)
            stand_ins.merge(skeleton)
        stored = {name: CheckpointTensor(checkpoint.weights_folder, one) for name, one in checkpoint.tensors.items()}
        model, info = type(skeleton).from_pretrained(
            None,
            config=config,
            state_dict=stored if stand_ins is None else stand_ins.state_dict(stored),
            dtype=torch.float32,
            attn_implementation=EAGER if adapted else attention,
            experts_implementation=EXPERTS,
            output_loading_info=True,
        )
    except _FAILURES as error:
        raise _failure(checkpoint, error) from error
    _check_complete(checkpoint, task, model, info, stand_ins)
    _check_values(checkpoint, model)
    if adapted:
        adapt_attention(model)
    _adjust(model)
    if tokens:
        keep_rows_of_head(model, tokens, stand_ins.read_whole if stand_ins else torch.Tensor.detach)
    return model.eval().requires_grad_(False)


def _adjust(model: PreTrainedModel) -> None:
    """Replaces code of transformers that cannot be traced."""
    connect_recurrences(model, current_states)
    connect_complex_rotations(model, lambda: is_using_adapter() or torch.onnx.is_in_onnx_export())
    connect_expert_loops(model)
    fix_dynamic_rotations(model)


def _skeleton(config: PreTrainedConfig, task: str, remote_code: bool) -> PreTrainedModel:
    """The model without weights; of a model of several parts that generates text, the text part."""
    part = text_part_of(config, task)
    with torch.device("meta"):
        if part is not None:
            return part.model_class._from_config(part.config)
        return _CLASSES[task].from_config(config, trust_remote_code=remote_code)


def _check_complete(
    checkpoint: Checkpoint,
    task: str,
    model: PreTrainedModel,
    info: Mapping[str, Iterable[object]],
    stand_ins: StandIns | None,
) -> None:
    """Raises for weights that the file lacks or the model leaves unused. info: what from_pretrained reports."""
    absent = sorted(map(str, info["missing_keys"]))
    missing = [name for name in absent if not _is_unused(name, task)]
    if missing:
        raise _missing(checkpoint, task, missing)
    unused = sorted(map(str, info["unexpected_keys"]))
    check_unused_weights(checkpoint, model, unused, one_head=task in _GENERATING, stand_ins=stand_ins)
    if stand_ins is not None:
        stand_ins.check_loaded(model, absent)


def _failure(checkpoint: Checkpoint, error: Exception) -> CheckpointError | RecipeError:
    if isinstance(error, KeyError) and error.args == (ATTENTION_NAME,):
        return RecipeError(
            f"{checkpoint.model_type} has its own attention code in transformers, which does not use the attention "
            "interface, so no KV cache can be fitted to it."
        )
    why = (str(error).strip() or type(error).__name__).splitlines()[-1].strip().rstrip(".")
    return CheckpointError(
        f"transformers cannot load {checkpoint.source} ({printable(why, 200)}): check config.json and the weights."
    )


def _missing(checkpoint: Checkpoint, task: str, names: list[str]) -> CheckpointError:
    what = f"{checkpoint.source} lacks the weight {printable(names[0])}{and_more(names)}"
    if is_text_part(checkpoint, task):
        return CheckpointError(
            f"{what} by the names of a causal LM: either it is not complete, or its text part is stored in another "
            "way, which Joinery does not know."
        )
    if is_headless(checkpoint):
        body = printable(", ".join(checkpoint.architectures))
        return CheckpointError(f"{what}: it is a {body}, so open a checkpoint that has the head for {task}.")
    return CheckpointError(f"{what}: get the complete checkpoint.")


def _is_unused(name: str, task: str) -> bool:
    """Whether the export does not use the weight: a pooler follows the features, and few checkpoints store one."""
    return task == "feature-extraction" and "pooler" in name.split(".")


def _check_shapes(checkpoint: Checkpoint, skeleton: PreTrainedModel) -> None:
    """Compares the sizes of the config's model with those of the file, before memory is allocated."""
    made = sum(weight.numel() for weight in skeleton.parameters())
    if made > 2 * checkpoint.parameters + _UNSTORED:  # far larger than the stored weights
        raise CheckpointError(
            f"{checkpoint.source}: config.json makes a model of {made:,} parameters and the weights hold "
            f"{checkpoint.parameters:,}; the two do not belong together."
        )
    for name, weight in skeleton.named_parameters():
        stored = checkpoint.tensors.get(name)
        if stored is not None and stored.shape != tuple(weight.shape):
            raise CheckpointError(
                f"{checkpoint.source}: the weight {printable(name)} has the shape {list(stored.shape)} and config.json "
                f"makes it {list(weight.shape)}; the two do not belong together."
            )
        if stored is not None and stored.dtype.startswith(_WHOLE) and weight.is_floating_point():
            raise CheckpointError(
                f"{checkpoint.source}: the weight {printable(name)} is stored in {stored.dtype} without a scale: "
                "get the checkpoint in floating point."
            )


def _check_values(checkpoint: Checkpoint, model: PreTrainedModel) -> None:
    for name, weight in model.named_parameters():
        if is_stand_in(weight):
            continue
        ends = torch.aminmax(weight.detach()) if weight.numel() else ()  # both are NaN if the weight has a NaN
        if not all(math.isfinite(float(end)) for end in ends):
            raise CheckpointError(f"{checkpoint.source}: the weight {printable(name)} holds NaN or infinite values.")


# Stored by older versions, but computed from the config: angles, positions, causal masks.
_COMPUTED = ("inv_freq", "position_ids", "masked_bias", "relative_position_index")
_MASKS = ("bias", "causal_mask")


def check_unused_weights(
    checkpoint: Checkpoint,
    model: PreTrainedModel,
    names: Sequence[str],
    one_head: bool,
    stand_ins: StandIns | None = None,
) -> None:
    """Raises CheckpointError where one of `names`, which `model` did not load, is a weight that it needs.

    one_head: other heads are errors; otherwise they are allowed, as in BERT's files. transformers has already excluded
    the names that the model's class ignores.
    """
    buffers = {name for name, _ in model.named_buffers()}
    lost = [
        name
        for name in names
        if name not in buffers
        and not _is_computed(checkpoint, name)
        and (one_head or not _is_another_head(model, name))
        and not _is_tied(checkpoint, model, name, stand_ins)
    ]
    if lost:
        what = printable(", ".join(checkpoint.architectures)) or checkpoint.model_type
        raise CheckpointError(
            f"{checkpoint.source}: the weight {printable(lost[0])}{and_more(lost)} does not exist in "
            f"{type(model).__name__}, as which Joinery would build this {what}: config.json and the weights do not "
            "belong together."
        )


def _is_computed(checkpoint: Checkpoint, name: str) -> bool:
    last, stored = name.rsplit(".", 1)[-1], checkpoint.tensors.get(name)
    return last in _COMPUTED or (last in _MASKS and stored is not None and stored.is_mask)


def and_more(names: Sequence[str]) -> str:
    """The suffix of a message that names only the first of `names`."""
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


def _is_another_head(model: PreTrainedModel, name: str) -> bool:
    """Whether the weight is beside the model's body, or pools its output."""
    prefix = f"{model.base_model_prefix}."
    if name.startswith(prefix) or model.base_model is model:
        first, *rest = name.removeprefix(prefix).split(".")
        return first == "pooler" or (bool(rest) and first not in dict(model.base_model.named_children()))
    return True


def _is_tied(checkpoint: Checkpoint, model: PreTrainedModel, name: str, stand_ins: StandIns | None) -> bool:
    """Whether the weight is a copy of the embedding or the head."""
    stored = checkpoint.tensors.get(name)
    ends = [end.weight for end in (model.get_input_embeddings(), model.get_output_embeddings()) if end is not None]
    candidates = [weight for weight in ends if stored is not None and tuple(weight.shape) == stored.shape]
    if stored is None or not candidates:
        return False
    if stand_ins is not None and all(map(is_stand_in, candidates)):
        return any(stand_ins.holds(name, weight) for weight in candidates)
    tensor = CheckpointTensor(checkpoint.weights_folder, stored).read().to(torch.float32)
    return any(torch.equal(tensor, weight) for weight in candidates)
