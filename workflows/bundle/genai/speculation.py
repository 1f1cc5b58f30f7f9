"""Speculative decoding in genai's configurations: version 1's keys, and version 2's over version 1's model.

    speculative.ngram_size      → a strategy of n-gram lookups
    model.draft, of one graph   → a session `draft`, and a strategy that names it; in another folder: another bundle
    pipeline without a flow     → its strategy, with the names of the model's own sessions

Keys that do not fit are left in place and reported as ignored. Version 1's keys also stay in `metadata.genai`, so that
an export writes them unchanged.
"""

from __future__ import annotations

import re

from workflows.bundle.genai.keys import Json, drop, object_at, put, value_at
from workflows.bundle.strict_model import NAME_IN_BUNDLE

DRAFT = "draft"
_MOST = 4  # genai's own default
_PARTS = ("encoder", "vision", "speech", "embedding")
_RUN = ("draft_model", "ngram")


def read_strategy(rest: Json) -> Json | None:
    """The strategy of version 1; None where it states none that Joinery runs.

    rest: the file, or the keys kept of it.
    """
    most, size = value_at(rest, "speculative.max_draft_tokens") or _MOST, value_at(rest, "speculative.ngram_size")
    refused = (*(f"model.{part}" for part in _PARTS), "model.decoder.inputs.past_conv_names")
    if any(value_at(rest, path) for path in refused):
        return None
    if value_at(rest, "model.draft"):
        named = None if value_at(rest, "model.draft.pipeline") else value_at(rest, "model.draft.filename")
        if not named:
            return None
        who: Json = {"producer": "draft_model"}
        who |= {"session": DRAFT} if _is_inside(str(named)) else {}
    elif size:
        who = {"producer": "ngram", "ngram": {"min_match": size, "max_draft": most}}
    else:
        return None
    return {"draft": who, "num_speculative_tokens": most}


def write_drafts(made: Json, rest: Json) -> None:
    """Writes version 1's strategy and draft session into version 2's file."""
    strategy = read_strategy(rest)
    if strategy is None:
        return
    put(made, "pipeline.strategy", strategy)
    if value_at(rest, "model.draft"):
        _put_draft(made, str(value_at(rest, "model.draft.filename")), value_at(rest, "model.draft.session_options"))


def write_strategy(made: Json, flow: Json) -> None:
    """Merges the strategy of a `pipeline` without a flow into the file made from `model`, where it fits."""
    strategy, roles = object_at(flow, "strategy"), object_at(flow, "roles")
    producer = value_at(strategy, "draft.producer") or "draft_model"
    if not strategy:
        return
    for path in ("pipeline.strategy", f"pipeline.sessions.{DRAFT}", "metadata.draft"):
        drop(made, path)  # this strategy replaces version 1's
    if "tree" in strategy or producer not in _RUN or {*roles} - {"target", "draft"}:
        return
    verifier = value_at(strategy, "verify.session") or roles.get("target")
    target = _session_of(made, flow, verifier)
    who = {key: value for key, value in object_at(strategy, "draft").items() if key != "session"}
    if producer == "draft_model":
        name = value_at(strategy, "draft.session") or roles.get("draft")
        file = value_at(flow, f"sessions.{name}.file")
        if (verifier and not target) or not isinstance(file, str):
            return
        inside = _put_draft(made, file, value_at(flow, f"sessions.{name}.session_options"))
        who |= {"session": DRAFT} if inside else {}
    ngram: Json = {"verify": {"session": target}} if target else {}
    put(made, "pipeline.strategy", strategy | ngram | {"draft": who})


def _session_of(made: Json, flow: Json, name: object) -> str | None:
    """The session of `made` that has the file of session `name` in `flow`."""
    file = value_at(flow, f"sessions.{name}.file")
    own = object_at(made, "pipeline.sessions")
    return next((key for key in own if file is not None and value_at(own, f"{key}.file") == file), None)


def _put_draft(made: Json, file: str, options: object) -> bool:
    """Writes the draft: a session where the file is in the folder (returns True); else another bundle."""
    inside = _is_inside(file)
    if inside:
        put(made, f"pipeline.sessions.{DRAFT}", {"file": file} | ({"session_options": options} if options else {}))
    else:
        put(made, "metadata.draft", {"name": file})
    return inside


def _is_inside(file: str) -> bool:
    return re.fullmatch(NAME_IN_BUNDLE, file) is not None
