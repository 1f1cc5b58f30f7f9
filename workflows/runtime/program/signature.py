"""The declared inputs and outputs of a graph, and whether the edges between graphs connect matching tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from workflows.bundle.outline import EDGES, Fault, Outline, Port
from workflows.common.errors import GraphError, printable
from workflows.common.tensors import TensorSpec

TensorSide = Literal["inputs", "outputs"]


class GraphSignature(Protocol):
    """The inputs, outputs and metadata of a graph; an OpenSession is one."""

    @property
    def inputs(self) -> tuple[TensorSpec, ...]: ...

    @property
    def outputs(self) -> tuple[TensorSpec, ...]: ...

    @property
    def metadata(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class FileSignature:
    """A GraphSignature read from a file without opening a session."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    metadata: Mapping[str, str]

    def with_names(self, own: Mapping[str, str]) -> FileSignature:
        """The same under Joinery's names. own: Joinery's name → the graph's. Raises GraphError as rename_tensors."""
        inputs, outputs = rename_tensors(self.inputs, self.outputs, own)
        return replace(self, inputs=inputs, outputs=outputs)


def rename_tensors(
    inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], own: Mapping[str, str]
) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
    """Inputs and outputs under Joinery's names. own: Joinery's name → the graph's, for tensors it may lack.

    Raises GraphError where two tensors would get one name.
    """
    ours = {theirs: name for name, theirs in own.items()}
    sides = (inputs, outputs)
    taken, given = (tuple(replace(spec, name=ours.get(spec.name, spec.name)) for spec in side) for side in sides)
    names = [*(spec.name for spec in taken), *(spec.name for spec in given)]
    for name in own:
        if names.count(name) > 1:
            raise GraphError(
                f"Two tensors of the graph would be called {printable(name)}, because the file's metadata.names gives "
                f"{printable(own[name])} that name: remove that entry."
            )
    return taken, given


def edge_faults(outline: Outline, signatures: Mapping[str, GraphSignature]) -> Iterator[Fault]:
    """Edges whose tensors do not exist, or differ in type or rank."""
    for i, (source, target) in enumerate(outline.edges):
        sides: tuple[tuple[str, Port, TensorSide], ...] = (("from", source, "outputs"), ("to", target, "inputs"))
        for end, port, side in sides:
            names = [spec.name for spec in specs_of(signatures[port[0]], side)]
            if port[1] not in names:
                message = f"{port[0]} has no {side[:-1]} {port[1]}; its {side} are {', '.join(names)}"
                yield Fault(f"{EDGES}[{i}].{end}", message)
                return
        given, taken = spec_of(signatures, source, "outputs"), spec_of(signatures, target, "inputs")
        if given.dtype != taken.dtype or len(given.shape) != len(taken.shape):
            ends = f"{describe_tensor(source, given)} cannot feed {describe_tensor(target, taken)}"
            yield Fault(f"{EDGES}[{i}]", f"{ends}: they must have one type and rank")


def specs_of(signature: GraphSignature, side: TensorSide) -> tuple[TensorSpec, ...]:
    """The inputs or the outputs of a graph."""
    return signature.inputs if side == "inputs" else signature.outputs


def spec_of(signatures: Mapping[str, GraphSignature], port: Port, side: TensorSide) -> TensorSpec:
    """The input or output called `port`, which must exist."""
    return next(spec for spec in specs_of(signatures[port[0]], side) if spec.name == port[1])


def port_name(port: Port) -> str:
    """A port as the pipeline file writes it: `session.tensor`."""
    return ".".join(port)


def describe_tensor(port: Port, spec: TensorSpec) -> str:
    """A port with its shape and type."""
    return f"{port_name(port)} [{', '.join(map(str, spec.shape))}] {spec.dtype}"
