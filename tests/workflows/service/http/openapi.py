"""The server's routes as an OpenAPI description, made of the bodies that it checks: python -m … FILE."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from workflows.service.http.bodies import ChatBody, CompletionBody, EmbeddingBody, RerankBody, ResponseBody

_BODIES: dict[str, type[BaseModel]] = {
    "chat/completions": ChatBody,
    "completions": CompletionBody,
    "responses": ResponseBody,
    "embeddings": EmbeddingBody,
    "rerank": RerankBody,
}
_FORM = {"type": "object", "required": ["file"], "properties": {
    "file": {"type": "string", "format": "binary"}, "model": {"type": "string"}, "language": {"type": "string"},
    "response_format": {"enum": ["json", "text", "srt", "vtt", "verbose_json"]}}}  # fmt: skip
_ANSWERS = {"default": {"description": "an answer"}}


_SCHEMA = {"enum": [
    {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False},
    {"type": "string", "pattern": "[a-c]{2,5}"}, {"type": "array", "items": {"$ref": "#"}}, {"enum": [1, None, "x"]},
    {"type": "nothing"}, {"$ref": "#/missing"}, {},
]}  # fmt: skip
_FUNCTION = {"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string"}, "description": {"type": "string"}, "parameters": _SCHEMA}}  # fmt: skip
_FEW = {"type": "integer", "minimum": 1, "maximum": 16}
_NARROW: dict[str, Any] = {
    **dict.fromkeys(("max_tokens", "max_completion_tokens", "max_output_tokens"), _FEW),
    "n": {"type": "integer", "minimum": 1, "maximum": 3},
    "response_format": {"type": "object", "required": ["type"], "properties": {
        "type": {"enum": ["text", "json_object", "json_schema"]},
        "json_schema": {"type": "object", "properties": {"name": {"type": "string"}, "schema": _SCHEMA}}}},
    "tools": {"type": "array", "items": {"type": "object", "required": ["type", "function"], "properties": {
        "type": {"const": "function"}, "function": _FUNCTION}}},
}  # fmt: skip
"""Fields of which the bodies' own schemas say too little for most requests to reach a model."""


def _operation(content: dict[str, Any]) -> dict[str, Any]:
    return {"post": {"requestBody": {"required": True, "content": content}, "responses": _ANSWERS}}


def description() -> dict[str, Any]:
    """All routes."""
    schemas: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for route, body in _BODIES.items():
        schema = body.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        models = {"enum": ["vectors" if body is EmbeddingBody else "calling"]}
        own = _NARROW | {"model": models, "store": {"const": False}, "previous_response_id": {"type": "null"}}
        schema["properties"] |= {name: value for name, value in own.items() if name in schema["properties"]}
        schemas[body.__name__] = schema
        reference = {"$ref": f"#/components/schemas/{body.__name__}"}
        paths[f"/v1/{route}"] = _operation({"application/json": {"schema": reference}})
    for route in ("transcriptions", "translations"):
        paths[f"/v1/audio/{route}"] = _operation({"multipart/form-data": {"schema": _FORM}})
    for path in ("/v1/models", "/health", "/ready", "/metrics"):
        paths[path] = {"get": {"responses": _ANSWERS}}
    name = {"name": "model", "in": "path", "required": True, "schema": {"type": "string"}}
    paths["/v1/models/{model}"] = {"get": {"parameters": [name], "responses": _ANSWERS}}
    info = {"title": "joinery serve", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(description()), "utf-8")
