"""What a graph says of its inputs and outputs, and whether the edges between graphs join what fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from workflows.bundle.outline import EDGES, Fault, Outline, Port
from workflows.common.errors import GraphError, printable
from workflows.common.tensors import TensorSpec

TensorSide = Literal["inputs", "outputs"]


class GraphSignature(Protocol):
    """What a graph says of itself; an open session is one."""

    @property
    def inputs(self) -> tuple[TensorSpec, ...]: ...

    @property
    def outputs(self) -> tuple[TensorSpec, ...]: ...

    @property
    def metadata(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class FileSignature:
    """A Signature read from a file that is not open."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    metadata: Mapping[str, str]

    def called(self, own: Mapping[str, str]) -> FileSignature:
        """The same under Joinery's names. own: Joinery's name → the graph's. Raises GraphError as renamed does."""
        inputs, outputs = rename_tensors(self.inputs, self.outputs, own)
        return replace(self, inputs=inputs, outputs=outputs)


def rename_tensors(
    inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], own: Mapping[str, str]
) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
    """Inputs and outputs under Joinery's names. own: Joinery's name → the graph's, of tensors that it may not have.

    Raises GraphError where two of them would have one name.
    """
    ours = {theirs: name for name, theirs in own.items()}
    sides = (inputs, outputs)
    taken, given = (tuple(replace(spec, name=ours.get(spec.name, spec.name)) for spec in side) for side in sides)
    names = [*(spec.name for spec in taken), *(spec.name for spec in given)]
    for name in own:
        if names.count(name) > 1:
            raise GraphError(
                f"The graph has two tensors that would be {printable(name)}, for the file's metadata.names call "
                f"{printable(own[name])} so: take that out."
            )
    return taken, given


def edge_faults(outline: Outline, signatures: Mapping[str, GraphSignature]) -> Iterator[Fault]:
    """Edges whose tensors do not exist, or have not one type and as many axes."""
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
            message = f"{describe_tensor(source, given)} cannot feed {describe_tensor(target, taken)}: they must have one type and rank"
            yield Fault(f"{EDGES}[{i}]", message)


def specs_of(signature: GraphSignature, side: TensorSide) -> tuple[TensorSpec, ...]:
    """The inputs, or the outputs."""
    return signature.inputs if side == "inputs" else signature.outputs


def spec_of(signatures: Mapping[str, GraphSignature], port: Port, side: TensorSide) -> TensorSpec:
    """The input or output that `port` names, which there is."""
    return next(spec for spec in specs_of(signatures[port[0]], side) if spec.name == port[1])


def port_name(port: Port) -> str:
    """As the pipeline file writes it."""
    return ".".join(port)


def describe_tensor(port: Port, spec: TensorSpec) -> str:
    """With its shape and type."""
    return f"{port_name(port)} [{', '.join(map(str, spec.shape))}] {spec.dtype}"
