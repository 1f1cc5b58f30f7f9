"""Checks that all strings in a model are UTF-8: names of graphs, axes, functions, weight locations and metadata.

    ONNX's format ──as proto3, whose strings are UTF-8──▶ a second message class, parsed and dropped

In proto2, ONNX's format, a string may contain any bytes: Python then returns bytes instead of str.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import onnx
from google.protobuf import descriptor_pool, message_factory  # type: ignore[import-untyped,unused-ignore]
from google.protobuf.descriptor_pb2 import (  # type: ignore[import-untyped,unused-ignore]
    DescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.message import DecodeError  # type: ignore[import-untyped,unused-ignore]

_UNREAD = "doc_string"  # of which exporters have made what they liked


def has_utf8_names(data: bytes) -> bool:
    """Whether `data` is a model in which every name is UTF-8."""
    try:
        _strict_model_class()().ParseFromString(data)
    except (DecodeError, UnicodeDecodeError):  # the latter where protobuf is written in Python alone
        return False
    return True


@cache
def _strict_model_class() -> Any:
    """Returns ModelProto with strict strings."""
    file = FileDescriptorProto()
    onnx.ModelProto.DESCRIPTOR.file.CopyToProto(file)
    file.syntax = "proto3"
    for message in file.message_type:
        _drop_unread_fields(message)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(onnx.ModelProto.DESCRIPTOR.full_name))


def _drop_unread_fields(message: DescriptorProto) -> None:
    """Removes fields that Joinery does not read, so that their content does not matter."""
    read = [field for field in message.field if field.name != _UNREAD]
    del message.field[:]
    message.field.extend(read)
    for inner in message.nested_type:
        _drop_unread_fields(inner)
