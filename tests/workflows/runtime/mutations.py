"""Pipeline files changed at random, each run: `python -m tests.workflows.runtime.mutations BUNDLE SEED N`.

A process of its own, so that a signal is a finding and not the end of the tests. It prints a JSON object a mutation:
what was changed, and either the tokens or the error.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from workflows.bundle import Bundle, read_bundle
from workflows.bundle.read import PIPELINE
from workflows.common.errors import BundleError
from workflows.generate import Engine, GenerateOptions
from workflows.runtime import device_named, open_machine
from workflows.wire.events import GenerationDone

PROMPT = [5, 17, 29, 101, 7, 64, 33] * 10  # more than one chunk
NEW = 5
Data = dict[str, Any]
Mutation = Callable[[Data, random.Random], str]


def tokens_of(bundle: Bundle, window: int | None = None) -> list[int]:
    """What the bundle generates after the prompt, or after the source. window: of a cache that a person asks for."""
    cache = "window" if window else None
    engine = Engine(bundle, open_machine(bundle, device_named("cpu"), cache=cache, capacity=window), 0.0)
    *_, done = engine.generate(PROMPT, GenerateOptions(max_new_tokens=NEW), eos=[])
    assert isinstance(done, GenerationDone)
    return done.token_ids


def mutants(bundle: Bundle, seed: int, count: int) -> Iterator[tuple[list[str], Data]]:
    """`count` changed files, each with what was changed: one thing, or two."""
    chances = random.Random(seed)
    original = json.loads(bundle.pipeline.to_json())
    for _ in range(count):
        data = copy.deepcopy(original)
        yield [_changed(chances.choice(MUTATIONS), data, chances) for _ in range(chances.choice((1, 1, 2)))], data


def _changed(mutation: Mutation, data: Data, chances: random.Random) -> str:
    try:
        return mutation(data, chances)
    except (KeyError, IndexError, TypeError, AttributeError):
        return "nothing: the change before it left no place for it"


def outcome(folder: Path, data: Data) -> Data:
    """The tokens of the bundle in `folder` with this pipeline file, or how it was refused."""
    (folder / PIPELINE).write_text(json.dumps(data), "utf-8")
    try:
        changed = read_bundle(folder)
        window = changed.pipeline.window
        return {"tokens": tokens_of(changed), "window": window and window.size}
    except BundleError as error:
        return {"refused": str(error)}


def _flow(data: Data) -> list[Data]:
    return data["pipeline"]["flow"]  # type: ignore[no-any-return]


def _edges(data: Data) -> list[Data]:
    return data["pipeline"].setdefault("dataflow", [])  # type: ignore[no-any-return]


def _name(data: Data, chances: random.Random) -> str:
    return chances.choice(list(data["pipeline"]["sessions"]))


def repeat_stage(data: Data, chances: random.Random) -> str:
    stage = dict(chances.choice(_flow(data)))
    _flow(data).insert(chances.randrange(len(_flow(data)) + 1), stage)
    return f"repeats {stage}"


def drop_stage(data: Data, chances: random.Random) -> str:
    return f"drops {_flow(data).pop(chances.randrange(len(_flow(data))))}" if _flow(data) else "nothing"


def retime_stage(data: Data, chances: random.Random) -> str:
    stage = chances.choice(_flow(data) or [{}])
    stage["when"] = chances.choice(("init", "step", "final"))
    return f"is now {stage}"


def rename_stage(data: Data, chances: random.Random) -> str:
    stage = chances.choice(_flow(data) or [{}])
    stage["run"] = _name(data, chances)
    return f"is now {stage}"


def add_stage(data: Data, chances: random.Random) -> str:
    stage = {"run": _name(data, chances), "when": chances.choice(("init", "step"))}
    _flow(data).insert(chances.randrange(len(_flow(data)) + 1), stage)
    return f"adds {stage}"


def shuffle_flow(data: Data, chances: random.Random) -> str:
    chances.shuffle(_flow(data))
    return "shuffles the flow"


def drop_edge(data: Data, chances: random.Random) -> str:
    return f"drops {_edges(data).pop(chances.randrange(len(_edges(data))))}" if _edges(data) else "nothing"


def repeat_edge(data: Data, chances: random.Random) -> str:
    if not _edges(data):
        return add_edge(data, chances)
    _edges(data).append(dict(chances.choice(_edges(data))))
    return f"repeats {_edges(data)[-1]}"


def retarget_edge(data: Data, chances: random.Random) -> str:
    if not _edges(data):
        return add_edge(data, chances)
    edge = chances.choice(_edges(data))
    edge[chances.choice(("from", "to"))] = _tensor(data, chances)
    return f"is now {edge}"


def swap_edge(data: Data, chances: random.Random) -> str:
    if not _edges(data):
        return add_edge(data, chances)
    edge = chances.choice(_edges(data))
    edge["from"], edge["to"] = edge["to"], edge["from"]
    return f"is now {edge}"


def add_edge(data: Data, chances: random.Random) -> str:
    _edges(data).append({"from": _tensor(data, chances), "to": _tensor(data, chances)})
    return f"adds {_edges(data)[-1]}"


TENSORS = ("logits", "input_ids", "position_ids", "attention_mask", "inputs_embeds", "hidden_states", "source_mask",
           "past_key_values.0.key", "present.0.key", "present.1.value", "cross.0.key", "cross.1.value", "seqlens_k",
           "total_sequence_length", "no.such")  # fmt: skip


def _tensor(data: Data, chances: random.Random) -> str:
    return f"{_name(data, chances)}.{chances.choice(TENSORS)}"


def swap_files(data: Data, chances: random.Random) -> str:
    sessions = data["pipeline"]["sessions"]
    name, other = _name(data, chances), _name(data, chances)
    sessions[name]["file"] = chances.choice((sessions[other]["file"], "gone.onnx"))
    return f"{name} has the file {sessions[name]['file']}"


def add_session(data: Data, chances: random.Random) -> str:
    sessions = data["pipeline"]["sessions"]
    for number in range(chances.choice((1, 2, 12))):
        sessions[f"extra{number}"] = copy.deepcopy(sessions[_name(data, chances)])
    return f"has {len(sessions)} sessions"


def drop_session(data: Data, chances: random.Random) -> str:
    name = _name(data, chances)
    del data["pipeline"]["sessions"][name]
    data["pipeline"]["sessions"] = data["pipeline"]["sessions"] or {"only": {"file": "gone.onnx"}}
    return f"lacks {name}"


def set_runtime(data: Data, chances: random.Random) -> str:
    name = _name(data, chances)
    runtime = data["pipeline"]["sessions"][name].setdefault("session_options", {}).setdefault("runtime", {})
    key, inner = chances.choice((("chunked_prefill", "max_batched_tokens"), ("sliding_window", "size")))
    runtime[key] = {inner: chances.choice((0, 3, 64, 65, 100, 5000))}
    return f"{name} has {key} {runtime[key]}"


def set_state(data: Data, chances: random.Random) -> str:
    state = data["pipeline"]["state"]
    key = chances.choice(("kv_cache", "cross_cache", "pattern", "format"))
    if key in ("kv_cache", "cross_cache") and state.pop(key, None) is not None:
        return f"lacks {key}"
    if key == "format":
        state.setdefault("kv_cache", {})["format"] = chances.choice(("auto", "combined"))
    elif key == "pattern":
        names = [f"{one}_{role}_pattern" for one in ("past", "present") for role in ("key", "value")]
        value = chances.choice(("past.%d.key", "present.%d.key", "present.%d.value", "%d", "plain"))
        state.setdefault("kv_cache", {})[chances.choice(names)] = value
    else:
        state["cross_cache"] = {"source": _name(data, chances)}
    return f"state {state}"


def set_length(data: Data, chances: random.Random) -> str:
    data["generation"] = chances.choice((None, {"max_length": 0}, {"max_length": 100}, {"max_length": 1 << 20}))
    return f"generation {data['generation']}"


JUNK: tuple[Any, ...] = (None, -1, 0, 2.5, "", "x", "init", "final", "step", [], {}, True, [[]], {"x": 1}, 1 << 70)


def spoil_anything(data: Data, chances: random.Random) -> str:
    """Any value below `pipeline`, however deep, becomes junk, goes, or gets a stranger beside it."""
    path, here = ["pipeline"], data["pipeline"]
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            return "nothing"
        key = chances.choice(keys)
        path.append(str(key))
        if not isinstance(here[key], dict | list) or not here[key] or chances.random() < 0.3:
            break
        here = here[key]
    way = chances.choice(("junk", "gone", "stranger"))
    if way == "junk":
        here[key] = copy.deepcopy(chances.choice(JUNK))
    elif way == "gone":
        del here[key]
    elif isinstance(here, dict):
        here["stranger"] = copy.deepcopy(chances.choice(JUNK))
    return f"{'.'.join(path)}: {way}"


def set_word(data: Data, chances: random.Random) -> str:
    """A word of the schema that these bundles do not need: presets, loops, sources, strategies, options."""
    flow, name = data["pipeline"], _name(data, chances)
    stage, options = chances.choice(_flow(data) or [{}]), flow["sessions"][name].setdefault("session_options", {})
    words: tuple[tuple[Data, str, tuple[Any, ...]], ...] = (
        (flow, "extends", ("vision-language", "autoregressive-decoder", "encoder-decoder", "nothing")),
        (stage, "loop", ("per_image", "batched", "both")),
        (stage, "cross_attention_from", (name, "nobody")),
        (flow, "strategy", ({"kind": "speculative"}, {"kind": "tree"}, {"num_speculative_tokens": 0})),
        (flow, "roles", ({"target": name}, {"draft": 5})),
        (flow, "controller", ({"library": "x.so", "entry_point": "run"}, {"library": "../x.so", "entry_point": "run"})),
        (flow["state"], "position_ids", ({"strategy": "mrope_3d"}, {"input_name": "elsewhere"}, {"grid_source": "x"},
                                         {"strategy": "windowed"})),
        (options, "runtime", ({"paging": {"enabled": True}}, {"kv_cache": {"dtype": "int4"}}, {"extra_heads": "mtp"},
                              {"prefix_cache": {"enabled": False}})),
        (options, "build_requires", ({"attention": "mqa"}, {"paging": {}}, {"extra_heads": "sliding_window"})),
        (options, "session.x", ("1", "../../etc", 1)),
        (options, "custom_ops_library", ("x.so",)),
        (options, "intra_op_num_threads", (1, -1, "two")),
    )  # fmt: skip
    place, key, values = chances.choice(words)
    place[key] = copy.deepcopy(chances.choice(values))
    return f"{key} is {place[key]}"


MUTATIONS: tuple[Mutation, ...] = (
    repeat_stage, drop_stage, retime_stage, rename_stage, add_stage, shuffle_flow, drop_edge, repeat_edge,
    retarget_edge, swap_edge, add_edge, swap_files, add_session, drop_session, set_runtime, set_state, set_length,
    spoil_anything, spoil_anything, spoil_anything, set_word, set_word, set_word,
)  # fmt: skip


def main() -> None:
    """See the module."""
    folder, seed, count = sys.argv[1:]
    bundle = read_bundle(Path(folder))
    with tempfile.TemporaryDirectory() as place:
        copied = Path(shutil.copytree(folder, Path(place) / "bundle"))
        for changes, data in mutants(bundle, int(seed), int(count)):
            print(json.dumps({"changes": changes}), flush=True)  # before it runs: a signal leaves this line the last
            print(json.dumps(outcome(copied, data)), flush=True)


if __name__ == "__main__":
    main()
