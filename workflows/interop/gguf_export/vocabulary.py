"""What a GGUF file says of a tokenizer: the pieces of tokenizer.json with their kinds, and merges or scores.

pieces of bytes    tokenizer.ggml.model gpt2    merges; `pre` names the way in which texts are split
byte fallback      tokenizer.ggml.model llama   scores, by the order of the merges
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workflows.checkpoint.gguf.tokenizer import SPLITS, Split
from workflows.common.errors import BundleError, printable
from workflows.interop.gguf_export.writer import Entry

_NORMAL, _UNKNOWN, _CONTROL, _USER, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6  # kinds of tokens (llama_token_type)
_RARE = -1e6  # the score of a piece that no merge makes
_IDS = ("bos", "eos", "eot", "eom", "padding", "unknown")


def make_vocabulary(file: Mapping[str, Any], size: int, ids: Mapping[str, int], template: str) -> dict[str, Entry]:
    """The entries of the tokenizer.json `file`. size: rows of the table of tokens, more are filled up.

    ids: bos, eos, eot, eom, padding → id. Raises BundleError for a tokenizer that llama.cpp has not.
    """
    model = file.get("model", {})
    if model.get("type") != "BPE":
        raise _refused(f"its tokenizer is of the kind {printable(model.get('type'), 40)}, and BPE is written")
    # the model has no row for added tokens beyond its table, and a bundle refuses texts with them
    added = {int(one["id"]): one for one in file.get("added_tokens", ()) if int(one["id"]) < size}
    own = {int(one["id"]) for one in file.get("added_tokens", ())}
    tokens = {int(index): str(token) for token, index in model["vocab"].items() if index < size or index not in own}
    tokens |= {index: str(one["content"]) for index, one in added.items()}
    if max(tokens, default=0) >= size:
        raise _refused(f"its tokenizer has the token {max(tokens)}, and its table of tokens {size} rows")
    unknown = model.get("unk_token")
    names = [tokens.get(index, f"[PAD{index}]") for index in range(size)]
    kinds = [_kind(index, tokens.get(index), added.get(index), unknown) for index in range(size)]
    entries: dict[str, Entry] = {"tokens": names, "token_type": kinds}
    merges = [tuple(one) if isinstance(one, list) else tuple(one.split(" ")) for one in model.get("merges", ())]
    if model.get("byte_fallback"):
        entries |= {"model": "llama", "scores": _scores(names, merges), "add_space_prefix": _prepends(file)}
        if unknown in names:
            ids = {**ids, "unknown": names.index(unknown)}
    else:
        entries |= {"model": "gpt2", "pre": _split_name(file), "merges": [" ".join(one) for one in merges]}
    entries |= {f"{name}_token_id": ids[name] for name in _IDS if name in ids}
    result = {f"tokenizer.ggml.{key}": value for key, value in entries.items()}
    return result | ({"tokenizer.chat_template": template} if template else {})


def _kind(index: int, token: str | None, added: Mapping[str, Any] | None, unknown: object) -> int:
    if token is None:
        return _UNUSED
    if token == unknown:
        return _UNKNOWN
    if added is not None:
        return _CONTROL if added.get("special") else _USER
    return _BYTE if len(token) == 6 and token.startswith("<0x") and token.endswith(">") else _NORMAL


def _scores(names: Sequence[str], merges: Sequence[tuple[str, ...]]) -> list[float]:
    """The score of each piece: the earlier its first merge, the higher."""
    ranks: dict[str, int] = {}
    for rank, pair in enumerate(merges):
        ranks.setdefault("".join(pair), rank)
    return [float(-ranks[name]) if name in ranks else _RARE for name in names]


def _prepends(file: Mapping[str, Any]) -> bool:
    """Whether a text begins with a space."""
    steps = _flat(file.get("normalizer"), "normalizers")
    return any(one.get("type") == "Prepend" for one in steps)


def _split_name(file: Mapping[str, Any]) -> str:
    """The name of the way in which the file splits texts. Raises BundleError for one that has none."""
    steps = list(_flat(file.get("pre_tokenizer"), "pretokenizers"))
    kinds = [one.get("type") for one in steps]
    expressions = [str(one["pattern"].get("Regex", "")) for one in steps if one.get("type") == "Split"]
    normalizers = [one.get("type") for one in _flat(file.get("normalizer"), "normalizers")]
    known = {*kinds} <= {"Split", "Digits", "ByteLevel"} and "ByteLevel" in kinds and len(expressions) < 2
    found = Split(
        expression="".join(expressions),
        digits="Digits" in kinds,
        composed=normalizers == ["NFC"],
        whole=bool(file["model"].get("ignore_merges")),
    )
    name = next((one for one, split in SPLITS.items() if known and _is_same(split, found)), None)
    if name is None or normalizers not in ([], ["NFC"]):
        raise _refused("its tokenizer splits texts in a way that llama.cpp has no name for")
    return name


def _is_same(one: Split, other: Split) -> bool:
    return (one.expression, one.digits, one.composed, one.whole) == (
        other.expression, other.digits, other.composed, other.whole
    )  # fmt: skip


def _flat(step: Any, inner: str) -> Iterator[Mapping[str, Any]]:
    """The steps of a sequence, or the step itself."""
    if isinstance(step, dict):
        for one in step.get(inner, ()) if step.get("type") == "Sequence" else [step]:
            yield from _flat(one, inner) if one.get("type") == "Sequence" else [one]


def _refused(why: str) -> BundleError:
    return BundleError(f"The bundle cannot be written as GGUF: {why}.")
