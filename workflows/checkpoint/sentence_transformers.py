"""Reads the files that sentence-transformers keeps beside a model: how token vectors become one vector of a text.

modules.json ──▶ Transformer │ 1_Pooling/config.json │ 2_Dense/config.json, model.safetensors │ 2_Normalize
sentence_bert_config.json ──▶ limit, lower case      config_sentence_transformers.json ──▶ prompts, similarity
the transformer's folder: "" beside modules.json, or that of its `path`, such as 0_Transformer
                         └──────────────── read_embedding ────────────────┴──▶ EmbeddingFiles

A module, an option or a value that Joinery does not compute is refused by name: a vector that leaves one out is another
model's vector. The keys and their defaults are those of sentence-transformers 2.0 to 6.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from workflows.checkpoint.configuration import CONFIG, CONFIG_LIMIT, read_optional
from workflows.checkpoint.files import exists, read_bytes, read_object, regular_file, safe_name
from workflows.common.errors import CheckpointError, printable
from workflows.common.strict_json import InvalidJsonError, read_json

MODULES = "modules.json"
MODEL = "config_sentence_transformers.json"
DENSE_WEIGHTS = ("model.safetensors", "pytorch_model.bin")  # in the order in which the original looks for them
# The first that is there counts; older versions named the file after the model's class.
TRANSFORMER_FILES = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)

# In the order in which several of them are joined; the older keys, each true or false.
_POOLING = {
    "cls": "pooling_mode_cls_token",
    "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}
POOLING_MODES = tuple(_POOLING)
_POOLING_KEYS = {*_POOLING.values(), "pooling_mode", "include_prompt", "word_embedding_dimension",
                 "embedding_dimension"}  # fmt: skip
SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan")
_ACTIVATIONS = {"torch.nn.modules.activation.Tanh": "tanh", "torch.nn.modules.linear.Identity": "identity",
                "torch.nn.modules.activation.ReLU": "relu", "torch.nn.modules.activation.Sigmoid": "sigmoid",
                "torch.nn.modules.activation.GELU": "gelu"}  # fmt: skip
_SENTENCE = "sentence_embedding"
# Keys of a file → the values that change nothing; () for any value.
_TRANSFORMER_KEYS: dict[str, Sequence[object]] = {
    "max_seq_length": (),
    "do_lower_case": (),
    "unpad_inputs": (),  # how a batch is laid out
    "transformer_task": ("feature-extraction",),
    "modality_config": ({"text": {"method": "forward", "method_output_name": "last_hidden_state"}},),
    "module_output_name": ("token_embeddings",),
    **dict.fromkeys(
        ("processing_kwargs", "model_args", "config_args", "tokenizer_args", "model_kwargs", "config_kwargs",
         "tokenizer_kwargs", "processor_kwargs", "query_length", "document_length", "query_expansion",
         "tokenizer_name_or_path"),
        ({},),
    ),
}  # fmt: skip
_TOKENIZER_ARGUMENTS, _TOKENIZER_LIMIT = ("tokenizer_args", "processor_kwargs"), "model_max_length"
_MODEL_KEYS: dict[str, Sequence[object]] = {
    "__version__": (),
    "requirements": (),  # versions of packages that the original runs on
    "keep_in_fp32_modules": (),
    "model_type": ("SentenceTransformer",),
    "prompts": (),
    "default_prompt_name": (),
    "similarity_fn_name": (),
}
_RERANKER_KEYS: dict[str, Sequence[object]] = {
    **_MODEL_KEYS,
    "model_type": ("CrossEncoder",),
    "activation_fn": (),  # builder/text_tasks.py reads it
}
_RANKING_TASKS = ("sequence-classification", "text-generation")
_RANKING_NAMES = ("scores", "causal_logits")
_RANKING_MODALITY: dict[str, Sequence[object]] = {
    "method": ("forward",),
    "method_output_name": ("logits",),
    "format": ("flat", "structured"),
}
_SCORE_KEYS: dict[str, Sequence[object]] = {
    "true_token_id": (),
    "false_token_id": (),
    "module_input_name": ("causal_logits",),
}
_MODULE_IO: dict[str, Sequence[object]] = {"module_input_name": (_SENTENCE,), "module_output_name": (_SENTENCE,)}
_DENSE_KEYS: dict[str, Sequence[object]] = {
    **dict.fromkeys(("in_features", "out_features", "bias", "activation_function"), ()),
    **_MODULE_IO,
    "use_residual": (False,),
}


@dataclass(frozen=True)
class DenseFiles:
    """A linear layer after the pooling: the name of its weight file, its sizes, and its activation's name."""

    file: str
    inputs: int
    outputs: int
    bias: bool
    activation: str


@dataclass(frozen=True)
class EmbeddingFiles:
    """What the files state. pooling: modes whose vectors are joined. steps: what follows; None is a normalization.

    include_prompt: whether the prompt's tokens count in the pooling. max_tokens: the limit of a text, None where the
    files state none. prompts: name → the text before a text.
    """

    pooling: tuple[str, ...]
    steps: tuple[DenseFiles | None, ...]
    include_prompt: bool
    max_tokens: int | None
    lowercase: bool
    prompts: Mapping[str, str]
    default_prompt: str | None
    similarity: str


@dataclass(frozen=True)
class RerankerFiles:
    """What the files of a reranker state.

    tokens: the id whose logit is the score, and one whose logit is taken off; None for a model with a head. turns: the
    pair is two turns of the chat template, whose contents are texts or parts; None for a pair of the tokenizer.
    begins_reply: the template begins the reply. The rest is as in EmbeddingFiles.
    """

    tokens: tuple[int, ...] | None
    turns: Literal["text", "parts"] | None
    begins_reply: bool
    max_tokens: int | None
    prompts: Mapping[str, str]
    default_prompt: str | None


def is_embedder(folder: Path) -> bool:
    """Whether the folder is of sentence-transformers and makes vectors of texts: it has modules beside a transformer.

    Raises CheckpointError for a damaged modules.json.
    """
    return exists(folder, MODULES) and not _is_reranker(_modules(folder))


def transformer_folder(folder: Path) -> str:
    """The folder of the transformer by modules.json, such as 0_Transformer; empty where it is `folder` itself."""
    return transformer_path(read_bytes(folder, MODULES, CONFIG_LIMIT)) if exists(folder, MODULES) else ""


def transformer_path(content: bytes) -> str:
    """The same by the content of modules.json. Raises CheckpointError for damaged content."""
    return next((path for kind, path in _parse_modules(content) if kind == "Transformer"), "")


def embedding_files(folder: Path) -> tuple[str, ...]:
    """The files of the folder that read_embedding reads, sorted; () for another folder."""
    if not exists(folder, MODULES):
        return ()
    root = [*(_below(transformer_folder(folder), name) for name in TRANSFORMER_FILES), MODULES, MODEL]
    return tuple(sorted({*(name for name in root if exists(folder, name)), *_module_files(folder)}))


def module_file_names(content: bytes, present: Callable[[str], bool]) -> Iterator[str]:
    """Yields the names of the files of modules in their folders that are present, by the content of modules.json.

    Those of the transformer are a checkpoint's, wherever it is.
    """
    for kind, path in _parse_modules(content):
        if path and kind != "Transformer":
            yield from filter(present, [f"{path}/{CONFIG}"])
        if kind == "Dense":
            yield from filter(None, [_dense_weights(path, present)])


def _dense_weights(path: str, present: Callable[[str], bool]) -> str | None:
    return next((name for name in (f"{path}/{one}" for one in DENSE_WEIGHTS) if present(name)), None)


def read_embedding(folder: Path) -> EmbeddingFiles:
    """Reads the files of an embedder. Raises CheckpointError that names what is damaged or is not computed here."""
    modules = _modules(folder)
    kinds = [kind for kind, _ in modules]
    for kind in kinds:
        if kind not in ("Transformer", "Pooling", "Dense", "Normalize"):
            raise _refused(MODULES, f"the module {printable(kind)}")
    if kinds[:2] != ["Transformer", "Pooling"] or {"Transformer", "Pooling"} & {*kinds[2:]}:
        raise _refused(MODULES, f"the modules {', '.join(kinds)} in this order")
    (_, root), (_, pooling_folder), *rest = modules
    pooling, include_prompt = _read_pooling(folder, f"{pooling_folder}/{CONFIG}")
    limit, lowercase = _read_transformer(folder, root)
    prompts, default, similarity = _read_model(folder)
    return EmbeddingFiles(
        pooling=pooling,
        steps=tuple(_read_step(folder, kind, path) for kind, path in rest),
        include_prompt=include_prompt,
        max_tokens=limit,
        lowercase=lowercase,
        prompts=prompts,
        default_prompt=default,
        similarity=similarity,
    )


def read_reranker(folder: Path) -> RerankerFiles | None:
    """Reads the files of a reranker; None for another folder, or one of transformers alone.

    Raises CheckpointError that names what is damaged or is not computed here.
    """
    modules = _modules(folder) if exists(folder, MODULES) else []
    if not _is_reranker(modules):
        return None
    config, name = _transformer_config(folder, modules[0][1])
    if len(modules) == 1 and config.get("transformer_task", _RANKING_TASKS[0]) != _RANKING_TASKS[0]:
        return None
    prompts, default = _read_prompts(folder, _RERANKER_KEYS)
    limit, (turns, begins_reply) = _stated_limit(config, name), _read_turns(config, name)
    _check(
        config, name, {**_TRANSFORMER_KEYS, "transformer_task": _RANKING_TASKS, "module_output_name": _RANKING_NAMES}
    )
    return RerankerFiles(
        tokens=scored_tokens(folder),
        turns=turns,
        begins_reply=begins_reply,
        max_tokens=limit,
        prompts=prompts,
        default_prompt=default,
    )


def scored_tokens(folder: Path) -> tuple[int, ...] | None:
    """The ids whose logits make the score of a pair; None for another folder. Raises CheckpointError."""
    modules = _modules(folder) if exists(folder, MODULES) else []
    if not _is_reranker(modules) or len(modules) == 1:
        return None
    name = f"{modules[1][1]}/{CONFIG}"
    config = read_object(folder, name, CONFIG_LIMIT)
    _check(config, name, _SCORE_KEYS)
    other = config.get("false_token_id")
    return (_token(config.get("true_token_id"), name), *([] if other is None else [_token(other, name)]))


def _read_turns(config: dict[str, object], name: str) -> tuple[Literal["text", "parts"] | None, bool]:
    """How a pair is turns of the chat template, and whether it begins the reply; takes both out of `config`."""
    modality = config.pop("modality_config", None) or {}
    if not isinstance(modality, dict) or not {*modality} <= {"text", "message"}:
        raise _refused(name, f"the option modality_config = {printable(modality, 60)}")
    for one in modality.values():
        _check(one if isinstance(one, dict) else {"modality_config": one}, name, _RANKING_MODALITY)
    begins_reply = False
    if isinstance(options := config.get("processing_kwargs"), dict):
        own = options.get("chat_template")
        if set(options) == {"chat_template"} and isinstance(own, dict) and set(own) <= {"add_generation_prompt"}:
            begins_reply = bool(own.get("add_generation_prompt"))
            del config["processing_kwargs"]
    if "message" not in modality:
        return None, begins_reply
    return "parts" if modality["message"].get("format") == "structured" else "text", begins_reply


def _is_reranker(modules: Sequence[tuple[str, str]]) -> bool:
    """Whether the modules score pairs: by a head of the transformer, or by its logits of two tokens."""
    return [kind for kind, _ in modules] in (["Transformer"], ["Transformer", "LogitScore"])


def _token(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise CheckpointError(f"'{printable(name)}' has {printable(value, 24)} for the id of a token; get it again.")
    return value


def _modules(folder: Path) -> list[tuple[str, str]]:
    return _parse_modules(read_bytes(folder, MODULES, CONFIG_LIMIT))


def _parse_modules(content: bytes) -> list[tuple[str, str]]:
    """(kind, folder) of each module; the kind of a class outside of sentence-transformers is its full name."""
    try:
        entries = read_json(content)
    except InvalidJsonError as error:
        raise CheckpointError(f"'{MODULES}' {error}, so the checkpoint is damaged; get it again.") from None
    result = []
    for entry in entries if isinstance(entries, list) else [None]:
        kind, path = (entry.get("type"), entry.get("path")) if isinstance(entry, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(path, str) or not (path == "" or safe_name(path)):
            raise CheckpointError(f"'{MODULES}' is no list of modules with type and path; get the checkpoint again.")
        result.append((kind.rsplit(".", 1)[-1] if kind.startswith("sentence_transformers.") else kind, path))
    return result


def _module_files(folder: Path) -> Iterator[str]:
    return module_file_names(read_bytes(folder, MODULES, CONFIG_LIMIT), partial(exists, folder))


def _read_pooling(folder: Path, name: str) -> tuple[tuple[str, ...], bool]:
    """The modes in the order of their vectors, and include_prompt."""
    config = read_object(folder, name, CONFIG_LIMIT)
    for key, value in config.items():
        if key not in _POOLING_KEYS and value not in (None, False):
            raise _refused(name, f"the option {printable(key)}")
    stated = config.get("pooling_mode")
    if stated is None:
        modes = [mode for mode, key in _POOLING.items() if config.get(key)] or ["mean"]
    else:
        modes = [stated] if isinstance(stated, str) else list(stated) if isinstance(stated, list) else []
    unknown = [mode for mode in modes if mode not in _POOLING]
    if unknown or not modes:
        raise _refused(name, f"the pooling {printable(unknown[0] if unknown else stated)}")
    return tuple(modes), config.get("include_prompt") is not False


def _read_step(folder: Path, kind: str, path: str) -> DenseFiles | None:
    name = f"{path}/{CONFIG}"
    if kind == "Normalize":
        if path and exists(folder, name):
            _check(read_object(folder, name, CONFIG_LIMIT), name, _MODULE_IO)
        return None
    config = read_object(folder, name, CONFIG_LIMIT)
    _check(config, name, _DENSE_KEYS)
    activation = config.get("activation_function", "torch.nn.modules.activation.Tanh")
    if activation not in _ACTIVATIONS:
        raise _refused(name, f"the activation {printable(activation)}")
    weights = _dense_weights(path, partial(exists, folder))
    if weights is None:
        raise CheckpointError(f"'{printable(path)}' lacks {' and '.join(DENSE_WEIGHTS)}: download the folder again.")
    regular_file(folder, weights)
    inputs, outputs = (_positive(config.get(key), key, name) for key in ("in_features", "out_features"))
    return DenseFiles(weights, inputs, outputs, config.get("bias") is not False, _ACTIVATIONS[str(activation)])


def _read_transformer(folder: Path, path: str) -> tuple[int | None, bool]:
    """The limit of tokens and whether texts become lower case. A limit among the tokenizer's arguments counts first."""
    config, name = _transformer_config(folder, path)
    limit, lowercase = _stated_limit(config, name), bool(config.get("do_lower_case"))
    _check(config, name, _TRANSFORMER_KEYS)
    return limit, lowercase


def _transformer_config(folder: Path, path: str) -> tuple[dict[str, object], str]:
    """The settings of the transformer in the folder `path`, and the name of their file."""
    names = [_below(path, name) for name in TRANSFORMER_FILES]
    name = next((name for name in names if exists(folder, name)), names[0])
    return read_optional(folder, name), name


def _stated_limit(config: dict[str, object], name: str) -> int | None:
    """The limit of tokens; takes it out of the tokenizer's arguments in `config`."""
    limit, key = config.get("max_seq_length"), "max_seq_length"
    for arguments in _TOKENIZER_ARGUMENTS:
        stated = config.get(arguments)
        if isinstance(stated, dict) and set(stated) == {_TOKENIZER_LIMIT}:
            limit, key = config.pop(arguments)[_TOKENIZER_LIMIT], _TOKENIZER_LIMIT  # type: ignore[index]
    return None if limit is None else _positive(limit, key, name)


def _below(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _read_model(folder: Path) -> tuple[dict[str, str], str | None, str]:
    """The prompts, the default prompt and the similarity."""
    prompts, default = _read_prompts(folder, _MODEL_KEYS)
    similarity = read_optional(folder, MODEL).get("similarity_fn_name") or "cosine"
    if similarity not in SIMILARITIES:
        raise _refused(MODEL, f"the similarity {printable(similarity)}")
    return prompts, default, str(similarity)


def _read_prompts(folder: Path, keys: Mapping[str, Sequence[object]]) -> tuple[dict[str, str], str | None]:
    """The prompts and the name of the default one. keys: of config_sentence_transformers.json."""
    config = read_optional(folder, MODEL)
    _check(config, MODEL, keys)
    prompts, default = config.get("prompts") or {}, config.get("default_prompt_name")
    if not isinstance(prompts, dict) or not all(isinstance(text, str) for text in prompts.values()):
        raise CheckpointError(f"'{MODEL}' has prompts that are not names with texts; get it again.")
    if default is not None and default not in prompts:
        raise CheckpointError(f"'{MODEL}' names the prompt {printable(default)}, which it does not have; get it again.")
    return prompts, None if default is None else str(default)


def _check(config: Mapping[str, object], name: str, keys: Mapping[str, Sequence[object]]) -> None:
    """Raises CheckpointError for an option of a file that is not among `keys`, or has a value that changes vectors."""
    for key, value in config.items():
        allowed = keys.get(key)
        if value is None or allowed == () or (allowed is not None and value in allowed):
            continue
        raise _refused(name, f"the option {printable(key)}" + (f" = {printable(value, 60)}" if allowed else ""))


def _positive(value: object, key: str, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1 << 31:
        raise CheckpointError(
            f"'{printable(name)}' has {key} = {printable(value, 24)}, not a number from 1; get it again."
        )
    return value


def _refused(name: str, what: str) -> CheckpointError:
    return CheckpointError(
        f"'{printable(name)}' has {what}, which Joinery does not compute and cannot leave out: the vectors would be "
        "those of another model."
    )
