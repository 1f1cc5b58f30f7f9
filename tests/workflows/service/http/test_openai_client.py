"""OpenAI's own client against a running server: its answers are those of the engine."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import httpx2 as httpx
import openai
import pytest

from tests.workflows.conftest import Built
from tests.workflows.predict.text_bundles import made_bundle
from tests.workflows.service.http.serving import DEMOS, TOKEN, Server
from workflows.bundle.text_tasks import ClassificationSettings, EmbeddingSettings, NormalizeStep
from workflows.generate import GenerateOptions, open_engine
from workflows.predict import open_classifier, open_embedder
from workflows.wire.events import GenerationDone

QUESTION: Any = [{"role": "user", "content": "8*7="}]
TOOLS: Any = [
    {"type": "function", "function": {"name": "find", "description": "Finds a word.", "parameters": {
        "type": "object", "properties": {"word": {"enum": ["cat", "dog"]}}, "required": ["word"],
        "additionalProperties": False}}},
    {"type": "function", "function": {"name": "end", "parameters": {"type": "object", "properties": {},
                                                                   "additionalProperties": False}}},
]  # fmt: skip


@pytest.fixture(scope="module")
def bundles(built: Built, calling: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("served")
    vectors = EmbeddingSettings(pooling=["mean"], steps=[NormalizeStep()])
    scores = ClassificationSettings(labels=["score"])
    return {
        "demo": built("demo:qwen3"),
        "calling": calling,
        "speech": built("demo:whisper"),
        "pictures": built("demo:vision"),
        "vectors": made_bundle(folder / "vectors", embedding=vectors, task="feature-extraction"),
        "scores": made_bundle(
            folder / "scores", "logits", 1, tokens=12, task="text-classification", classification=scores
        ),
    }


def expected(bundle: Path, **options: Any) -> GenerationDone:
    """What the engine itself replies to QUESTION."""
    with open_engine(bundle) as engine:
        *_, done = engine.generate(engine.encode_chat(QUESTION), GenerateOptions(**options))
    assert isinstance(done, GenerationDone)
    return done


def test_a_chat_is_the_engine_s(client: openai.OpenAI, bundles: dict[str, Path]) -> None:
    done = expected(bundles["demo"], max_new_tokens=20)
    reply = client.chat.completions.create(model="demo", messages=QUESTION)
    assert reply.choices[0].message.content == done.text == "8 * 7 = 56"
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (len(done.prompt_ids), len(done.token_ids))
    again = client.chat.completions.create(model="demo", messages=QUESTION)
    assert again.usage is not None and again.usage.prompt_tokens_details is not None
    assert again.usage.prompt_tokens_details.cached_tokens == len(done.prompt_ids) - 1


def test_a_stream_is_the_same_in_pieces(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="demo", messages=QUESTION, logprobs=True, top_logprobs=3)
    chunks = list(
        client.chat.completions.create(
            model="demo", messages=QUESTION, logprobs=True, top_logprobs=3, stream=True,
            stream_options={"include_usage": True},
        )
    )  # fmt: skip
    *pieces, last = chunks
    assert "".join(one.choices[0].delta.content or "" for one in pieces) == whole.choices[0].message.content
    assert [one.choices[0].finish_reason for one in pieces][-1] == "stop"
    assert last.usage is not None and whole.usage is not None and last.choices == []
    assert last.usage.completion_tokens == whole.usage.completion_tokens
    found = [token for one in pieces if one.choices[0].logprobs for token in one.choices[0].logprobs.content or ()]
    assert whole.choices[0].logprobs is not None and whole.choices[0].logprobs.content is not None
    assert [one.token for one in found] == [one.token for one in whole.choices[0].logprobs.content]
    assert "".join(one.token for one in found) == "8 * 7 = 56"
    assert all(len(one.top_logprobs) == 3 and one.top_logprobs[0].logprob == one.logprob < 0 for one in found)


def test_samples_are_drawn_by_seed_and_choice(client: openai.OpenAI, bundles: dict[str, Path]) -> None:
    reply = client.chat.completions.create(
        model="demo", messages=QUESTION, n=3, seed=5, temperature=1.5, top_p=0.9, max_tokens=8
    )
    own = [expected(bundles["demo"], seed=5 + i, temperature=1.5, top_p=0.9, max_new_tokens=8).text for i in range(3)]
    assert [one.message.content for one in reply.choices] == own
    assert [one.index for one in reply.choices] == [0, 1, 2]


def test_biases_stops_and_penalties(client: openai.OpenAI, bundles: dict[str, Path]) -> None:
    done = expected(bundles["demo"], max_new_tokens=20)
    biased = client.chat.completions.create(
        model="demo", messages=QUESTION, logit_bias={str(done.token_ids[0]): -100}, max_tokens=8
    )
    assert biased.choices[0].message.content != done.text
    stopped = client.chat.completions.create(model="demo", messages=QUESTION, stop=[" ="])
    assert (stopped.choices[0].message.content, stopped.choices[0].finish_reason) == ("8 * 7", "stop")
    cut = client.chat.completions.create(model="demo", messages=QUESTION, max_completion_tokens=3)
    assert (cut.choices[0].message.content, cut.choices[0].finish_reason) == ("8 * ", "length")
    chain = [{"op": "frequency_penalty", "value": 2.0}]
    penalized = client.chat.completions.create(model="demo", messages=QUESTION, frequency_penalty=2.0, max_tokens=12)
    assert penalized.choices[0].message.content == expected(bundles["demo"], chain=chain, max_new_tokens=12).text


def test_a_reply_fits_its_schema(client: openai.OpenAI) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
              "additionalProperties": False}  # fmt: skip
    form: Any = {"type": "json_schema", "json_schema": {"name": "number", "schema": schema}}
    reply = client.chat.completions.create(model="demo", messages=QUESTION, response_format=form, max_tokens=24)
    assert isinstance(json.loads(reply.choices[0].message.content or "")["n"], int)


def test_tools_are_called_and_their_answers_read(client: openai.OpenAI) -> None:
    def ask(**more: Any) -> Any:
        return client.chat.completions.create(model="calling", messages=QUESTION, tools=TOOLS, max_tokens=60, **more)

    (choice,) = ask(tool_choice="required").choices
    assert choice.finish_reason == "tool_calls" and choice.message.content is None
    (call,) = choice.message.tool_calls
    assert call.function.name in ("find", "end") and isinstance(json.loads(call.function.arguments), dict)
    named: Any = {"type": "function", "function": {"name": "find"}}
    (call,) = ask(tool_choice=named, temperature=1.0, seed=3).choices[0].message.tool_calls
    assert call.function.name == "find" and json.loads(call.function.arguments)["word"] in ("cat", "dog")
    deltas = [one.choices[0].delta for one in ask(tool_choice=named, stream=True, temperature=1.0, seed=3)]
    streamed = [one for delta in deltas for one in delta.tool_calls or ()]
    assert [one.function.arguments for one in streamed] == [call.function.arguments]
    assert not any(delta.content for delta in deltas)
    free = ask(tool_choice="auto").choices[0]
    assert free.message.content and not free.message.tool_calls and free.finish_reason == "stop"
    answered: Any = [*QUESTION, choice.message.to_dict(), {"role": "tool", "tool_call_id": call.id, "content": "yes"}]
    after = client.chat.completions.create(model="calling", messages=answered, tools=TOOLS, max_tokens=5)
    assert after.usage.prompt_tokens > ask(tool_choice="auto", stop="x").usage.prompt_tokens


def test_a_completion_and_its_stream(client: openai.OpenAI, bundles: dict[str, Path]) -> None:
    with open_engine(bundles["demo"]) as engine:
        ids = engine.encode("8*7=")
        *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=6))
    assert isinstance(done, GenerationDone)
    reply = client.completions.create(model="demo", prompt="8*7=", max_tokens=6, logprobs=2, echo=True)
    assert reply.choices[0].text == "8*7=" + done.text
    assert reply.choices[0].logprobs is not None and reply.choices[0].logprobs.text_offset is not None
    assert reply.choices[0].logprobs.text_offset[0] == 4
    several = client.completions.create(model="demo", prompt=[ids, ids], max_tokens=6)
    assert [one.text for one in several.choices] == [done.text] * 2
    parts = client.completions.create(model="demo", prompt="8*7=", max_tokens=6, stream=True)
    assert "".join(one.choices[0].text for one in parts) == done.text


def test_vectors_are_the_embedder_s(client: openai.OpenAI, bundles: dict[str, Path]) -> None:
    texts = ["the cat", "the dog sat"]
    own = [one.vector.tolist() for one in open_embedder(bundles["vectors"]).embed(texts)]
    for found in (client.embeddings.create(model="vectors", input=texts),  # the client's default is base64
                  client.embeddings.create(model="vectors", input=texts, encoding_format="float")):  # fmt: skip
        assert [one.embedding for one in found.data] == [pytest.approx(vector, abs=1e-7) for vector in own]
        assert found.usage.total_tokens == 9


def test_documents_are_ranked_as_the_classifier_does(server: Server, bundles: dict[str, Path]) -> None:
    texts = ["the cat", "anna went to paris", "the dog"]
    own = open_classifier(bundles["scores"]).rank("cat", texts)
    asked = {"model": "scores", "query": "cat", "documents": [*texts[:2], {"text": texts[2]}], "top_n": 2}
    answer = httpx.post(f"{server.url}/rerank", json=asked, headers={"Authorization": f"Bearer {TOKEN}"}).json()
    assert [one["index"] for one in answer["results"]] == [one.index for one in own[:2]]


def test_a_recording_is_written_down(client: openai.OpenAI, tmp_path: Path) -> None:
    clip = next((DEMOS / "whisper").rglob("*.wav"), None) or next((DEMOS / "whisper-clips").glob("*.*"))
    reply = client.audio.transcriptions.create(model="speech", file=clip)
    assert reply.text
    text: Any = client.audio.transcriptions.create(model="speech", file=clip, response_format="text")
    assert text.strip() == reply.text
    with pytest.raises(openai.BadRequestError, match=r"sound|decode|read"):
        client.audio.transcriptions.create(model="speech", file=("x.wav", b"no sound at all"))


def test_a_picture_is_read_from_the_request_alone(client: openai.OpenAI) -> None:
    picture = DEMOS / "vision-pictures" / "2-four-black-squares.png"
    url = "data:image/png;base64," + base64.b64encode(picture.read_bytes()).decode()
    asked = json.loads((picture.parent / "pictures.json").read_text("utf-8"))

    def ask(where: str) -> str:
        parts: Any = [{"type": "image_url", "image_url": {"url": where}}, {"type": "text", "text": "How many squares?"}]
        reply = client.chat.completions.create(model="pictures", messages=[{"role": "user", "content": parts}])
        return reply.choices[0].message.content or ""

    assert ask(url) and asked
    for elsewhere in (picture.as_uri(), "http://127.0.0.1/a.png", str(picture)):
        with pytest.raises(openai.BadRequestError, match="fetches nothing"):
            ask(elsewhere)


def test_errors_are_openai_s(client: openai.OpenAI, server: Server) -> None:
    with pytest.raises(openai.NotFoundError, match="There is no model 'other'"):
        client.chat.completions.create(model="other", messages=QUESTION)
    with pytest.raises(openai.BadRequestError, match="does not know bogus"):
        client.chat.completions.create(model="demo", messages=QUESTION, extra_body={"bogus": 1})
    with pytest.raises(openai.BadRequestError, match="gives vectors, and this route tokens"):
        client.chat.completions.create(model="vectors", messages=QUESTION)
    with pytest.raises(openai.BadRequestError, match="temperature"):
        client.chat.completions.create(model="demo", messages=QUESTION, temperature=9)
    with pytest.raises(openai.BadRequestError, match=r"tokens.*(512|capacity)"):
        client.chat.completions.create(model="demo", messages=[{"role": "user", "content": "8*7= " * 4000}])
    with pytest.raises(openai.AuthenticationError, match="token is missing or wrong"):
        openai.OpenAI(base_url=server.url, api_key="another-token", max_retries=0).models.list()
    assert {one.id for one in client.models.list()} == {"demo", "calling", "speech", "pictures", "vectors", "scores"}
    assert client.models.retrieve("demo").owned_by == "joinery"
