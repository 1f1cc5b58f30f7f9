"""Requests: out and back, what each is answered with, and one sentence for each way to be wrong."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.workflows.wire.making import anything
from workflows.common.errors import RequestError
from workflows.wire.codec import PayloadMismatch, read
from workflows.wire.events import BuildDone, GenerationDone, ReadyEvent
from workflows.wire.reports.base import Done, Report
from workflows.wire.request_lines import Envelope, parse_line, read_request, to_line
from workflows.wire.requests import REQUESTS, Build, DiffGraphs, Generate, GraphReference, Open, Turn

WRONG: tuple[Any, ...] = (None, True, 7, 1.5, "x", [], [[]], {}, {"x": [[]]})
GOOD: dict[str, dict[str, Any]] = {
    "probe": {"source": "demo:qwen3"},
    "recipe": {"source": "demo:qwen3"},
    "warm": {},
    "build": {"source": "demo:qwen3", "out": "/b"},
    "import": {"folder": "/g", "out": "/b"},
    "export_genai": {"bundle": "/b", "out": "/g"},
    "export_gguf": {"bundle": "/b", "out": "/g.gguf"},
    "plan_assembly": {"files": {"decoder": "/d.onnx"}},
    "assemble": {"files": {"decoder": "/d.onnx"}, "out": "/b"},
    "inspect": {"path": "/b"},
    "graph": {"where": {"path": "/b"}},
    "diff": {"before": {"path": "/a"}, "after": {"path": "/b"}},
    "tensor": {"where": {"path": "/b"}, "name": "w"},
    "rounding": {"where": {"path": "/b"}},
    "netron": {"where": {"path": "/b"}},
    "verify": {"bundle": "/b"},
    "sound": {"path": "/s.wav"},
    "form": {"form": "regex", "text": "a+"},
    "prune": {"keep": 100},
    "bench": {"bundle": "/b"},
    "profile": {"path": "/b"},
    "eval": {"bundle": "/b", "against": "demo:qwen3"},
    "eval_tasks": {"bundle": "/b", "tasks": ["hellaswag"]},
    "add_machine": {"name": "npu", "address": "ssh://npu"},
    "check_machine": {"name": "npu"},
    "sweep": {"plan": "/p.toml", "out": "/r"},
    "diverge": {"a": {"bundle": "/a"}, "b": {"bundle": "/b"}, "prompt": "x"},
    "record_values": {
        "comparison": {"a": {"bundle": "/a"}, "b": {"bundle": "/b"}, "prompt": "x"},
        "path": "/r",
    },
    "devices": {},
    "capabilities": {"folder": "/b"},
    "install": {"provider": "qnn"},
    "uninstall": {"provider": "qnn"},
    "plugin": {"provider": "qnn"},
    "part": {},
    "install_part": {},
    "preflight": {"bundle": "/b", "provider": "qnn"},
    "compile": {"bundle": "/b", "provider": "qnn"},
    "report": {"out": "/r.html", "bundle": "/b"},
    "open": {"bundle": "/b"},
    "generate": {"prompt": "x"},
    "draft": {},
    "rewind": {"length": 3},
    "save_cache": {"path": "/c"},
    "load_cache": {"path": "/c"},
    "embed": {"bundle": "/b", "texts": ["x"]},
    "label": {"bundle": "/b", "texts": ["x"]},
    "label_pictures": {"bundle": "/b", "pictures": ["/p.png"]},
    "depth": {"bundle": "/b", "picture": "/p.png", "folder": "/d"},
    "try_graph": {"path": "/g.onnx"},
    "close": {},
    "tune": {"source": "demo:qwen3"},
    "ping": {},
    "cancel": {"target": 3},
}


def test_every_job_has_its_smallest_request() -> None:
    """The table above, which the tests below go through."""
    assert GOOD.keys() == REQUESTS.keys()
    for job, given_fields in GOOD.items():
        assert type(read_request(Envelope(1, job, given_fields))) is REQUESTS[job]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.data())
def test_out_and_back(data: st.DataObject) -> None:
    """Whatever a request holds, one line carries it."""
    kind = data.draw(st.sampled_from(list(REQUESTS.values())))
    try:
        request = data.draw(anything(kind))
    except RequestError:  # what its fields mean together is checked when it is made
        assume(False)
    line = to_line(7, request)
    envelope = parse_line(line)
    assert "\n" not in line and (envelope.id, envelope.job) == (7, kind.job)
    assert read_request(envelope) == request


def test_a_line_by_hand() -> None:
    """The format itself, so that a change of it is seen."""
    assert json.loads(to_line(3, Build("demo:qwen3", "/b", {"capacity": 64}, ("ab",)))) == {
        "id": 3,
        "job": "build",
        "source": "demo:qwen3",
        "out": "/b",
        "options": {"capacity": 64},
        "consented": ["ab"],
        "trust_remote_code": False,
        "force": False,
        "goal": None,
    }
    assert json.loads(to_line(4, DiffGraphs(GraphReference("/a"), GraphReference("/b", "decode", "export")))) == {
        "id": 4,
        "job": "diff",
        "before": {"path": "/a", "component": "", "stage": ""},
        "after": {"path": "/b", "component": "decode", "stage": "export"},
    }
    assert json.loads(to_line(5, Generate(messages=(Turn("user", "é"),))))["messages"] == [
        {"role": "user", "content": "é", "pictures": [], "sounds": []}
    ]


@pytest.mark.parametrize("job", REQUESTS)
def test_the_answer_is_a_report_or_an_event_of_its_own(job: str) -> None:
    """What the window reads a result as."""
    answer = REQUESTS[job].answer
    made = dict.fromkeys(("build", "import", "export_genai", "export_gguf", "assemble"), BuildDone)
    own = {**made, "open": ReadyEvent, "generate": GenerationDone, "cancel": type(None)}
    assert answer is own[job] if job in own else issubclass(answer, Report)
    plain = ("warm", "form", "prune", "record_values", "draft", "rewind", "save_cache", "load_cache", "close", "ping")
    assert (answer is Done) == (job in plain)


def cases() -> list[tuple[str, dict[str, Any], str]]:
    """(job, fields, what the sentence says) of each required field that is missing and each field that is wrong."""
    found = []
    for job, good in GOOD.items():
        found.append((job, {**good, "speed": 9}, "takes no 'speed'"))
        hints = get_type_hints(REQUESTS[job])
        for one in fields(REQUESTS[job]):
            if one.default is MISSING and one.default_factory is MISSING:
                rest = {name: value for name, value in good.items() if name != one.name}
                found.append((job, rest, f"lacks its {one.name!r}"))
            if hints[one.name] == dict[str, object]:
                found += [(job, {**good, one.name: wrong}, f"needs an object as its {one.name!r}") for wrong in (7, [])]
                continue
            refused = [wrong for wrong in WRONG if not readable(hints[one.name], wrong)]
            assert len(refused) >= 5, (job, one.name)
            found += [(job, {**good, one.name: wrong}, f"'{one.name}") for wrong in refused]
    return found


def readable(kind: Any, value: object) -> bool:
    try:
        read(kind, value)
    except PayloadMismatch:
        return False
    return True


def test_every_wrong_field_is_one_sentence_that_names_it() -> None:
    """Missing, unknown, of another type: over all requests, and never anything but a RequestError."""
    table = cases()
    assert len(table) > 150
    for job, given_fields, words in table:
        with pytest.raises(RequestError) as caught:
            read_request(Envelope(1, job, given_fields))
        said = str(caught.value)
        assert said.startswith(f"The job {job} ") and said.endswith(".") and "\n" not in said
        assert words in said, (job, given_fields, said)


@pytest.mark.parametrize(
    ("job", "given_fields", "sentence"),
    [
        ("dance", {}, "No job is called 'dance': there are open, generate, rewind"),
        ("probe", {"source": 5}, "The job probe needs a text as its 'source'."),
        ("probe", {"source": "x", "trust_remote_code": True}, "The job probe takes no 'trust_remote_code'."),
        ("recipe", {"source": "x", "options": [1]}, "The job recipe needs an object as its 'options'."),
        ("build", {"source": "x", "out": "y", "force": 1}, "The job build needs true or false as its 'force'."),
        ("build", {"source": "x", "out": "y", "consented": "ab"}, "needs a list of texts as its 'consented'."),
        ("graph", {"where": {"path": 1}}, "The job graph needs a text as its 'where.path'."),
        ("graph", {"where": {}}, "The job graph lacks its 'where.path'."),
        ("bench", {"bundle": "b", "repeats": True}, "The job bench needs a whole number as its 'repeats'."),
        ("open", {"bundle": "b", "capacity": 0}, "The capacity cannot be 0: give a whole number above 0."),
        ("open", {"bundle": "b", "session_options": {"threads": 2}}, "needs a text as its 'session_options.threads'."),
        ("generate", {}, "The job generate lacks its 'messages', 'prompt', 'prompt_ids' or 'sound'."),
        ("generate", {"prompt_ids": [1, "2"]}, "The job generate needs a list of whole numbers as its 'prompt_ids'."),
        ("generate", {"messages": [{"role": "user"}]}, "The job generate lacks its 'messages[0].content'."),
        ("rewind", {"length": "all"}, "The job rewind needs a whole number as its 'length'."),
        ("probe", {"source": "x", "\x1b[31m": 1}, "The job probe takes no '\ufffd[31m'."),
    ],
)
def test_the_sentences(job: str, given_fields: dict[str, Any], sentence: str) -> None:
    """Word for word."""
    with pytest.raises(RequestError) as caught:
        read_request(Envelope(1, job, given_fields))
    assert sentence in str(caught.value)


@pytest.mark.parametrize("text", ["", "nonsense", "5", "[]", "{}", '{"id":1}', '{"id":true,"job":"x"}', "[" * 100_000])
def test_what_is_no_request(text: str) -> None:
    """There is nobody to be answered."""
    with pytest.raises(RequestError, match="no JSON object with an id and a job"):
        parse_line(text)


def test_a_request_cannot_be_changed() -> None:
    """It is kept to be asked again."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Open("/b").bundle = "/c"  # type: ignore[misc]
