"""Whether the names in a model are texts, wherever they stand: of graphs, axes, weights' places, functions, metadata.

    ONNX's format ──as proto3, whose texts are UTF-8──▶ a twin, parsed once and dropped

The format is proto2's, in which a text may be any bytes: Python then gives bytes where everyone reckons with a text.
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
    """Whether it is a model, and every name in it is UTF-8."""
    try:
        _strict_model_class()().ParseFromString(data)
    except (DecodeError, UnicodeDecodeError):  # the latter where protobuf is written in Python alone
        return False
    return True


@cache
def _strict_model_class() -> Any:
    """ModelProto, strict."""
    file = FileDescriptorProto()
    onnx.ModelProto.DESCRIPTOR.file.CopyToProto(file)
    file.syntax = "proto3"
    for message in file.message_type:
        _drop_unread_fields(message)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(onnx.ModelProto.DESCRIPTOR.full_name))


def _drop_unread_fields(message: DescriptorProto) -> None:
    """What nobody reads here may say what it likes."""
    read = [field for field in message.field if field.name != _UNREAD]
    del message.field[:]
    message.field.extend(read)
    for inner in message.nested_type:
        _drop_unread_fields(inner)
