"""Two models in one file: the flows of the draft and the amateur, and the faults of a strategy.

    flow ──▶ the target's sessions         strategy.draft.session, roles.draft ──▶ the draft: this session, the ones
                                                                                   that feed it and that it feeds

A draft has its own cache, so it is a pipeline by itself: `sub_flow`. Sessions that the flow runs as well, such as an
embedding table, belong to both models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workflows.bundle.composition import Flow, KVState, SharedState
from workflows.bundle.outline import Fault, FlowStage
from workflows.bundle.strategy import Roles, StrategySettings, TreeSettings

ROLES, STRATEGY = "pipeline.roles", "pipeline.strategy"
DRAFT = f"{STRATEGY}.draft"


def sub_flow(flow: Flow, names: tuple[str, ...]) -> Flow | None:
    """The flow of the draft's or the amateur's sessions alone, with a cache of their own; None without sessions."""
    if not names:
        return None
    return Flow(
        sessions={name: flow.sessions[name] for name in names},
        flow=[FlowStage(run=name) for name in names],
        dataflow=[edge for edge in flow.dataflow if {session for session, _ in edge.ports} <= {*names}],
        state=SharedState(kv_cache=_own_cache(flow.state.kv_cache), position_ids=flow.state.position_ids),
    )


def _own_cache(cache: KVState | None) -> KVState:
    """Cache names as the target's, resolved by the graphs where they differ."""
    named = {} if cache is None or cache.format == "combined" else cache.model_dump(exclude={"format"})
    return KVState(format="auto", **named)


def strategy_faults(flow: Flow, elsewhere: bool) -> Iterator[Fault]:
    """Yields the faults of `roles` and `strategy`. elsewhere: whether the file names another bundle as the draft."""
    roles, strategy = flow.roles or Roles(), flow.strategy
    yield from _logits_role_faults(flow, roles)
    if strategy is None:
        if roles.draft is not None:
            yield Fault(f"{ROLES}.draft", "a session drafts, and pipeline.strategy is missing")
        yield from _unknown_sessions(flow, {f"{ROLES}.target": roles.target})
        return
    yield from _heads_faults(flow, strategy)
    if strategy.tree is not None:
        yield from _tree_faults(strategy.tree)
    named = {
        f"{ROLES}.target": roles.target, f"{ROLES}.draft": roles.draft, f"{DRAFT}.session": strategy.draft.session,
        f"{STRATEGY}.verify.session": strategy.verify.session,
    }  # fmt: skip
    yield from _unknown_sessions(flow, named)
    yield from _draft_faults(flow, strategy, roles, elsewhere)
    yield from _verifier_faults(flow, strategy, roles)


def _logits_role_faults(flow: Flow, roles: Roles) -> Iterator[Fault]:
    """Yields faults of roles of ops that combine logits: expert and unconditional are the target, amateur is not."""
    run = {stage.run for stage in flow.flow}
    for name in ("expert", "unconditional"):
        session = getattr(roles, name)
        if session is not None and session not in run:
            message = f"the {name} must be a session of the target, and the flow does not run {session}"
            yield Fault(f"{ROLES}.{name}", message)
    if roles.amateur is not None:
        yield from _unknown_sessions(flow, {f"{ROLES}.amateur": roles.amateur})
        if roles.amateur in run:
            yield Fault(f"{ROLES}.amateur", f"the flow runs {roles.amateur}, and the amateur must be another model")


def _unknown_sessions(flow: Flow, named: Mapping[str, str | None]) -> Iterator[Fault]:
    for path, name in named.items():
        if name is not None and name not in flow.sessions:
            yield Fault(path, f"{name!r} is not a session: there are {', '.join(flow.sessions)}")


def _draft_faults(flow: Flow, strategy: StrategySettings, roles: Roles, elsewhere: bool) -> Iterator[Fault]:
    """Yields faults of the draft: none named, or its session is one that the flow runs."""
    draft, name = strategy.draft, flow.draft
    path = f"{DRAFT}.session" if draft.session is not None else f"{ROLES}.draft"
    if draft.session is not None and roles.draft is not None and draft.session != roles.draft:
        yield Fault(f"{ROLES}.draft", f"roles.draft is {roles.draft}, and the strategy's draft is {draft.session}")
    if draft.producer == "ngram" and name is not None:
        yield Fault(path, f"ngram drafts from the previous text, and {name} from a model: state one of them")
    elif draft.producer == "self_speculative" and (name is None or draft.depth is None):
        missing = "session" if name is None else "depth"
        message = (
            f"self_speculative drafts with a separate graph, and the file has no {missing}: build the bundle again"
        )
        yield Fault(f"{DRAFT}.{missing}", f"{message} with early_exit")
    elif draft.producer == "draft_model" and name is None and not elsewhere:
        yield Fault(f"{DRAFT}.session", "draft_model needs a model: state a session, or metadata.draft")
    if name is not None and name == roles.target:
        yield Fault(path, f"{name} is the target and the draft, which must be two models")
    elif name in {stage.run for stage in flow.flow}:
        yield Fault(path, f"the flow runs {name} for the target, and a draft runs by itself: remove it from the flow")
    if name is not None and (flow.state.cross_cache or any(stage.cross_attention_from for stage in flow.flow)):
        yield Fault(path, "the target reads a source first, which a draft cannot: leave the draft out")


def _heads_faults(flow: Flow, strategy: StrategySettings) -> Iterator[Fault]:
    """Yields faults of extra heads: their session must exist, and nothing else may run it."""
    path, heads = f"{DRAFT}.heads", strategy.heads
    if strategy.draft.producer == "extra_heads" and heads is None:
        yield Fault(path, "extra_heads are a session of this file: name it")
    elif heads is not None and heads not in flow.sessions:
        yield Fault(path, f"the strategy drafts with {heads!r}, which is not a session")
    elif heads in [stage.run for stage in flow.flow]:
        yield Fault(path, f"{heads} drafts, so no stage of the flow may run it")


def _tree_faults(tree: TreeSettings) -> Iterator[Fault]:
    """Yields choices whose parent is missing."""
    path, choices = f"{STRATEGY}.tree.medusa_choices", tree.medusa_choices
    if tree.topology == "medusa_choices" and not choices:
        yield Fault(path, "the topology medusa_choices needs choices")
    for place, choice in enumerate(choices):
        if not choice or (len(choice) > 1 and choice[:-1] not in choices):
            yield Fault(f"{path}[{place}]", f"{[*choice]} follows a choice that does not exist")


def _verifier_faults(flow: Flow, strategy: StrategySettings, roles: Roles) -> Iterator[Fault]:
    """Yields faults of the roles target and verify: only the target verifies drafts."""
    run, verify = {stage.run for stage in flow.flow if stage.when == "step"}, strategy.verify.session
    if roles.target is not None and roles.target not in run and roles.target != flow.draft:
        yield Fault(f"{ROLES}.target", f"the target must run at each step, and the flow does not run {roles.target}")
    if verify is not None and (verify not in run or verify != (roles.target or verify)):
        target = roles.target or " and ".join(sorted(run))
        yield Fault(f"{STRATEGY}.verify.session", f"only the target verifies drafts, which is {target}")
