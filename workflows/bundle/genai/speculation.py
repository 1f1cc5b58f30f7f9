"""Drafts in the peer's words: what version 1 says of them, and what version 2 says over version 1's model.

    speculative.ngram_size      → a strategy of look-ups
    model.draft, of one graph   → a session `draft`, and a strategy that names it; in another folder: a bundle elsewhere
    pipeline without a flow     → its strategy, with the names that the model's own sessions have

What does not fit is left where it is, and told as not run. What version 1 says stays in `metadata.genai` as well, so
that it can be written again as it was.
"""

from __future__ import annotations

import re

from workflows.bundle.genai.keys import Json, drop, object_at, put, value_at
from workflows.bundle.strict_model import NAME_IN_BUNDLE

DRAFT = "draft"
_MOST = 4  # the peer's own, where the file does not say
_PARTS = ("encoder", "vision", "speech", "embedding")
_RUN = ("draft_model", "ngram")


def read_strategy(rest: Json) -> Json | None:
    """The strategy that version 1 asks for; None where it asks for none that is run.

    rest: the file, or what is kept of it.
    """
    most, size = value_at(rest, "speculative.max_draft_tokens") or _MOST, value_at(rest, "speculative.ngram_size")
    if any(value_at(rest, f"model.{part}") for part in _PARTS) or value_at(
        rest, "model.decoder.inputs.past_conv_names"
    ):
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
    """Writes version 1's strategy, and who drafts, into version 2's file."""
    strategy = read_strategy(rest)
    if strategy is None:
        return
    put(made, "pipeline.strategy", strategy)
    if value_at(rest, "model.draft"):
        _put_draft(made, str(value_at(rest, "model.draft.filename")), value_at(rest, "model.draft.session_options"))


def write_strategy(made: Json, flow: Json) -> None:
    """Writes the strategy of a `pipeline` that has no flow into the file that its model makes, where it fits."""
    strategy, roles = object_at(flow, "strategy"), object_at(flow, "roles")
    producer = value_at(strategy, "draft.producer") or "draft_model"
    if not strategy:
        return
    for path in ("pipeline.strategy", f"pipeline.sessions.{DRAFT}", "metadata.draft"):
        drop(made, path)  # version 1's, in whose place this one stands
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
    looks: Json = {"verify": {"session": target}} if target else {}
    put(made, "pipeline.strategy", strategy | looks | {"draft": who})


def _session_of(made: Json, flow: Json, name: object) -> str | None:
    """The session of `made` over the file that `flow` gives the session `name`."""
    file = value_at(flow, f"sessions.{name}.file")
    own = object_at(made, "pipeline.sessions")
    return next((key for key in own if file is not None and value_at(own, f"{key}.file") == file), None)


def _put_draft(made: Json, file: str, options: object) -> bool:
    """Writes who drafts: a session where the file lies in the folder, which is told; else a bundle elsewhere."""
    inside = _is_inside(file)
    if inside:
        put(made, f"pipeline.sessions.{DRAFT}", {"file": file} | ({"session_options": options} if options else {}))
    else:
        put(made, "metadata.draft", {"name": file})
    return inside


def _is_inside(file: str) -> bool:
    return re.fullmatch(NAME_IN_BUNDLE, file) is not None
