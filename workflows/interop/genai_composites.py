"""The composites that onnxruntime-genai runs: what its types of models take, and the bundles that become them.

bundle ──composite_export──▶ recordings: encoder, decoder           ──▶ graphs with genai's inputs and outputs,
                             pictures: vision, embedding, decoder        genai_config.json, settings of the preprocessor

Each type of model is known there by its name alone, with the placeholders and the scaling of pictures written into the
program; see the classes for what follows from that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import onnx

from workflows.bundle import Bundle
from workflows.bundle.genai.keys import Json, put, value_at
from workflows.bundle.genai.to_version1 import DecoderGeometry, version1_of_decoder
from workflows.bundle.outline import Fault
from workflows.common.tensors import TensorSpec
from workflows.graph.load import load_graph
from workflows.graph.signature import signature_of
from workflows.runtime.program.program import Program


@dataclass(frozen=True)
class GraphPorts:
    """The inputs and outputs of a session's graph, by name."""

    inputs: Mapping[str, TensorSpec]
    outputs: Mapping[str, TensorSpec]


class CompositeExport(ABC):
    """A bundle with several graphs as one of genai's types of models."""

    kind: str  # genai's name of the type
    sessions: Mapping[str, str]  # the bundle's name of each session → genai's

    def __init__(self, bundle: Bundle, program: Program) -> None:
        self.bundle, self.program = bundle, program

    @abstractmethod
    def faults(self) -> Iterator[Fault]:
        """What genai cannot express, beyond what it cannot of any model."""

    @property
    def applied(self) -> frozenset[str]:
        """The generation settings that the exported graphs apply."""
        return frozenset()

    @abstractmethod
    def adapt(self, session: str, model: onnx.ModelProto) -> onnx.ModelProto | None:
        """A copy of a session's graph that genai can feed; None where no change is needed."""

    @abstractmethod
    def describe(self, config: Json) -> None:
        """Writes the keys of this type into `model` of the configuration."""

    @abstractmethod
    def files(self) -> dict[str, Json]:
        """The files that tell how recordings and pictures become tensors: name → content."""

    @abstractmethod
    def sample(self) -> tuple[str, dict[str, str]] | None:
        """The sample's page, and its facts beside those of every sample; None where the bundle does not say them."""

    def ports(self, session: str) -> GraphPorts:
        """The inputs and outputs of a session as it stands in the bundle."""
        file = self.bundle.pipeline.pipeline.sessions[session].file
        ends = signature_of(load_graph(self.bundle.file(file)).proto)
        return GraphPorts({one.name: one for one in ends.inputs}, {one.name: one for one in ends.outputs})

    def configuration(self, geometry: DecoderGeometry, files: Mapping[str, str], defaults: Json) -> Json:
        """genai_config.json. files: by the bundle's names of the sessions. defaults: of `search`."""
        # present is a tensor of its own, since the number of slots of the past tells how many tokens there were
        made = version1_of_decoder(self.bundle.pipeline, geometry, shares_buffer=False, defaults=defaults)
        put(made, "model.type", self.kind)
        for session, part in self.sessions.items():
            put(made, f"model.{part}.filename", files[session])
        self.describe(made)
        return made

    def checkpoint_value(self, *paths: str) -> object | None:
        """The first of these values of the checkpoint's config.json that is there."""
        config = self.bundle.json_object("tokenizer/config.json") or {}
        return next((value for path in paths if (value := value_at(config, path)) is not None), None)


def session_faults(program: Program, wanted: Sequence[str]) -> Iterator[Fault]:
    """Yields a fault where the sessions are not these, each of them one graph."""
    names = {name for run in program.runs.values() for name in run.sessions}
    if names != {*wanted}:
        message = f"genai runs {', '.join(wanted)}, and this bundle has {', '.join(sorted(names))}"
        yield Fault("pipeline.sessions", f"{message}: build with graphs=single")
