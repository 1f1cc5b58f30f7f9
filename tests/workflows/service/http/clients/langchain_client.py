"""LangChain's OpenAI adapter: python langchain_client.py URL TOKEN TOOLS → JSON."""

from __future__ import annotations

import json
import sys
from functools import reduce
from importlib.metadata import version
from operator import add
from typing import Any

import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

url, token, functions = sys.argv[1:]
tools, messages = json.loads(functions), [HumanMessage("8*7=")]
SCHEMA = {"title": "number", "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
          "additionalProperties": False}  # fmt: skip


def chat(model: str, **more: Any) -> ChatOpenAI:
    return ChatOpenAI(model=model, base_url=url, api_key=token, max_retries=0, **more)


seen: dict[str, Any] = {"version": version("langchain-openai"), "chat": chat("demo").invoke(messages).content}
chunks = list(chat("demo", stream_usage=True).stream(messages))
seen["stream"] = "".join(chunk.content for chunk in chunks)
seen["usage"] = next(chunk.usage_metadata["output_tokens"] for chunk in chunks if chunk.usage_metadata)
caller = chat("calling").bind_tools(tools, tool_choice="find")
called = caller.invoke(messages)
seen["call"] = [called.tool_calls[0]["name"], called.tool_calls[0]["args"]]
(streamed,) = reduce(add, caller.stream(messages)).tool_calls
seen["streamed_call"] = [streamed["name"], streamed["args"]]
answered = [*messages, called, ToolMessage("yes", tool_call_id=called.tool_calls[0]["id"])]
seen["after"] = chat("calling").bind_tools(tools).invoke(answered).response_metadata["finish_reason"]
seen["fits"] = chat("demo", max_tokens=24).with_structured_output(SCHEMA, method="json_schema").invoke(messages)
# other models' texts are counted in tokens of OpenAI's: without the flag they would be sent as those
vectors = OpenAIEmbeddings(model="vectors", base_url=url, api_key=token, check_embedding_ctx_length=False)
seen["vectors"] = vectors.embed_documents(["the cat", "the dog sat"])
over = chat("demo", use_responses_api=True)
seen["response"] = over.invoke(messages).text
seen["response_stream"] = "".join(chunk.text for chunk in over.stream(messages))
try:
    chat("other").invoke(messages)
except openai.NotFoundError as error:
    seen["error"] = [type(error).__name__, error.status_code, error.code]
print(json.dumps(seen))
