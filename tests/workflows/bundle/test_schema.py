"""pipeline.json: what is refused and where, what survives a round trip, and the route that the structure gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.workflows.bundle.making import pipeline
from workflows.bundle.schema import parse_pipeline
from workflows.common.errors import BundleError


def changed(path: str, value: Any) -> dict[str, Any]:
    """The sound pipeline with the value at a dotted path replaced, or added."""
    data = json.loads(json.dumps(pipeline()))
    *parents, last = path.split(".")
    here = data
    for part in parents:
        here = here[int(part)] if isinstance(here, list) else here[part]
    here[int(last) if isinstance(here, list) else last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "names"),
    [
        ("surprise", 1, "at surprise:"),
        ("pipeline.sessions.decode.surprise", 1, "at pipeline.sessions.decode.surprise:"),
        ("pipeline.flow.1.when", "sometimes", "at pipeline.flow[1].when:"),
        ("pipeline.sessions.decode.file", "../decode.onnx", "at pipeline.sessions.decode.file:"),
        ("pipeline.sessions.decode.file", "/decode.onnx", "at pipeline.sessions.decode.file:"),
        ("pipeline.sessions.decode.file", "a\\b.onnx", "at pipeline.sessions.decode.file:"),
        ("pipeline.sessions", {}, "at pipeline.sessions:"),
        ("pipeline.flow", [], "at pipeline.flow:"),
        ("pipeline.flow.1.run", "gone", "flow runs 'gone', which is not a session"),
        ("pipeline.dataflow", [{"from": "gone.x", "to": "decode.y"}], "dataflow names 'gone.x'"),
        ("pipeline.dataflow", [{"from": "prefill.x", "to": "gone.y"}], "dataflow names 'gone.y'"),
        ("pipeline.dataflow", [{"from": "prefill", "to": "decode.y"}], "at pipeline.dataflow[0].from:"),
        ("pipeline.state.kv_cache", {"past_key_pattern": "past.key"}, "past_key_pattern must hold %d exactly once"),
        *(
            ("pipeline.state.kv_cache", {name: f"x.%d.{more}"}, f"{name} must hold %d exactly once")
            for name in ("past_key_pattern", "past_value_pattern", "present_key_pattern", "present_value_pattern")
            for more in ("%n", "%s", "%", "%%", "%d", "%(a)s")
        ),
        ("pipeline.state.kv_cache", {"present_key_pattern": "present.%d.value"}, "present_value_pattern name the same"),
        ("pipeline.state.kv_cache", {"past_value_pattern": "past_key_values.%d.key"}, "value_pattern name the same"),
        ("version", 1, "at version:"),
        ("generation.max_length", 0, "at generation.max_length:"),
        ("generation.max_length", 10**30, "at generation.max_length:"),
        ("metadata.vocabulary", "many", "at metadata.vocabulary:"),
        ("metadata.chunk", -1, "at metadata.chunk:"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(path: str, value: Any, names: str) -> None:
    """One sentence that says where in the file the fault is."""
    with pytest.raises(BundleError) as raised:
        parse_pipeline(changed(path, value), "x/pipeline.json")
    message = str(raised.value)
    assert message.startswith("x/pipeline.json is not a pipeline that Joinery can run: at ")
    assert names in message
    assert "\n" not in message


@pytest.mark.parametrize("data", [None, [], "text", 5, {}])
def test_something_else_altogether_is_refused(data: Any) -> None:
    """JSON that is no pipeline at all."""
    with pytest.raises(BundleError, match="is not a pipeline"):
        parse_pipeline(data, "x")


def test_round_trip_keeps_every_value() -> None:
    """What is written reads back equal, edges under their names in the file."""
    data = changed("pipeline.dataflow", [{"from": "prefill.hidden", "to": "decode.hidden"}])
    data["metadata"]["a fact of a later version"] = [1, 2]
    data["tokens"] = {"eos": [2, 7], "pad": 0}
    first = parse_pipeline(data, "x")
    again = parse_pipeline(json.loads(first.to_json()), "x")
    assert again == first
    assert json.loads(first.to_json())["pipeline"]["dataflow"] == [{"from": "prefill.hidden", "to": "decode.hidden"}]
    assert again.metadata.model_dump()["a fact of a later version"] == [1, 2]
    assert (again.tokens.eos, again.tokens.pad, again.tokens.bos) == ([2, 7], 0, None)


def test_route_comes_from_the_structure_and_not_from_names() -> None:
    """Init and step with a cache is prefill-decode, whatever the sessions and the model are called."""
    split = pipeline()
    split["pipeline"]["sessions"] = {"a": {"file": "a.onnx"}, "b": {"file": "b.onnx"}}
    split["pipeline"]["flow"] = [{"run": "a", "when": "init"}, {"run": "b", "when": "step"}]
    assert parse_pipeline(split, "x").route == "prefill-decode"
    assert parse_pipeline(changed("pipeline.flow", [{"run": "decode"}]), "x").route == "decoder"
    assert parse_pipeline(changed("pipeline.state", {}), "x").route == "single"


def test_role_is_the_recorded_one_else_the_name() -> None:
    """A component without a record plays the role that it is named after."""
    data = changed("metadata.components", [{"name": "decode", "role": "step of one token"}])
    read = parse_pipeline(data, "x")
    assert (read.metadata.role("decode"), read.metadata.role("prefill")) == ("step of one token", "prefill")


def test_a_file_omits_what_does_not_apply() -> None:
    """Facts of other people's graphs are left out where there are none; a combined cache names no values apart."""
    plain = json.loads(parse_pipeline(pipeline(), "the file").to_json())
    assert not {"carried", "names", "genai", "counts", "kv_heads"} & plain["metadata"].keys()
    facts = {"carried": {"decode.x": "y"}, "names": {"decode.a": "b"}, "counts": True, "genai": {"model": {}}}
    said = pipeline()
    said["metadata"] |= facts
    said["pipeline"]["state"] = {"kv_cache": {"format": "combined"}}
    written = parse_pipeline(said, "the file")
    again = json.loads(written.to_json())
    assert {key: again["metadata"][key] for key in facts} == facts
    assert again["pipeline"]["state"]["kv_cache"] == {
        "format": "combined", "past_key_pattern": "past_%d", "present_key_pattern": "present_%d",
    }  # fmt: skip
    assert parse_pipeline(again, "the file") == written
