"""Two models in one file: which sessions are the draft's, and what of a strategy cannot be run.

    flow ──▶ the target's sessions         strategy.draft.session, roles.draft ──▶ the draft: it, what feeds it, and
                                                                                   what it feeds, in the order of data

A draft has a cache of its own, so that it is a pipeline of its own: `drafting`. Sessions that the flow runs besides, as
a table of tokens, are both models'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workflows.bundle.composition import Flow, FlowStage, KVState, SharedState
from workflows.bundle.outline import Fault
from workflows.bundle.strategy import Roles, StrategySettings, TreeSettings

ROLES, STRATEGY = "pipeline.roles", "pipeline.strategy"
DRAFT = f"{STRATEGY}.draft"


def draft_flow(flow: Flow) -> Flow | None:
    """The flow of the draft alone; None where no session drafts."""
    return _alone(flow, flow.drafting)


def amateur_flow(flow: Flow) -> Flow | None:
    """The flow of the amateur alone; None where no session is one."""
    return _alone(flow, flow.weighing)


def _alone(flow: Flow, names: tuple[str, ...]) -> Flow | None:
    if not names:
        return None
    ports = flow.dataflow
    return Flow(
        sessions={name: flow.sessions[name] for name in names},
        flow=[FlowStage(run=name) for name in names],
        dataflow=[edge for edge in ports if {_session(edge.source), _session(edge.target)} <= {*names}],
        state=SharedState(kv_cache=_own_cache(flow.state.kv_cache), position_ids=flow.state.position_ids),
    )


def _own_cache(kept: KVState | None) -> KVState:
    """Named as the target's, or otherwise where the draft's graphs name theirs otherwise."""
    named = {} if kept is None or kept.format == "combined" else kept.model_dump(exclude={"format"})
    return KVState(format="auto", **named)


def _session(port: str) -> str:
    return port.split(".", 1)[0]


def strategy_faults(flow: Flow, elsewhere: bool) -> Iterator[Fault]:
    """What of `roles` and `strategy` cannot be run. elsewhere: whether the file names a bundle that is to draft."""
    roles, strategy = flow.roles or Roles(), flow.strategy
    yield from _weighs(flow, roles)
    if strategy is None:
        if roles.draft is not None:
            yield Fault(f"{ROLES}.draft", "a session is to draft, and pipeline.strategy does not say how")
        yield from _unknown(flow, {f"{ROLES}.target": roles.target})
        return
    yield from _heads(flow, strategy)
    if strategy.tree is not None:
        yield from _branches(strategy.tree)
    named = {
        f"{ROLES}.target": roles.target, f"{ROLES}.draft": roles.draft, f"{DRAFT}.session": strategy.draft.session,
        f"{STRATEGY}.verify.session": strategy.verify.session,
    }  # fmt: skip
    yield from _unknown(flow, named)
    yield from _drafts(flow, strategy, roles, elsewhere)
    yield from _verifies(flow, strategy, roles)


def _weighs(flow: Flow, roles: Roles) -> Iterator[Fault]:
    """Whether the roles of ops that combine logits are the target's own, and the amateur's another model's."""
    run = {stage.run for stage in flow.flow}
    for name in ("expert", "unconditional"):
        session = getattr(roles, name)
        if session is not None and session not in run:
            yield Fault(f"{ROLES}.{name}", f"the {name} is the target, whose sessions the flow runs, and {session} not")
    if roles.amateur is not None:
        yield from _unknown(flow, {f"{ROLES}.amateur": roles.amateur})
        if roles.amateur in run:
            yield Fault(f"{ROLES}.amateur", f"the flow runs {roles.amateur}, and an amateur is another model")


def _unknown(flow: Flow, named: Mapping[str, str | None]) -> Iterator[Fault]:
    for path, name in named.items():
        if name is not None and name not in flow.sessions:
            yield Fault(path, f"{name!r} is no session: there are {', '.join(flow.sessions)}")


def _drafts(flow: Flow, strategy: StrategySettings, roles: Roles, elsewhere: bool) -> Iterator[Fault]:
    """Whether there is one who drafts, and has sessions that the flow does not run."""
    draft, name = strategy.draft, flow.draft
    path = f"{DRAFT}.session" if draft.session is not None else f"{ROLES}.draft"
    if draft.session is not None and roles.draft is not None and draft.session != roles.draft:
        yield Fault(f"{ROLES}.draft", f"{roles.draft} is to draft, and the strategy says {draft.session}")
    if draft.producer == "ngram" and name is not None:
        yield Fault(path, f"ngram drafts from what was said before, and {name} from a model: name one of them")
    elif draft.producer == "self_speculative" and (name is None or draft.depth is None):
        missing = "session" if name is None else "depth"
        message = f"the first layers draft from a graph of their own, and the file gives no {missing}: build it anew"
        yield Fault(f"{DRAFT}.{missing}", f"{message} with early_exit")
    elif draft.producer == "draft_model" and name is None and not elsewhere:
        yield Fault(f"{DRAFT}.session", "a model is to draft, and none is named: give a session, or metadata.draft")
    if name is not None and name == roles.target:
        yield Fault(path, f"{name} is the target and the draft, and these are two models")
    elif name in {stage.run for stage in flow.flow}:
        yield Fault(path, f"the flow runs {name} for the target already, and a draft runs by itself: take it out there")
    if name is not None and (flow.state.cross_cache or any(stage.cross_attention_from for stage in flow.flow)):
        yield Fault(path, "the target reads a source first, and a draft would not know it: leave the draft out")


def _heads(flow: Flow, strategy: StrategySettings) -> Iterator[Fault]:
    """Whether extra heads are a session that nothing else runs."""
    path, heads = f"{DRAFT}.heads", strategy.heads
    if strategy.draft.producer == "extra_heads" and heads is None:
        yield Fault(path, "extra_heads are a session of this file: name it")
    elif heads is not None and heads not in flow.sessions:
        yield Fault(path, f"the strategy drafts with {heads!r}, which is no session")
    elif heads in [stage.run for stage in flow.flow]:
        yield Fault(path, f"{heads} drafts, so that no stage of the flow may run it besides")


def _branches(tree: TreeSettings) -> Iterator[Fault]:
    """Whether choices are there and each follows one that is."""
    path, choices = f"{STRATEGY}.tree.medusa_choices", tree.medusa_choices
    if tree.topology == "medusa_choices" and not choices:
        yield Fault(path, "the topology medusa_choices needs some")
    for place, choice in enumerate(choices):
        if not choice or (len(choice) > 1 and choice[:-1] not in choices):
            yield Fault(f"{path}[{place}]", f"{[*choice]} follows a choice that is not there")


def _verifies(flow: Flow, strategy: StrategySettings, roles: Roles) -> Iterator[Fault]:
    """Whether who looks at drafts is the target."""
    run, verify = {stage.run for stage in flow.flow if stage.when == "step"}, strategy.verify.session
    if roles.target is not None and roles.target not in run and roles.target != flow.draft:
        yield Fault(f"{ROLES}.target", f"the flow runs the target at each step, and {roles.target} not")
    if verify is not None and (verify not in run or verify != (roles.target or verify)):
        target = roles.target or " and ".join(sorted(run))
        yield Fault(f"{STRATEGY}.verify.session", f"the target alone looks at drafts, and that is {target}")
