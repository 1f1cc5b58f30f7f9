"""Which of a bundle's sessions are opened from a compiled context: those whose context was made of just what is there.

Opening (graph, device, options) ──context_origin──▶ Origin ──is the record's──▶ the context's file │ the plain graph
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import onnxruntime as ort

from workflows.bundle import Bundle
from workflows.bundle.contexts import ContextOrigin
from workflows.bundle.manifest import sha256_of
from workflows.runtime.loading.session_plan import SessionPlan
from workflows.runtime.providers import provider_of

SHARE = "ep.share_ep_contexts"  # onnxruntime's: contexts of several sessions lie in one file
_SHAPING = ("graph_optimization_level",)  # of the session's options, with the entries, what changes the context


def context_origin(bundle: Bundle, opening: SessionPlan) -> ContextOrigin:
    """What a context of that session would be made of."""
    provider, settings = provider_of(opening.device), opening.settings
    shaping = settings.model_dump(include=set(_SHAPING), exclude_none=True) | settings.entries
    return ContextOrigin(
        graph=sha256_of(opening.path),
        weights=bundle.fingerprint,
        provider=provider.name,
        version=provider.version(),
        onnxruntime=str(ort.__version__),
        options={**provider.options, **opening.options},
        settings=json.dumps(shaping, sort_keys=True),
    )


def use_compiled_contexts(bundle: Bundle, openings: Mapping[str, SessionPlan]) -> tuple[dict[str, SessionPlan], str]:
    """The openings, from a context where one fits; and what to say of contexts that are for these and do not fit.

    Raises BundleError for contexts that are not whole.
    """
    contexts = bundle.contexts()
    if not contexts:
        return dict(openings), ""
    chosen, unfit = dict(openings), list[str]()
    for name, opening in openings.items():
        if not provider_of(opening.device).compiles:
            continue
        origin = context_origin(bundle, opening)
        fitting = ((path, one.record.shared) for one in contexts if (path := one.of(name, origin)) is not None)
        if found := next(fitting, None):
            chosen[name] = opening.from_context(*found)
        elif any(made.origin.provider == origin.provider for one in contexts for made in one.record.sessions.values()):
            unfit.append(name)
    if not unfit:
        return chosen, ""
    return chosen, (
        f"The compiled contexts of {', '.join(unfit)} were made of other graphs, versions or options and are not used: "
        "compile anew with `joinery compile`."
    )
