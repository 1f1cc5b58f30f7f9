"""OpenAI's own client at /v1/responses: the same replies as chats, in the form of items and events."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import httpx2 as httpx
import openai
import pytest

from tests.workflows.conftest import Built
from tests.workflows.service.http.serving import DEMOS, TOKEN, Server
from tests.workflows.service.http.test_openai_client import QUESTION, expected
from tests.workflows.service.http.test_openai_client import TOOLS as CHAT_TOOLS
from workflows.bundle.strategy import LogitsOp
from workflows.generate.logits_chain import chain_with_options
from workflows.generate.options import GenerateOptions
from workflows.service.http.bodies import ChatBody, ResponseBody, most_calls
from workflows.service.http.replies import ServedReply, chat_choice
from workflows.service.http.response_items import ResponseObject
from workflows.service.http.served_model import OwnSampling, ServedModel
from workflows.service.http.settings import ServerSettings
from workflows.wire.events import CacheUse, GenerationDone, ToolCall

TOOLS: Any = [{"type": "function", "strict": True, **one["function"]} for one in CHAT_TOOLS]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


@pytest.fixture(scope="module")
def bundles(built: Built, calling: Path) -> dict[str, Path]:
    return {"demo": built("demo:qwen3"), "calling": calling, "pictures": built("demo:vision")}


def test_a_text_is_answered_as_the_engine_does(client: openai.OpenAI, bundles: dict[str, Path]) -> None:
    done = expected(bundles["demo"], max_new_tokens=20)
    response = client.responses.create(model="demo", input="8*7=")
    assert response.output_text == done.text == "8 * 7 = 56"
    assert (response.status, response.incomplete_details, response.error) == ("completed", None, None)
    assert (response.temperature, response.top_p) == (0.0, 1.0), "greedy, as it was generated"
    fields = response.to_dict()
    assert fields["completed_at"] >= fields["created_at"] and fields["service_tier"] == "default"
    assert (fields["presence_penalty"], fields["reasoning"], fields["prompt_cache_key"]) == (0.0, None, None)
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.output_tokens) == (len(done.prompt_ids), len(done.token_ids))
    again = client.responses.create(model="demo", input=[{"role": "user", "content": "8*7="}])
    assert again.usage is not None and again.output_text == done.text
    assert again.usage.input_tokens_details.cached_tokens == len(done.prompt_ids) - 1
    assert again.id != response.id
    cut = client.responses.create(model="demo", input="8*7=", max_output_tokens=3)
    assert cut.incomplete_details is not None and cut.incomplete_details.reason == "max_output_tokens"
    assert (cut.status, cut.output_text) == ("incomplete", "8 * ")
    drawn = expected(bundles["demo"], seed=5, temperature=1.5, top_p=0.9, max_new_tokens=8).text
    sampled = client.responses.create(
        model="demo", input="8*7=", temperature=1.5, top_p=0.9, max_output_tokens=8, extra_body={"seed": 5}
    )
    assert sampled.output_text == drawn


@pytest.mark.parametrize(
    ("chain", "own"),
    [
        ([], (0.0, 1.0)),
        ([{"op": "top_p", "value": 0.9}], (0.0, 0.9)),
        ([{"op": "sample"}], (1.0, 1.0)),
        ([{"op": "temperature", "value": 0.6}, {"op": "top_p", "value": 0.9}, {"op": "sample"}], (0.6, 0.9)),
    ],
)
def test_what_a_request_leaves_out_is_what_the_bundle_draws_with(
    bundles: dict[str, Path], tmp_path: Path, chain: list[dict[str, Any]], own: tuple[float, float]
) -> None:
    folder = tmp_path / "m"
    shutil.copytree(bundles["demo"], folder)
    pipeline = json.loads((folder / "pipeline.json").read_text("utf-8"))
    pipeline["generation"]["logits"] = chain
    (folder / "pipeline.json").write_text(json.dumps(pipeline), "utf-8")
    model = ServedModel("m", folder, ServerSettings(bundles={"m": folder}))
    assert model.own_sampling == own
    runs = chain_with_options([LogitsOp(**one) for one in chain], GenerateOptions())[1]
    assert runs.temperature == model.own_sampling.temperature, "as the engine runs it"
    response = ResponseObject(ResponseBody.model_validate({"input": "x", "top_p": 0.5}), "m", model.own_sampling)
    assert [response.object("in_progress")[name] for name in ("temperature", "top_p")] == [own[0], 0.5]


def test_items_are_a_conversation(client: openai.OpenAI) -> None:
    """Instructions, and a response's own output sent back, are the prompt of the same chat."""
    first = client.responses.create(model="demo", input="8*7=", instructions="Count.")
    chat: Any = [{"role": "system", "content": "Count."}, *QUESTION]
    alike = client.chat.completions.create(model="demo", messages=chat)
    assert first.output_text == alike.choices[0].message.content and alike.usage is not None
    assert first.usage is not None and first.usage.input_tokens == alike.usage.prompt_tokens
    items: Any = [{"role": "user", "content": [{"type": "input_text", "text": "8*7="}]}, *first.output,
                  {"type": "message", "role": "user", "content": "2*3="}]  # fmt: skip
    second = client.responses.create(model="demo", input=items, instructions="Count.")
    chat += [{"role": "assistant", "content": first.output_text}, {"role": "user", "content": "2*3="}]
    alike = client.chat.completions.create(model="demo", messages=chat)
    assert second.output_text == alike.choices[0].message.content and alike.usage is not None
    assert second.usage is not None and second.usage.input_tokens == alike.usage.prompt_tokens


def test_a_stream_has_the_api_s_events(client: openai.OpenAI) -> None:
    asked: Any = {"model": "demo", "input": "8*7=", "include": ["message.output_text.logprobs"], "top_logprobs": 2}
    whole = client.responses.create(**asked)
    events = list(client.responses.create(**asked, stream=True))
    kinds = [one.type for one in events]
    assert kinds[:4] == ["response.created", "response.in_progress", "response.output_item.added",
                         "response.content_part.added"]  # fmt: skip
    assert kinds[-4:] == ["response.output_text.done", "response.content_part.done", "response.output_item.done",
                          "response.completed"]  # fmt: skip
    assert set(kinds[4:-4]) == {"response.output_text.delta"}
    assert [one.sequence_number for one in events] == list(range(len(events)))
    deltas = [one for one in events if one.type == "response.output_text.delta"]
    last = events[-1]
    assert last.type == "response.completed" and len(deltas) > 3
    assert "".join(one.delta for one in deltas) == last.response.output_text == whole.output_text
    assert {one.item_id for one in deltas} == {last.response.output[0].id}
    assert last.response.usage is not None and whole.usage is not None
    assert last.response.usage.output_tokens == whole.usage.output_tokens
    (part,) = whole.output[0].to_dict()["content"]  # type: ignore[misc]
    tokens = [token for one in deltas for token in one.logprobs]
    assert [(one.token, one.logprob) for one in tokens] == [(one["token"], one["logprob"]) for one in part["logprobs"]]
    assert len(tokens) > 5 and all(len(one.top_logprobs or ()) == 2 for one in tokens)


def test_the_client_s_own_stream_helper(client: openai.OpenAI) -> None:
    with client.responses.stream(model="demo", input="8*7=") as stream:
        pieces = [one.delta for one in stream if one.type == "response.output_text.delta"]
        final = stream.get_final_response()
    assert "".join(pieces) == final.output_text == "8 * 7 = 56" and final.status == "completed"


def test_a_response_fits_its_schema(client: openai.OpenAI) -> None:
    form: Any = {"format": {"type": "json_schema", "name": "number", "schema": SCHEMA, "strict": True}}
    response = client.responses.create(model="demo", input="8*7=", text=form, max_output_tokens=24)
    assert isinstance(json.loads(response.output_text)["n"], int)
    with pytest.raises(openai.BadRequestError, match=r"text\.format is text, json_object or json_schema"):
        client.responses.create(model="demo", input="8*7=", text={"format": {"type": "xml"}})  # type: ignore[typeddict-item]


def test_functions_are_called_and_their_outputs_read(client: openai.OpenAI) -> None:
    def ask(items: Any = "8*7=", **more: Any) -> Any:
        return client.responses.create(model="calling", input=items, tools=TOOLS, max_output_tokens=60, **more)

    named = {"tool_choice": {"type": "function", "name": "find"}, "temperature": 1.0, "extra_body": {"seed": 3}}
    response = ask(**named)
    (call,) = response.output
    assert (call.type, call.name, call.status) == ("function_call", "find", "completed")
    assert json.loads(call.arguments)["word"] in ("cat", "dog") and response.status == "completed"
    events = list(ask(**named, stream=True))
    assert [one.type for one in events][2:] == [
        "response.output_item.added", "response.function_call_arguments.delta",
        "response.function_call_arguments.done", "response.output_item.done", "response.completed",
    ]  # fmt: skip
    assert events[-1].response.output[0].arguments == events[-3].arguments == call.arguments
    assert events[-1].response.output[0].call_id == events[2].item.call_id
    question = {"role": "user", "content": "8*7="}
    answered = [question, call, {"type": "function_call_output", "call_id": call.call_id, "output": "a cat"}]
    after = ask(answered)
    chat: Any = [*QUESTION, {"role": "assistant", "tool_calls": [{
        "id": call.call_id, "type": "function", "function": {"name": "find", "arguments": call.arguments}}]},
        {"role": "tool", "tool_call_id": call.call_id, "name": "find", "content": "a cat"}]  # fmt: skip
    alike = client.chat.completions.create(model="calling", messages=chat, tools=CHAT_TOOLS, max_tokens=60)
    assert after.output_text == alike.choices[0].message.content and alike.usage is not None
    assert after.usage.input_tokens == alike.usage.prompt_tokens > response.usage.input_tokens
    with pytest.raises(openai.BadRequestError, match="names a call that is not in input"):
        ask([question, {"type": "function_call_output", "call_id": "call_other", "output": "a cat"}])


@pytest.mark.parametrize(("parallel", "count"), [(None, 2), (True, 2), (False, 1)])
def test_one_call_alone_where_calls_may_not_be_parallel(parallel: bool | None, count: int) -> None:
    body = ResponseBody.model_validate({"input": "x", "parallel_tool_calls": parallel})
    response = ResponseObject(body, "m", OwnSampling(0.0, 1.0))
    calls = [ToolCall(name="find", arguments="{}"), ToolCall(name="end", arguments="{}")]
    cache = CacheUse(layout="static", capacity=2, used=1, bytes=3, evicted=0)
    done = GenerationDone(
        prompt_ids=[1], token_ids=[2], text="", finish_reason="eos", ttft_ms=1, decode_tokens_per_s=1,
        prefill_tokens_per_s=1, provider="cpu", cache=cache, calls=calls,
    )  # fmt: skip
    response.reply.take(done)
    assert [one["name"] for one in response.output] == ["find", "end"][:count]
    assert response.output == response.output, "an item keeps its id"
    chat = ChatBody.model_validate({"messages": [{"role": "user", "content": "x"}], "parallel_tool_calls": parallel})
    reply = ServedReply(most_calls(chat))
    reply.take(done)
    assert len(chat_choice(reply, 0, False)["message"]["tool_calls"]) == count


def test_a_picture_is_read_from_the_request_alone(client: openai.OpenAI) -> None:
    picture = DEMOS / "vision-pictures" / "2-four-black-squares.png"
    url = "data:image/png;base64," + base64.b64encode(picture.read_bytes()).decode()

    def ask(where: str) -> str:
        parts: Any = [{"type": "input_image", "image_url": where}, {"type": "input_text", "text": "How many squares?"}]
        return client.responses.create(model="pictures", input=[{"role": "user", "content": parts}]).output_text

    chat: Any = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}},
                                              {"type": "text", "text": "How many squares?"}]}]  # fmt: skip
    alike = client.chat.completions.create(model="pictures", messages=chat)
    assert ask(url) == alike.choices[0].message.content != ""
    for elsewhere in (picture.as_uri(), "http://127.0.0.1/a.png", str(picture)):
        with pytest.raises(openai.BadRequestError, match="fetches nothing"):
            ask(elsewhere)


@pytest.mark.parametrize(
    ("more", "param", "said"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id", "keeps no response"),
        ({"store": True}, "store", "keeps no response"),
        ({"bogus": 1}, "bogus", "does not know bogus"),
        ({"reasoning": {"effort": "low"}}, "reasoning", "does not know reasoning"),
        ({"background": True}, "background", "background is wrong"),
        ({"truncation": "auto"}, "truncation", "truncation is wrong"),
        ({"tools": [{"type": "web_search"}]}, "tools", "functions with a name"),
        ({"input": []}, "input", "at least 1"),
        ({"input": [{"type": "item_reference", "id": "msg_1"}]}, "input", "input"),
        ({"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}]}, "input", "The parts of"),
        ({"input": [{"type": "message", "role": "robot", "content": "x"}]}, "input", "role"),
        ({"temperature": 9}, "temperature", "temperature is wrong"),
        ({"input": "8*7= " * 4000}, "", "tokens"),
        ({"input": 5}, "input", "valid array"),
        ({"tools": TOOLS, "text": {"format": {"type": "json_object"}}}, "text.format", "one constraint"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_what_has_no_form_is_refused(server: Server, more: dict[str, Any], param: str, said: str) -> None:
    body = {"model": "demo", "input": "8*7="} | more
    answer = httpx.post(f"{server.url}/responses", json=body, headers={"Authorization": f"Bearer {TOKEN}"})
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (400, "invalid_request_error"), answer.text
    assert (error["param"] or "").startswith(param) and said in error["message"], error
