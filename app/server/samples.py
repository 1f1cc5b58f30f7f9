"""Short programs that ask a server, for its bundle's kind: in curl, in Python with OpenAI's package, in JavaScript.

summary ──request_kind──▶ kind ──curl_sample, python_sample, javascript_sample──▶ text to copy

The token stands in the variable JOINERY_TOKEN, so that no file has it. JavaScript is for Node 20 and needs no package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.wire.reports.server import RequestKind

TOKEN_VARIABLE = "JOINERY_TOKEN"
_PROMPT = "What is 8 times 7?"
_TEXTS = ["a cat on a mat", "stock prices rose"]
_QUERY = "Where is the cat?"
_RECORDING = "recording.wav"
_TASKS: dict[str, RequestKind] = {
    "feature-extraction": "embedding",
    "text-classification": "rerank",
    "automatic-speech-recognition": "transcription",
    "translation": "completion",
    "summarization": "completion",
    "text2text-generation": "completion",
}
_ROUTES: dict[RequestKind, str] = {
    "chat": "chat/completions",
    "completion": "completions",
    "embedding": "embeddings",
    "rerank": "rerank",
    "transcription": "audio/transcriptions",
}


def request_kind(bundle: Mapping[str, Any]) -> RequestKind:
    """What a bundle with this summary is asked for."""
    return _TASKS.get(str(bundle.get("task", "")), "chat")


@dataclass(frozen=True, slots=True)
class SampleTarget:
    """A served bundle. address: of the server, without /v1."""

    address: str
    model: str
    kind: RequestKind
    has_token: bool

    @property
    def url(self) -> str:
        """The address of its route."""
        return f"{self.address}/v1/{_ROUTES[self.kind]}"

    @property
    def body(self) -> dict[str, Any]:
        """The request without the recording."""
        own: dict[RequestKind, dict[str, Any]] = {
            "chat": {"messages": [{"role": "user", "content": _PROMPT}]},
            "completion": {"prompt": _PROMPT, "max_tokens": 64},
            "embedding": {"input": _TEXTS},
            "rerank": {"query": _QUERY, "documents": _TEXTS},
            "transcription": {},
        }
        return {"model": self.model} | own[self.kind]


def curl_sample(target: SampleTarget) -> str:
    """A command line for a POSIX shell."""
    token = [f'-H "Authorization: Bearer ${TOKEN_VARIABLE}"'] if target.has_token else []
    if target.kind == "transcription":
        sent = [f"-F file=@{_RECORDING}", f"-F model={_quoted(target.model)}"]
    else:
        sent = ["-H 'Content-Type: application/json'", f"-d {_quoted(_json(target.body))}"]
    return " \\\n  ".join([f"curl {target.url}", *token, *sent]) + "\n"


def python_sample(target: SampleTarget) -> str:
    """A program that needs the package openai. A chat is streamed."""
    imports = ["import os", ""] if target.has_token else []
    key = f'os.environ["{TOKEN_VARIABLE}"]' if target.has_token else '"none"'
    client = [
        *imports,
        "from openai import OpenAI",
        "",
        f'client = OpenAI(base_url="{target.address}/v1", api_key={key})',
    ]
    return "\n".join([*client, *_python_call(target)]) + "\n"


def _python_call(target: SampleTarget) -> list[str]:
    model = _json(target.model)
    if target.kind == "chat":
        return [
            "stream = client.chat.completions.create(",
            f"    model={model},",
            f"    messages={_json(target.body['messages'])},",
            "    stream=True,",
            ")",
            "for chunk in stream:",
            "    for choice in chunk.choices:",
            '        print(choice.delta.content or "", end="", flush=True)',
            "print()",
        ]
    if target.kind == "completion":
        call = f"client.completions.create(model={model}, prompt={_json(_PROMPT)}, max_tokens=64)"
        return [f"reply = {call}", "print(reply.choices[0].text)"]
    if target.kind == "embedding":
        return [
            f"reply = client.embeddings.create(model={model}, input={_json(_TEXTS)})",
            "for one in reply.data:",
            "    print(len(one.embedding), one.embedding[:4])",
        ]
    if target.kind == "rerank":
        return [
            f"body = {_json(target.body)}",
            'reply = client.post("/rerank", body=body, cast_to=object)  # a route that OpenAI does not have',
            'for one in reply["results"]:',
            '    print(f"{one[\'relevance_score\']:.3f}", body["documents"][one["index"]])',
        ]
    return [
        f'with open("{_RECORDING}", "rb") as sound:',
        f"    reply = client.audio.transcriptions.create(model={model}, file=sound)",
        "print(reply.text)",
    ]


def javascript_sample(target: SampleTarget) -> str:
    """A module (.mjs) that needs no package."""
    shown = {
        "chat": "reply.choices[0].message.content",
        "completion": "reply.choices[0].text",
        "embedding": "reply.data.map((one) => one.embedding.slice(0, 4))",
        "rerank": "reply.results",
        "transcription": "reply.text",
    }[target.kind]
    token = [f"Authorization: `Bearer ${{process.env.{TOKEN_VARIABLE}}}`"] if target.has_token else []
    if target.kind == "transcription":
        before = [
            'import { openAsBlob } from "node:fs";',
            "",
            "const body = new FormData();",
            f'body.append("file", await openAsBlob("{_RECORDING}"), "{_RECORDING}");',
            f'body.append("model", {_json(target.model)});',
        ]
        headers, body = token, "body"
    else:
        before = [f"const body = {_json(target.body)};"]
        headers, body = ['"Content-Type": "application/json"', *token], "body: JSON.stringify(body)"
    head = [f"  headers: {{ {', '.join(headers)} }},"] if headers else []
    call = [
        f'const response = await fetch("{target.url}", {{',
        '  method: "POST",',
        *head,
        f"  {body},",
        "});",
        "const reply = await response.json();",
        "if (!response.ok) throw new Error(reply.error.message);",
        f"console.log({shown});",
    ]
    return "\n".join([*before, *call]) + "\n"


def _json(value: object) -> str:
    """A literal of Python and of JavaScript alike: texts, numbers, lists and dicts."""
    return json.dumps(value, ensure_ascii=False)


def _quoted(text: str) -> str:
    """An argument for a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"
