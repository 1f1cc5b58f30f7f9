"""The bodies of requests, as OpenAI's reference names their fields. A field that is not here is refused by name.

Source: https://platform.openai.com/docs/api-reference; rerank as Cohere's and Jina's. `top_k`, `min_p`,
`repetition_penalty` and `adapter` are Joinery's own.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, field_validator

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
    repetition_penalty: float | None = Field(None, ge=0.01, le=100)
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


def most_calls(body: ChatBody | ResponseBody) -> int | None:
    """How many calls of tools a reply may hold; None for no limit."""
    return 1 if body.parallel_tool_calls is False else None


class CompletionBody(Sampling):
    """POST /v1/completions."""

    prompt: str | Ids | Texts | Annotated[list[Ids], Field(min_length=1)]
    max_tokens: int = Field(16, ge=1)
    logprobs: int | None = Field(None, ge=0, le=20)
    echo: bool = False
    best_of: Literal[1] | None = None
    suffix: None = None


class MessageItem(BaseModel):
    """A turn of a response's input. content: a text, or parts: input_text, output_text, input_image, input_audio."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: Literal["message"] = "message"
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[Json]


class CallItem(BaseModel):
    """A call that a response made."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str = "{}"


class CallOutputItem(BaseModel):
    """What a call gave. output: a text, or parts input_text."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    type: Literal["function_call_output"]
    call_id: str
    output: str | list[Json]


def _item_kind(item: object) -> str:
    """Which item an input's element is; a message may leave its type out."""
    kind = item.get("type", "message") if isinstance(item, dict) else getattr(item, "type", None)
    return kind if isinstance(kind, str) else "none"


Item = Annotated[
    Annotated[MessageItem, Tag("message")]
    | Annotated[CallItem, Tag("function_call")]
    | Annotated[CallOutputItem, Tag("function_call_output")],
    Discriminator(_item_kind),
]


def _as_items(given: object) -> object:
    """A text is the user's message."""
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


class ResponseText(BaseModel):
    """The form of a response's text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Json | None = None


class ResponseBody(_Body):
    """POST /v1/responses. Only `store: false` is possible: the server keeps nothing of a request."""

    input: Annotated[list[Item], Field(min_length=1), BeforeValidator(_as_items)]
    instructions: str | None = None
    max_output_tokens: int | None = Field(None, ge=1)
    temperature: float | None = Field(None, ge=0, le=2)
    top_p: float | None = Field(None, gt=0, le=1)
    top_k: int | None = Field(None, ge=0)
    min_p: float | None = Field(None, ge=0, le=1)
    repetition_penalty: float | None = Field(None, ge=0.01, le=100)
    seed: int | None = None
    adapter: str | None = None
    text: ResponseText | None = None
    tools: list[Json] | None = None
    tool_choice: Literal["none", "auto", "required"] | Json | None = None
    parallel_tool_calls: bool | None = None
    include: list[Literal["message.output_text.logprobs"]] | None = None
    top_logprobs: int | None = Field(None, ge=0, le=20)
    stream: bool = False
    stream_options: StreamOptions | None = None
    truncation: Literal["disabled"] | None = None
    background: Literal[False] | None = None
    previous_response_id: str | None = None

    @field_validator("store", "previous_response_id")
    @classmethod
    def _not_kept(cls, value: bool | str | None) -> bool | str | None:
        if value:
            raise ValueError("this server keeps no response: send the conversation's items as input")
        return value

    @property
    def has_logprobs(self) -> bool:
        """Whether the text comes with its tokens' probabilities."""
        return bool(self.include) or self.top_logprobs is not None


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
