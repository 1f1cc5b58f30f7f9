"""The bodies of requests, as OpenAI's reference names their fields. A field that is not here is refused by name.

Source: https://platform.openai.com/docs/api-reference; rerank as Cohere's and Jina's. `top_k`, `min_p`,
`repetition_penalty` and `adapter` are Joinery's own.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_BIAS = 100.0
Json = dict[str, Any]
Texts = Annotated[list[str], Field(min_length=1, max_length=2048)]
Ids = Annotated[list[int], Field(min_length=1)]


class _Body(BaseModel):
    """user, metadata, store …: what a client may send and a server of one's own has no use for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str | None = None
    user: str | None = None
    metadata: Json | None = None
    store: bool | None = None
    service_tier: str | None = None
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None


class StreamOptions(BaseModel):
    """What a stream has beside the text."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    include_usage: bool = False


class Sampling(_Body):
    """What chats and completions have in common. A field that is not given is the checkpoint's own setting."""

    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    top_k: int | None = Field(None, ge=0)
    min_p: float | None = Field(None, ge=0, le=1)
    repetition_penalty: float | None = Field(None, gt=0, le=100)
    frequency_penalty: float = Field(0, ge=-2, le=2)
    presence_penalty: float = Field(0, ge=-2, le=2)
    logit_bias: dict[Annotated[str, Field(pattern="^[0-9]+$")], Annotated[float, Field(ge=-_BIAS, le=_BIAS)]] | None = (
        None
    )
    seed: int | None = None
    stop: str | Annotated[list[Annotated[str, Field(min_length=1)]], Field(max_length=16)] | None = None
    n: int = Field(1, ge=1, le=16)
    stream: bool = False
    stream_options: StreamOptions | None = None
    adapter: str | None = None

    @property
    def stops(self) -> list[str]:
        """The texts that end a reply."""
        return [self.stop] if isinstance(self.stop, str) else list(self.stop or ())


class ToolCallFunction(BaseModel):
    """A call's name, and its arguments as JSON."""

    name: str
    arguments: str = "{}"


class MessageCall(BaseModel):
    """A call that an assistant's message made."""

    id: str = ""
    type: Literal["function"] = "function"
    function: ToolCallFunction


class Message(BaseModel):
    """A turn. content: a text, or parts: text, image_url (a data: URL), input_audio."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Json] | None = None
    name: str | None = None
    tool_calls: list[MessageCall] | None = None
    tool_call_id: str | None = None


class ChatBody(Sampling):
    """POST /v1/chat/completions."""

    messages: list[Message] = Field(min_length=1)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    logprobs: bool = False
    top_logprobs: int = Field(0, ge=0, le=20)
    response_format: Json | None = None
    tools: list[Json] | None = None
    tool_choice: Literal["none", "auto", "required"] | Json | None = None
    parallel_tool_calls: bool | None = None


class CompletionBody(Sampling):
    """POST /v1/completions."""

    prompt: str | Ids | Texts | Annotated[list[Ids], Field(min_length=1)]
    max_tokens: int = Field(16, ge=1)
    logprobs: int | None = Field(None, ge=0, le=20)
    echo: bool = False
    best_of: Literal[1] | None = None
    suffix: None = None


class EmbeddingBody(_Body):
    """POST /v1/embeddings."""

    input: Annotated[str, Field(min_length=1)] | Texts
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(None, ge=1)


class DocumentText(BaseModel):
    """A document as an object."""

    text: str


class RerankBody(_Body):
    """POST /v1/rerank."""

    query: str = Field(min_length=1)
    documents: list[str | DocumentText] = Field(min_length=1, max_length=2048)
    top_n: int | None = Field(None, ge=1)
    return_documents: bool = False
