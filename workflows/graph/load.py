"""Loads an untrusted .onnx file: it allocates nothing from a declared size and opens no weight file.

    file ──parse──▶ ModelProto ──structure? order? external data? domains?──▶ GraphFile (proto, faults, warnings)

A graph that cannot be shown, or that refers to a forbidden path, raises GraphError; one that can be shown but would
not run gets warnings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import onnx
from google.protobuf import descriptor_pool, message_factory  # type: ignore[import-untyped,unused-ignore]
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto  # type: ignore[import-untyped,unused-ignore]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped,unused-ignore]

from workflows.common.errors import GraphError, printable
from workflows.graph.dtypes import byte_count, dtype_name
from workflows.graph.external_data import check_location, external_location
from workflows.graph.structure import structure_faults
from workflows.graph.subgraphs import all_graphs, values_read

PARSE_LIMIT = (1 << 31) - 1
_KNOWN_DOMAINS = {"", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training", "com.microsoft"}
_DOMAIN_FAMILIES = ("com.microsoft.", "pkg.")
_LARGE = 1 << 31


@dataclass(frozen=True)
class GraphFile:
    """A model without its weights. folder: where its external data lies.

    faults: reasons why no runtime can load it. warnings: the faults and further remarks; one sentence each.
    """

    name: str
    folder: Path
    proto: onnx.ModelProto
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def load_graph(path: Path) -> GraphFile:
    """Loads the graph in a file. Raises GraphError if it cannot be shown or its external data has a forbidden path."""
    if not path.is_file():
        raise GraphError(f"There is no file {printable(path)}: check the path.")
    if path.stat().st_size > PARSE_LIMIT:
        raise GraphError(
            f"{printable(path.name)} is larger than 2 GB, the limit of an .onnx file: download or export it again."
        )
    return parse_graph(path.read_bytes(), path.name, path.parent)


def parse_graph(data: bytes, name: str, folder: Path) -> GraphFile:
    """Parses the graph in `data`; messages call it `name`. Raises GraphError as load_graph does."""
    shown, model = printable(name), onnx.ModelProto()
    has_texts = has_utf8_names(data)
    try:
        model.ParseFromString(data)
    except DecodeError:
        raise GraphError(f"{shown} is not an ONNX file, or is incomplete: download or export it again.") from None
    if not has_texts:
        raise GraphError(f"{shown} contains a name that is not UTF-8, so it is damaged: download or export it again.")
    if not model.graph.output:
        raise GraphError(
            f"{shown} has no graph with an output, so there is nothing to run: download or export it again."
        )
    graphs = list(all_graphs(model.graph))
    tensors = [tensor for graph in graphs for tensor in graph.initializer]
    places = _weight_files(tensors, shown, folder)
    unread = (*_inline_faults(tensors), *_external_faults(tensors, places, shown))
    faults = (*structure_faults(model, graphs, shown), *unread)
    warnings = (*faults, *_warnings(model, graphs, shown), *_link_warnings(places, shown))
    return GraphFile(name, folder, model, faults, warnings)


def _warnings(model: onnx.ModelProto, graphs: list[onnx.GraphProto], shown: str) -> Iterator[str]:
    if model.ir_version < 1:
        yield f"{shown} declares no version of the format, so it may be cut short."
    if not model.opset_import:
        yield f"{shown} declares no operator set, so it may be cut short."
    yield from _domain_warnings(model, graphs)
    for graph in graphs:
        if topological_order(graph) != list(range(len(graph.node))):
            yield f"The nodes of {shown} are not in topological order, so no runtime takes it as it is."
        for sparse in graph.sparse_initializer:
            declared = byte_count(sparse.values.data_type, sparse.dims)
            if declared >= _LARGE:
                yield (
                    f"The sparse initializer {printable(sparse.values.name)} stands for {declared:,} bytes, more than "
                    "a graph's file can hold: a runtime may fail to make room for it."
                )


def _domain_warnings(model: onnx.ModelProto, graphs: list[onnx.GraphProto]) -> Iterator[str]:
    own = {function.domain for function in model.functions}
    used: dict[str, str] = {}
    for graph in graphs:
        for node in graph.node:
            used.setdefault(node.domain, node.op_type)
    for domain, operator in used.items():
        if domain not in own | _KNOWN_DOMAINS and not domain.startswith(_DOMAIN_FAMILIES):
            yield (
                f"The domain {printable(domain)} of {printable(operator)} is not one that onnxruntime knows: "
                "its operators are shown, and cannot run without their library."
            )


def topological_order(graph: onnx.GraphProto) -> list[int]:
    """Returns node indices in topological order, else in file order. Raises GraphError for a cycle."""
    makers = {name: index for index, node in enumerate(graph.node) for name in node.output if name}
    reads = [{makers[name] for name in values_read(node) if name in makers} for node in graph.node]
    if all(maker < index for index, needed in enumerate(reads) for maker in needed):
        return list(range(len(reads)))
    readers: list[list[int]] = [[] for _ in reads]
    for index, needed in enumerate(reads):
        for maker in needed:
            readers[maker].append(index)
    waiting = [len(needed) for needed in reads]
    ready = [index for index, count in enumerate(waiting) if not count]
    for index in ready:  # grows while it is walked
        for reader in readers[index]:
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    if len(ready) < len(reads):
        node = graph.node[next(index for index, count in enumerate(waiting) if count)]
        raise GraphError(
            f"The graph has a cycle through the node {printable(node.name or node.output[0])} "
            f"({printable(node.op_type)}): it waits for its own result, so nothing can run it."
        )
    return ready


def _inline_faults(tensors: list[onnx.TensorProto]) -> Iterator[str]:
    """Returns the first initializer whose inline bytes do not match its shape."""
    for tensor in tensors:
        wanted = byte_count(tensor.data_type, tensor.dims)
        if tensor.HasField("raw_data") and len(tensor.raw_data) != wanted:
            shape = f"{dtype_name(tensor.data_type)} {printable(list(tensor.dims))}"
            yield (
                f"The initializer {printable(tensor.name)} holds {len(tensor.raw_data):,} bytes, and {shape} takes "
                f"{wanted:,}: it cannot be run."
            )
            return


def _weight_files(tensors: list[onnx.TensorProto], shown: str, folder: Path) -> dict[str, Path]:
    """Maps each location to the path of its weight file. Raises GraphError for a forbidden path."""
    external = [external_location(tensor) for tensor in tensors if tensor.data_location == onnx.TensorProto.EXTERNAL]
    locations = dict.fromkeys(place.location for place in external if place.location)
    return {location: check_location(folder, location, shown) for location in locations}


def _external_faults(tensors: list[onnx.TensorProto], places: dict[str, Path], shown: str) -> Iterator[str]:
    """Lists each weight file that is missing, too short or read from an invalid offset."""
    sizes = {location: path.stat().st_size if path.is_file() else None for location, path in places.items()}
    for tensor in tensors:
        location = external_location(tensor).location if tensor.data_location == onnx.TensorProto.EXTERNAL else ""
        if location in sizes and (fault := _external_fault(tensor, sizes[location], shown)):
            del sizes[location]
            yield fault


def _external_fault(tensor: onnx.TensorProto, size: int | None, shown: str) -> str:
    """Returns why a tensor's bytes cannot be read; empty if they can. size: the file's, None if it is missing."""
    place, wanted = external_location(tensor), byte_count(tensor.data_type, tensor.dims)
    file, name = printable(place.location), printable(tensor.name)
    if size is None:
        return f"The weights of {shown} are missing: there is no {file} beside it."
    for key, number in (("offset", place.offset), ("length", place.length)):
        if number < 0:
            return f"The initializer {name} of {shown} has the {key} {number:,} in {file}: get it anew."
    if (end := place.offset + (place.length or wanted)) > size:
        return f"{file} has {size:,} bytes and the initializer {name} ends at {end:,}: it is cut short."
    if 0 < place.length < wanted:
        return f"The initializer {name} of {shown} has {place.length:,} bytes in {file}, and needs {wanted:,}."
    return ""


def _link_warnings(places: dict[str, Path], shown: str) -> Iterator[str]:
    for location, path in places.items():
        if path.is_file() and path.stat().st_nlink > 1:
            yield (
                f"{printable(location)} has another name elsewhere, a hard link: what is written to that file "
                f"changes the weights of {shown}."
            )


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
