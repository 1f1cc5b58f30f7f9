"""Writes the graph of one component after each step of a build, without weights; `build_stages` reads it.

    ir.Model ──take──▶ protobuf with numbered tensors ──write(regions)──▶ stages/<component>.tar.xz

During the build a snapshot refers to the tensors themselves. The offsets are known when the weight file is written;
a tensor that is not in it keeps its name, type and shape only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import onnx
import onnx_ir as ir

from workflows.graph.scopes import SCOPES_KEY
from workflows.graph.subgraphs import all_graphs
from workflows.graph.weights import WEIGHTS, Key, WeightRegion, large_initializers, tensor_bytes, tensor_key
from workflows.inspection.build_stages import MADE_BY, read_archive, write_archive

_STAND_IN = "#"  # and a number, where a location stands


@dataclass(frozen=True)
class GraphSnapshot:
    """A graph whose large tensors are replaced by numbers. tensors: the tensors by these numbers."""

    proto: onnx.ModelProto
    tensors: tuple[ir.TensorProtocol, ...]

    @classmethod
    def take(cls, model: ir.Model) -> GraphSnapshot:
        """Copies the current graph; the model stays unchanged."""
        values = list(large_initializers(model))
        tensors = tuple(value.const_value for value in values if value.const_value is not None)
        try:
            for number, (value, tensor) in enumerate(zip(values, tensors, strict=True)):
                value.const_value = _placeholder_tensor(number, tensor, str(value.name))
            proto = ir.to_proto(model)
        finally:
            for value, tensor in zip(values, tensors, strict=True):
                value.const_value = tensor
        _strip(proto)
        return cls(proto, tensors)

    @classmethod
    def parse(cls, data: bytes, folder: Path) -> GraphSnapshot:
        """Parses the result of `placed`. folder: that of the weight file."""
        proto = onnx.ModelProto.FromString(data)
        tensors = []
        for graph in all_graphs(proto.graph):
            for entry in graph.initializer:
                if entry.data_location == onnx.TensorProto.EXTERNAL:
                    place = {pair.key: pair.value for pair in entry.external_data}
                    tensors.append(_external(entry, place, folder))
                    del entry.external_data[:]
                    entry.external_data.add(key="location", value=f"{_STAND_IN}{len(tensors) - 1}")
        return cls(proto, tuple(tensors))

    def whole(self) -> bytes:
        """Returns an .onnx file that contains its weights."""
        proto = deepcopy(self.proto)
        for number, entry in _numbered(proto):
            del entry.external_data[:]
            entry.ClearField("data_location")
            entry.raw_data = bytes(tensor_bytes(self.tensors[number]))
        return bytes(proto.SerializeToString())

    def placed(self, regions: Mapping[Key, WeightRegion]) -> bytes:
        """Returns an .onnx file that refers to the weight file by `regions`."""
        proto = deepcopy(self.proto)
        for number, entry in _numbered(proto):
            del entry.external_data[:]
            region = regions.get(tensor_key(self.tensors[number]))
            if region is not None:
                for key, value in (("location", WEIGHTS), ("offset", region.offset), ("length", region.length)):
                    entry.external_data.add(key=key, value=str(value))
        return bytes(proto.SerializeToString())


class ComponentSnapshots:
    """The snapshots of one component by the name of their step, in order."""

    def __init__(self) -> None:
        self._taken: dict[str, GraphSnapshot] = {}
        self._made: dict[str, list[str]] = {}

    @classmethod
    def read(cls, path: Path, folder: Path) -> ComponentSnapshots:
        """Reads the snapshots at `path`, so that more can be added. folder: that of the weight file."""
        contents = read_archive(path)
        snapshots = cls()
        snapshots._made = json.loads(contents.pop(MADE_BY))
        for name, data in contents.items():
            snapshots._taken[name.removesuffix(".onnx")] = GraphSnapshot.parse(data, folder)
        return snapshots

    @property
    def last(self) -> str:
        return f"{next(reversed(self._taken))}.onnx"

    def take(self, step: str, model: ir.Model) -> GraphSnapshot:
        """Adds the graph after `step`."""
        snapshot = GraphSnapshot.take(model)
        if self._taken:
            self._made[step] = _changed_nodes(next(reversed(self._taken.values())).proto, snapshot.proto)
        self._taken[step] = snapshot
        return snapshot

    def write(self, path: Path, regions: Mapping[Key, WeightRegion]) -> None:
        """Writes the archive, and releases the memory-mapped files of the tensors."""
        files = {f"{step}.onnx": snapshot.placed(regions) for step, snapshot in self._taken.items()}
        made = {step: outputs for step, outputs in self._made.items() if outputs}
        write_archive(path, files | {MADE_BY: json.dumps(made, separators=(",", ":")).encode()})
        for snapshot in self._taken.values():
            for tensor in snapshot.tensors:
                if isinstance(tensor, ir.ExternalTensor):
                    tensor.release()


def _placeholder_tensor(number: int, tensor: ir.TensorProtocol, name: str) -> ir.ExternalTensor:
    return ir.ExternalTensor(
        f"{_STAND_IN}{number}", 0, tensor.nbytes, tensor.dtype, shape=ir.Shape(tensor.shape), name=name
    )


def _external(entry: onnx.TensorProto, place: Mapping[str, str], folder: Path) -> ir.ExternalTensor:
    """Returns the tensor that a placed snapshot refers to; a tensor without data has an empty location."""
    return ir.ExternalTensor(
        place.get("location", ""),
        int(place.get("offset", 0)),
        int(place.get("length", 0)),
        ir.DataType(entry.data_type),
        shape=ir.Shape(entry.dims),
        name=entry.name,
        base_dir=folder,
    )


def _numbered(proto: onnx.ModelProto) -> list[tuple[int, onnx.TensorProto]]:
    """Returns (number, tensor) of each tensor without data in the graph."""
    return [
        (int(entry.external_data[0].value.removeprefix(_STAND_IN)), entry)
        for graph in all_graphs(proto.graph)
        for entry in graph.initializer
        if entry.data_location == onnx.TensorProto.EXTERNAL
    ]


def _strip(proto: onnx.ModelProto) -> None:
    """Removes what a picture does not need: metadata of nodes except scopes, and metadata of values."""
    proto.ClearField("doc_string")
    for graph in (*all_graphs(proto.graph), *proto.functions):
        graph.ClearField("doc_string")
        for node in graph.node:
            scopes = [entry.value for entry in node.metadata_props if entry.key == SCOPES_KEY]
            node.ClearField("metadata_props")
            node.ClearField("doc_string")
            for scope in scopes:
                node.metadata_props.add(key=SCOPES_KEY, value=scope)
        if isinstance(graph, onnx.GraphProto):
            for named in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
                named.ClearField("doc_string")
                named.ClearField("metadata_props")


def _changed_nodes(before: onnx.ModelProto, after: onnx.ModelProto) -> list[str]:
    """Returns the first outputs of added and changed nodes."""
    was = _signatures(before)
    return [output for output, signature in _signatures(after).items() if was.get(output) != signature]


def _signatures(proto: onnx.ModelProto) -> dict[str, tuple[object, ...]]:
    return {
        node.output[0]: (
            node.op_type,
            node.domain,
            *node.input,
            *node.output,
            *sorted(attribute.SerializeToString() for attribute in node.attribute),
        )
        for graph in all_graphs(proto.graph)
        for node in graph.node
        if node.output
    }
