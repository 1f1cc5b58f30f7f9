"""Opens sessions from compiled contexts whose origin equals the present graph, weights, versions and options.

SessionPlan (graph, device, options) ──context_origin──▶ ContextOrigin ──equals the record's──▶ context file │ graph
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import onnxruntime as ort

from workflows.bundle import Bundle
from workflows.bundle.contexts import ContextOrigin
from workflows.bundle.manifest import sha256_of
from workflows.runtime.loading.sessions import SessionPlan
from workflows.runtime.providers import provider_of

_SHAPING = ("graph_optimization_level",)  # the session options that, with the entries, change the context


def context_origin(bundle: Bundle, plan: SessionPlan) -> ContextOrigin:
    """The origin that a context of this session would have."""
    provider, settings = provider_of(plan.device), plan.settings
    shaping = settings.model_dump(include=set(_SHAPING), exclude_none=True) | settings.entries
    return ContextOrigin(
        graph=sha256_of(plan.path),
        weights=bundle.fingerprint,
        provider=provider.name,
        version=provider.version(),
        onnxruntime=str(ort.__version__),
        options={**provider.options, **plan.options},
        settings=json.dumps(shaping, sort_keys=True),
    )


def use_compiled_contexts(bundle: Bundle, plans: Mapping[str, SessionPlan]) -> tuple[dict[str, SessionPlan], str]:
    """The session plans, from a context where one matches; and a sentence about contexts that do not match.

    Raises BundleError for incomplete contexts.
    """
    contexts = bundle.contexts()
    if not contexts:
        return dict(plans), ""
    chosen, unfit = dict(plans), list[str]()
    for name, plan in plans.items():
        if not provider_of(plan.device).compiles:
            continue
        origin = context_origin(bundle, plan)
        fitting = ((path, one.record.shared) for one in contexts if (path := one.context_of(name, origin)) is not None)
        if found := next(fitting, None):
            chosen[name] = plan.from_context(*found)
        elif any(made.origin.provider == origin.provider for one in contexts for made in one.record.sessions.values()):
            unfit.append(name)
    if not unfit:
        return chosen, ""
    return chosen, (
        f"The compiled contexts of {', '.join(unfit)} were made of other graphs, versions or options and are not used: "
        "compile them again with `joinery compile`."
    )
