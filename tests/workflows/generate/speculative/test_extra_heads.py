"""Extra heads of every shape over a target that exposes its hidden states: right ones, wrong ones, and misfits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.generate.speculative.heading import NEXT, TABLE, Circle, attended, write_heads
from tests.workflows.generate.speculative.test_draft_tree import every_length, told
from tests.workflows.runtime.test_composites import IDS, opened
from tests.workflows.runtime.toy_bundles import FLOAT, Net, Toy, V
from workflows.bundle.manifest import write_manifest
from workflows.bundle.schema import parse_pipeline
from workflows.bundle.strategy import StrategySettings as Asked
from workflows.common.errors import BundleError, GraphError
from workflows.generate import open_engine
from workflows.generate.options import GenerateOptions
from workflows.generate.prefill import feed_tokens
from workflows.generate.speculative import ExtraHeads, SpeculativeStrategy, select_strategy
from workflows.generate.speculative.draft_tree import TreeShape, paths_of
from workflows.generate.speculative.extra_heads import HiddenStateBuffer
from workflows.runtime import Machine
from workflows.wire.events import GenerationDone

__all__ = ["every_length"]  # a fixture
KINDS = ["medusa", "medusa last", "mtp", "eagle", "eagle cached"]
STEP = [{"run": "decoder"}]


def machine_with(folder: Path, toy: Toy, **more: Any) -> Machine:
    """A target beside `heads.onnx`."""
    toy.write(folder, ["decoder"])
    sessions = {name: {"file": f"{name}.onnx"} for name in ("decoder", "heads")}
    strategy = {"draft": {"producer": "extra_heads", "heads": "heads"}, **more.pop("strategy", {})}
    return opened(folder, STEP, sessions=sessions, strategy=strategy, capacity=96, **more)


def heads_of(machine: Machine) -> ExtraHeads:
    found = ExtraHeads.of(machine)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "tree", [None, TreeShape(nodes=6, depth=3), TreeShape(6, 3, ((0,), (1,), (0, 0), (1, 0), (0, 0, 0)))]
)
@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_heads_draft_and_change_nothing(kind: str, right: bool, tree: TreeShape | None, tmp_path: Path) -> None:
    """Perfect heads are taken wherever they draft; wrong ones never, and the tokens are those without."""
    write_heads(tmp_path, kind, right)
    machine = machine_with(tmp_path, Circle())
    heads = heads_of(machine)
    for prompt in ([7], IDS[:12]):
        alone, _ = told(machine, prompt, None, 40)
        assert alone == [(prompt[-1] + 1 + i) % V for i in range(40)]
        found, accepted = told(machine, prompt, SpeculativeStrategy(heads, 3, tree=tree), 40)
        assert found == alone
        if kind != "eagle cached" and (right or tree is None):  # whose own layer makes it neither right nor wrong
            assert (accepted > 10) == right


@pytest.mark.parametrize("kind", ["medusa", "mtp", "eagle", "eagle cached"])
def test_over_a_model_that_looks_back(kind: str, tmp_path: Path) -> None:
    """The hidden states are those of a real decoder; drafts are what they are, and the tokens the model's."""
    write_heads(tmp_path, kind)
    machine = machine_with(tmp_path, Toy(exposes=True))
    heads = heads_of(machine)
    for prompt in (IDS[:5], IDS[:9], IDS[20:33]):  # the second shares its beginning with the first
        alone, _ = told(machine, prompt, None, 30)
        for tree in (None, TreeShape(nodes=7, depth=4)):
            assert told(machine, prompt, SpeculativeStrategy(heads, 4, tree=tree), 30)[0] == alone


@pytest.mark.parametrize("kind", ["medusa", "medusa last", "mtp", "eagle"])
def test_how_far_each_kind_sees(kind: str, tmp_path: Path) -> None:
    """Three heads three tokens, a head one, a loop as many as were asked for."""
    write_heads(tmp_path, kind)
    machine = machine_with(tmp_path, Circle())
    heads = heads_of(machine)
    ids = [3, 4, 5, 6]
    [*feed_tokens(machine, ids[:-1])]
    wanted = {"medusa": (7, 8, 9), "medusa last": (7, 8, 9), "mtp": (7,), "eagle": (7, 8, 9, 10, 11)}[kind]
    assert heads.propose(ids, 5).tokens == wanted
    assert heads.propose(ids, 1).tokens == wanted[:1]
    tree = heads.branch(ids, TreeShape(nodes=12, depth=5))
    assert tree.chain().tokens[: len(wanted)] == wanted and len(tree) > len(wanted)


def test_a_cache_of_their_own_holds_every_pair(tmp_path: Path) -> None:
    """Against numpy over the whole sequence: prompt in chunks, drafts by ranks, a text that goes another way."""
    write_heads(tmp_path, "eagle cached")
    machine = machine_with(tmp_path, Circle())
    heads = heads_of(machine)

    def scores(ids: Sequence[int], path: Sequence[int]) -> np.ndarray[Any, Any]:
        pairs, tokens = [TABLE[token] for token in ids[:-1]], list(ids[1:])
        own = attended(np.array(pairs), tokens)
        for token in path:
            pairs, tokens = [*pairs, own], [*tokens, token]
            own = attended(np.array(pairs), tokens)
        return np.asarray(own @ NEXT)

    choices = ((0,), (1,), (0, 0), (0, 1), (1, 2), (0, 1, 0))
    for text in (IDS[:11], [*IDS[:11], 4, 9], [*IDS[:7], 1, 2, 3]):
        shared = next((i for i, (a, b) in enumerate(zip(IDS, text, strict=False)) if a != b), len(text))
        machine.cache.rewind(min(shared, machine.cache.length, len(text) - 2))
        [*feed_tokens(machine, text[machine.cache.length : -1])]
        for branches in (True, False):
            assert heads._graph.cache is not None
            heads._graph.cache.can_branch = branches
            draft = heads.branch(text, TreeShape(9, 4, choices))
            found = paths_of(draft.tokens, draft.parents or ())
            assert len(found) == (6 if branches else 5)
            for path in found:
                ranked = np.argsort(-scores(text, path[:-1]))
                assert path[-1] in ranked[:3], (path, branches)
            best = [int(np.argmax(scores(text, path))) for path in ([], found[0])]
            assert found[0] == best[:1] and best in found
            second = [int(np.argsort(-scores(text, []))[1])]
            assert found[1] == second
            if branches:
                third = int(np.argsort(-scores(text, second))[2])
                assert [*second, third] in found


@pytest.mark.parametrize("kind", ["medusa", "eagle", "eagle cached"])
def test_heads_of_a_fixed_width_draft_the_same(kind: str, tmp_path: Path) -> None:
    """One column, or eight of which most are padding."""
    drafts = []
    for columns in ("n", 1, 8):
        write_heads(tmp_path, kind, columns=columns)
        machine = machine_with(tmp_path, Circle())
        heads = heads_of(machine)
        [*feed_tokens(machine, IDS[:12])]
        drafts.append([heads.propose([*IDS[:12], 5], 3), heads.propose([*IDS[:12], 6], 3)])
    assert drafts[0] == drafts[1] == drafts[2] and len(drafts[0][0]) == 3


def test_hidden_states_that_are_not_known_draft_nothing(tmp_path: Path) -> None:
    """As after a saved cache was loaded, or before anything was fed."""
    write_heads(tmp_path, "medusa")
    machine = machine_with(tmp_path, Circle())
    heads = heads_of(machine)
    assert not heads.propose([4], 3) and not heads.propose([4, 5], 3)
    [*feed_tokens(machine, [4, 5, 6])]
    assert heads.propose([4, 5, 6, 7], 3).tokens == (8, 9, 10)
    machine.cache.rewind(1)
    assert not heads.propose([4, 5, 6, 7, 8, 9], 3)
    heard = HiddenStateBuffer(every=True)
    for start, count in ((0, 3), (3, 2), (2, 1)):
        heard.on_hidden_states(start, np.full((count, 2), start, np.float32))
    rows = heard.of(0, 3)
    assert rows is not None and rows[:, 0].tolist() == [0, 0, 2] and heard.of(0, 4) is None
    heard.on_hidden_states(9, np.ones((1, 2), np.float32))
    assert heard.of(2, 3) is None and heard.of(9, 10) is not None


def test_what_the_file_requests(tmp_path: Path) -> None:
    """Its length, its tree, its acceptance; what a person says wins."""
    write_heads(tmp_path, "medusa")
    tree = {"topology": "medusa_choices", "medusa_choices": [[0], [1], [0, 0]], "max_depth": 2}
    asked = {"num_speculative_tokens": 3, "acceptance": "typical", "typical_threshold": 0.2, "tree": tree}
    machine = machine_with(tmp_path, Circle(), strategy=asked)
    heads = heads_of(machine)
    said = select_strategy(machine, GenerateOptions(), heads)
    assert said == SpeculativeStrategy(heads, 3, "typical", 0.2, TreeShape(16, 2, ((0,), (1,), (0, 0))))
    own = select_strategy(machine, GenerateOptions(draft_tokens=2, draft_tree=9, acceptance="greedy"), heads)
    assert own == SpeculativeStrategy(heads, 2, "greedy", 0.2, TreeShape(9, 2))
    looked = select_strategy(machine, GenerateOptions(ngram=True), heads)
    assert isinstance(looked, SpeculativeStrategy) and looked.proposer is not heads


def test_an_edge_names_the_tensors_that_no_name_tells(tmp_path: Path) -> None:
    """`dataflow` may join hidden states of any name; without such, hidden_states feeds hidden_states."""
    import onnx

    write_heads(tmp_path, "medusa")
    toy = Circle()
    toy.write(tmp_path, ["decoder"])
    for name, old, new in (("decoder", "hidden_states", "seen"), ("heads", "hidden_states", "heard")):
        model = onnx.load(tmp_path / f"{name}.onnx")
        for value in (*model.graph.input, *model.graph.output):
            value.name = new if value.name == old else value.name
        for node in model.graph.node:
            for side in (node.input, node.output):
                side[:] = [new if one == old else one for one in side]
        onnx.save(model, tmp_path / f"{name}.onnx")
    machine = opened(tmp_path, STEP, [("decoder.seen", "heads.heard")], capacity=96,
                     sessions={name: {"file": f"{name}.onnx"} for name in ("decoder", "heads")},
                     strategy={"draft": {"producer": "extra_heads", "heads": "heads"}})  # fmt: skip
    heads = heads_of(machine)
    [*feed_tokens(machine, [4, 5, 6])]
    assert heads.propose([4, 5, 6, 7], 3).tokens == (8, 9, 10)


def test_heads_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """By the path of what is wrong: no hidden states, another size, another vocabulary, no heads at all."""
    write_heads(tmp_path, "medusa")
    path = r"at pipeline\.strategy\.draft\.heads: "
    blind = machine_with(tmp_path, Toy())
    with pytest.raises(BundleError, match=f"{path}.*the step gives no hidden_states"):
        heads_of(blind)
    machine = machine_with(tmp_path, Circle())
    machine.vocabulary = 41
    with pytest.raises(BundleError, match=f"{path}the heads know 40 tokens and the model 41"):
        heads_of(machine)
    graph = heads_of(machine_with(tmp_path, Circle()))._graph
    port, spec = machine.program.decode.hidden or (("", ""), None)
    assert spec is not None and graph.hidden == 8
    machine.vocabulary = V
    machine.program = replace(machine.program, decode=replace(machine.program.decode, hidden=(port, replace(
        spec, shape=(1, "n", 16)))))  # fmt: skip
    with pytest.raises(BundleError, match=f"{path}the heads take hidden states of 8 numbers and the model's have 16"):
        heads_of(machine)
    Toy().write(tmp_path, ["head"])
    (tmp_path / "head.onnx").replace(tmp_path / "heads.onnx")
    with pytest.raises(GraphError, match=r"heads should take hidden_states \[1, columns, hidden\]"):
        heads_of(machine_with(tmp_path, Circle()))


def test_a_strategy_that_leads_nowhere_is_refused() -> None:
    """When the file is read, before a graph is opened."""

    def parsed(flow: list[dict[str, Any]], **strategy: Any) -> None:
        draft = {"producer": "extra_heads", **strategy.pop("draft", {})}
        data = {"pipeline": {"sessions": {"decoder": {"file": "d"}, "heads": {"file": "h"}}, "flow": flow,
                             "strategy": {"draft": draft, **strategy}, "state": {"kv_cache": {}}},
                "generation": {"max_length": 8}}  # fmt: skip
        parse_pipeline(data, "the file").check("the file")

    heads = {"heads": "heads"}
    parsed(STEP, draft=heads)
    for flow, asked, wrong in (
        (STEP, {}, r"draft\.heads: extra_heads are a session of this file: name it"),
        (STEP, {"draft": {"heads": "tails"}}, r"draft.heads: .* drafts with 'tails'"),
        ([*STEP, {"run": "heads"}], {"draft": heads}, r"draft\.heads: heads drafts, so no stage"),
        (STEP, {"draft": heads, "tree": {"topology": "medusa_choices"}}, r"tree\.medusa_choices: .* needs choices"),
        (STEP, {"draft": heads, "tree": {"medusa_choices": [[0], [1, 0]]}},
         r"tree\.medusa_choices\[1\]: \[1, 0\] follows"),
    ):  # fmt: skip
        with pytest.raises(BundleError, match=rf"at pipeline\.strategy\.{wrong}"):
            parsed(flow, **asked)
    assert Asked().heads is None


@pytest.mark.slow
def test_a_bundle_that_exposes_its_hidden_states(built: Built, sharp_qwen3: Path, tmp_path: Path) -> None:
    """Built with expose=hidden_states: they are eager transformers' own, and heads in the same folder draft."""
    import torch
    from transformers import AutoModelForCausalLM

    folder = tmp_path / "bundle"
    shutil.copytree(built(sharp_qwen3, capacity=96, expose="hidden_states"), folder)
    net = Net()
    rows = [net("MatMul", "hidden_states", net.const(np.random.default_rng(i).normal(0, 1, (64, 997)))) for i in (0, 1)]
    net("Concat", *(net("Unsqueeze", row, net.const([0], np.int64)) for row in rows), axis=0, out="logits")
    net.save(folder / "heads.onnx", {"hidden_states": (FLOAT, [1, "n", 64])}, {"logits": (FLOAT, [2, 1, "n", 997])})
    data = json.loads((folder / "pipeline.json").read_text())
    data["pipeline"]["sessions"]["heads"] = {"file": "heads.onnx"}
    data["pipeline"]["strategy"] = {"draft": {"producer": "extra_heads", "heads": "heads"}, "tree": {"max_nodes": 9}}
    (folder / "pipeline.json").write_text(json.dumps(data))
    write_manifest(folder)
    prompt = np.random.default_rng(0).integers(0, 997, 20).tolist()
    with open_engine(folder) as engine:
        [*feed_tokens(engine.machine, prompt)]
        assert isinstance(engine.draft, ExtraHeads)
        found = engine.draft._states.of(0, 20)
        model = AutoModelForCausalLM.from_pretrained(sharp_qwen3, dtype=torch.float32).eval()
        with torch.no_grad():
            wanted = model.model(torch.tensor([prompt])).last_hidden_state[0].numpy()
        assert found is not None
        np.testing.assert_allclose(found, wanted[-len(found) :], atol=1e-4)
        done = [*engine.generate(prompt, GenerateOptions(max_new_tokens=30))][-1]
    with open_engine(built(sharp_qwen3, capacity=96)) as alone:
        plain = [*alone.generate(prompt, GenerateOptions(max_new_tokens=30))][-1]
    assert isinstance(done, GenerationDone) and isinstance(plain, GenerationDone)
    assert done.token_ids == plain.token_ids and done.speculation is not None and done.speculation.drafted > 0
