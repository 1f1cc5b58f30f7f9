"""Writes the GGUF file of a bundle, reads it again, and keeps it where it says the same.

bundle ──▶ config, tokenizer, weights ──write_gguf──▶ a draft ──read_model, make_tokenizer──▶ compared ──▶ the file
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from workflows.builder.workspace import Report, timed_stage
from workflows.bundle import Bundle, read_bundle
from workflows.checkpoint.gguf.architectures import ARCHITECTURES, Architecture, find_architecture, make_config
from workflows.checkpoint.gguf.model import GgufModel, read_model
from workflows.checkpoint.gguf.tokenizer import make_tokenizer
from workflows.checkpoint.tokenizer import TOKENIZER
from workflows.common.errors import BundleError, Cancelled, RequestError, printable
from workflows.common.files import atomic_target
from workflows.common.tensors import Array
from workflows.graph.weights import load_saved_graph
from workflows.interop.gguf_export.graph_weights import GraphWeights, Weight
from workflows.interop.gguf_export.metadata import (
    ROPE_DIVISORS,
    WRITTEN,
    check_settings_read,
    head_size,
    make_metadata,
    rope_divisors,
)
from workflows.interop.gguf_export.packing import F32, InexactError, Integers, pack_floats, pack_integers
from workflows.interop.gguf_export.vocabulary import make_vocabulary
from workflows.interop.gguf_export.writer import Entry, WritableTensor, write_gguf
from workflows.wire.events import BuildDone, ProgressEvent

_TEXTS = (
    "Hello, world!", "  two  spaces\tand\n\nlines\r\n", "I'll don't WE'VE it's", "12345 3.14 2026-11-28", "ÄÖÜ ß é ñ",
    "Привет, мир", "你好，世界", "こんにちは", "🙂👍🏽", "def f(x):\n    return x ** 2  # done", "a" * 40, "", " ",
    "e\u0301 \u00e9", "CamelCaseWords and snake_case_words", "…—“quotes”", "\u00a0nbsp", "x\n\n\n\ny",
)  # fmt: skip
_MODULES = {"q_proj": "q", "k_proj": "kv", "v_proj": "kv", "o_proj": "hidden", "gate_proj": "inner", "up_proj": "inner",
            "down_proj": "hidden", "lm_head": "vocabulary"}  # fmt: skip


def export_gguf(
    folder: Path,
    out: Path,
    *,
    round_scales: bool = False,
    report: Report = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BuildDone:
    """Writes the bundle in `folder` as the GGUF file `out`, which must be new.

    round_scales: round scales and minimums of integers to 16 bits where they have more. Raises BundleError for a bundle
    or a weight that GGUF cannot say, RequestError for a file that is there, Cancelled on request; nothing is written
    then.
    """
    began = time.monotonic()
    if out.suffix.lower() != ".gguf" or out.exists():
        raise RequestError(f"{printable(out)} must be a new file whose name ends in .gguf: choose another --out.")
    bundle = read_bundle(folder)
    config = _config(bundle)
    architecture = ARCHITECTURES[WRITTEN[config.model_type]]
    weights = _weights(bundle, config)
    with timed_stage(report, "export-gguf"), atomic_target(out) as draft:
        tensors = list(_tensors(weights, config, architecture, round_scales, report, cancelled))
        name = next(name for name, one in ARCHITECTURES.items() if one is architecture)
        file = _json(bundle, TOKENIZER)
        write_gguf(draft, make_metadata(config, name) | _general(bundle) | _vocabulary(bundle, config, file), tensors)
        _check_written(draft, config, file)
    seconds, sessions = round(time.monotonic() - began, 3), bundle.pipeline.pipeline.sessions
    return BuildDone(bundle=str(out), seconds=seconds, bytes=out.stat().st_size, components=[*sessions])


def _config(bundle: Bundle) -> Any:
    """The config of the bundle's model. Raises BundleError for a model that GGUF has no architecture for here."""
    stated = _json(bundle, "config.json").get("model_type")
    if stated not in WRITTEN:
        raise _refused(
            f"its architecture is {printable(stated, 60)}, and these are written: {', '.join(sorted(WRITTEN))}"
        )
    if bundle.pipeline.metadata.adapters is not None:
        raise _refused("its graph takes adapters as inputs, and a GGUF file holds the model alone: merge one")
    sessions = list(bundle.pipeline.pipeline.sessions)
    if len(sessions) != 1:
        raise _refused(
            f"it has the graphs {printable(', '.join(sessions))}, and one graph is read (graphs=single, variant=plain)"
        )
    from transformers import AutoConfig  # takes seconds to import

    return AutoConfig.from_pretrained(bundle.folder / "tokenizer", local_files_only=True)


def _weights(bundle: Bundle, config: Any) -> dict[str, Weight]:
    """The weights of the bundle's graph by transformers' names."""
    sizes = {
        "q": config.num_attention_heads * head_size(config),
        "kv": config.num_key_value_heads * head_size(config),
        "hidden": config.hidden_size,
        "inner": config.intermediate_size,
        "vocabulary": config.vocab_size,
    }

    def widths(module: str) -> int:
        kind = _MODULES.get(module.rpartition(".")[2])
        if kind is None:
            raise _refused(f"it has a product in the module {printable(module, 100)}, which is not known")
        return int(sizes[kind])

    (session,) = bundle.pipeline.pipeline.sessions.values()
    return GraphWeights(load_saved_graph(bundle.folder / session.file), widths).weights


def _tensors(
    weights: Mapping[str, Weight],
    config: Any,
    architecture: Architecture,
    rounds: bool,
    report: Report,
    cancelled: Callable[[], bool],
) -> Iterator[WritableTensor]:
    """The tensors of the file. Raises BundleError for one that is missing, or has no place, or no form."""
    places = dict(_places(config, architecture))
    if other := next((name for name in weights if name not in places), None):
        raise _refused(f"its weight {printable(other, 100)} has no place in the architecture")
    required = [name for name in places if name.endswith(".weight") and name != "lm_head.weight"]
    if missing := next((name for name in required if name not in weights), None):
        raise _refused(f"its graph has no weight {printable(missing, 100)} by itself")
    table = weights["model.embed_tokens.weight"]
    for done, (name, load) in enumerate(weights.items()):
        if cancelled():
            raise Cancelled("Cancelled while the bundle was being written.")
        report(ProgressEvent(stage="export-gguf", message=places[name], done=done, total=len(weights)))
        if name == "lm_head.weight" and config.tie_word_embeddings and _packed(name, load, rounds) == _packed(
            name, table, rounds
        ):  # fmt: skip
            continue
        turned = _turned(name, load, config, architecture)
        form, shape, size = _measured(name, turned, rounds)

        def data(name: str = name, load: Weight = turned) -> bytes:
            return _packed(name, load, rounds)[2]

        yield WritableTensor(places[name], shape, form, size, data)
    if (divisors := rope_divisors(config)) is not None:
        yield WritableTensor(ROPE_DIVISORS, divisors.shape, F32, divisors.nbytes, divisors.tobytes)


def _places(config: Any, architecture: Architecture) -> Iterator[tuple[str, str]]:
    """(transformers' name, GGUF's name) of every tensor that the architecture may have."""
    for stored, name in architecture.outside.items():
        yield f"{name}.weight", f"{stored}.weight"
    for layer in range(config.num_hidden_layers):
        for stored, name in architecture.layer.items():
            for last in ("weight", "bias"):
                yield f"model.layers.{layer}.{name}.{last}", f"blk.{layer}.{stored}.{last}"


def _turned(name: str, load: Weight, config: Any, architecture: Architecture) -> Weight:
    """The weight with the rows of q and k as llama.cpp rotates them: those of a head's halves alternate."""
    if not (architecture.interleaved and name.rpartition(".")[0].endswith(("q_proj", "k_proj"))):
        return load
    half = head_size(config) // 2

    def turned() -> Array | Integers:
        whole = load()
        rows = len(whole.integers if isinstance(whole, Integers) else whole)
        order = np.arange(rows).reshape(-1, 2, half).swapaxes(1, 2).reshape(-1)
        return whole.rows(order) if isinstance(whole, Integers) else whole[order]

    return turned


def _packed(name: str, load: Weight, rounds: bool) -> tuple[int, tuple[int, ...], bytes]:
    """The form, the shape and the bytes of a weight. Raises BundleError where no form holds its numbers."""
    whole = load()
    try:
        if isinstance(whole, Integers):
            form, content = pack_integers(whole, rounds)
            return form, whole.integers.shape, content
        form, content = pack_floats(whole.astype(np.float32) if whole.ndim == 1 else whole)
        return form, whole.shape, content
    except InexactError as error:
        raise _refused(f"{printable(name, 100)} would not be the same: {error}") from None


def _measured(name: str, load: Weight, rounds: bool) -> tuple[int, tuple[int, ...], int]:
    form, shape, content = _packed(name, load, rounds)
    return form, shape, len(content)


def _general(bundle: Bundle) -> dict[str, Entry]:
    return {"general.name": bundle.pipeline.metadata.name or bundle.folder.name, "general.quantization_version": 2}


def _vocabulary(bundle: Bundle, config: Any, file: Mapping[str, Any]) -> dict[str, Entry]:
    generation = bundle.json_object("tokenizer/generation_config.json") or {}
    stated = generation.get("eos_token_id", config.eos_token_id)
    ends = [stated] if isinstance(stated, int) else list(stated or ())
    ids = dict(zip(("eos", "eot", "eom"), ends, strict=False))
    for name, value in (("bos", config.bos_token_id), ("padding", config.pad_token_id)):
        if isinstance(value, int) and value >= 0:
            ids[name] = value
    entries = make_vocabulary(file, config.vocab_size, ids, _template(bundle))
    first = Tokenizer.from_str(json.dumps(file)).encode("a").ids
    entries["tokenizer.ggml.add_bos_token"] = first[:1] == [ids.get("bos", -1)]
    entries["tokenizer.ggml.add_eos_token"] = len(first) > 1 and first[-1] in ends
    return entries


def _template(bundle: Bundle) -> str:
    """The chat template; "" for none, and for several, of which the format has one."""
    own = bundle.text("tokenizer/chat_template.jinja")
    stated = (bundle.json_object("tokenizer/tokenizer_config.json") or {}).get("chat_template")
    return own or (stated if isinstance(stated, str) else "")


def _check_written(draft: Path, config: Any, file: Mapping[str, Any]) -> None:
    """Reads the file again. Raises BundleError where settings or texts come back in another way."""
    model = read_model(draft.parent, (draft.name,))
    check_settings_read(config, make_config(model, find_architecture(model)))
    _check_texts(model, file)


def _check_texts(model: GgufModel, file: Mapping[str, Any]) -> None:
    ours, theirs = Tokenizer.from_str(json.dumps(file)), Tokenizer.from_str(json.dumps(make_tokenizer(model)[0]))
    known = model.shape("token_embd.weight")[0]
    special = [one["content"] for one in file.get("added_tokens", ()) if int(one["id"]) < known][:40]
    for text in (*_TEXTS, " ".join(_TEXTS), "".join(special), *(f"a{one} b" for one in special)):
        if ours.encode(text).ids != theirs.encode(text).ids:
            raise _refused(f"its tokenizer would read the text '{printable(text, 60)}' in another way")


def _json(bundle: Bundle, name: str) -> dict[str, Any]:
    data = bundle.json_object(f"tokenizer/{name}")
    if data is None:
        raise _refused(f"it has no tokenizer/{name} (it was built without a tokenizer, or imported)")
    return data


def _refused(why: str) -> BundleError:
    return BundleError(f"The bundle cannot be written as GGUF: {why}.")
