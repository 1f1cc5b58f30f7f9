"""LlamaIndex's adapter of servers like OpenAI's: python llama_index_client.py URL TOKEN TOOLS → JSON."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any, Literal

import openai
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai_like import OpenAILikeEmbedding
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel

url, token = sys.argv[1:3]
messages = [ChatMessage(role="user", content="8*7=")]


class Find(BaseModel):
    """What `find` takes."""

    word: Literal["cat", "dog"]


def find(word: str) -> str:
    """Finds a word."""
    return word


def chat(model: str, **more: Any) -> OpenAILike:
    flags = {"is_chat_model": True, "is_function_calling_model": True, "max_retries": 0} | more
    return OpenAILike(model=model, api_base=url, api_key=token, **flags)


tools = [FunctionTool.from_defaults(find, fn_schema=Find)]
seen: dict[str, Any] = {"version": version("llama-index-llms-openai-like")}
seen["chat"] = chat("demo").chat(messages).message.content
seen["stream"] = "".join(chunk.delta or "" for chunk in chat("demo").stream_chat(messages))
called = chat("calling").chat_with_tools(tools, chat_history=messages, tool_required=True)
(call, *_) = chat("calling").get_tool_calls_from_response(called)
seen["call"] = [call.tool_name, call.tool_kwargs]
answer = ChatMessage(role="tool", content="yes", additional_kwargs={"tool_call_id": call.tool_id})
after = chat("calling").chat_with_tools(tools, chat_history=[*messages, called.message, answer])
seen["after"] = after.raw.choices[0].finish_reason
seen["completion"] = chat("demo", is_chat_model=False, max_tokens=6).complete("8*7=").text
vectors = OpenAILikeEmbedding(model_name="vectors", api_base=url, api_key=token)
seen["vectors"] = vectors.get_text_embedding_batch(["the cat", "the dog sat"])
try:
    chat("other").chat(messages)
except openai.NotFoundError as error:
    seen["error"] = [type(error).__name__, error.status_code, error.code]
print(json.dumps(seen))
