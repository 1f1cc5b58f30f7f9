"""Runs one graph that reads a picture: preprocessor_config.json says how a file becomes its pixel_values.

file ──read_picture──▶ Picture ──processor──▶ pixel_values [1,C,H,W] ──▶ outputs
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from workflows.bundle import Bundle, read_bundle
from workflows.checkpoint.picture_settings import with_kind
from workflows.common.errors import BundleError, LogitsError, MediaError, printable
from workflows.common.tensor_names import PIXELS
from workflows.generate.picture_prompts import picture_settings
from workflows.media import Picture, SizedProcessor
from workflows.runtime.loading.sessions import open_session
from workflows.runtime.providers import device_named
from workflows.runtime.single_graph import Arrays, SingleGraph, single_opening

Processor = TypeVar("Processor", bound=SizedProcessor)


class PictureModel(Generic[Processor]):
    """An open bundle whose graph reads pixel_values alone. pixels: that input; output: the graph's first one."""

    def __init__(self, bundle: Bundle, graph: SingleGraph, processor: Processor) -> None:
        self.bundle, self._graph, self.processor = bundle, graph, processor
        self.pixels, self.output = graph.inputs[0], graph.outputs[0]

    @property
    def size(self) -> tuple[int, int] | None:
        """The (height, width) of the only pictures that the graph takes; None where it takes any."""
        height, width = self.pixels.shape[2:]
        return (height, width) if isinstance(height, int) and isinstance(width, int) else None

    def prepare(self, picture: Picture) -> NDArray[np.float32]:
        """[1, C, H, W]. Raises MediaError for a picture that the model cannot take."""
        return np.asarray(self.processor([picture]).tensors[PIXELS])

    def run(self, pixels: NDArray[np.float32]) -> Arrays:
        """The graph's outputs. Raises MediaError for pixels that do not fit, LogitsError for results not finite."""
        axes = zip(self.pixels.shape, pixels.shape, strict=True)
        if any(isinstance(axis, int) and axis != size for axis, size in axes):
            wanted, given = (" × ".join(map(str, shape)) for shape in (self.pixels.shape, pixels.shape))
            raise MediaError(
                f"preprocessor_config.json of the bundle makes {given} numbers of the picture, and the graph takes "
                f"{wanted}: correct the checkpoint's file and build the bundle again."
            )
        outputs = self._graph.run({PIXELS: pixels.astype(self.pixels.numpy_dtype)})
        if not np.isfinite(outputs[self.output.name].astype(np.float32)).all():
            raise LogitsError(
                "The graph gives NaN or infinity for the picture: build the bundle in a higher precision."
            )
        return outputs

    @classmethod
    def open(
        cls, folder: str | Path, provider: str, task: str, make: Callable[[Mapping[str, object]], Processor]
    ) -> Self:
        """Opens a bundle built for `task`; make: a processor of settings. Raises BundleError for another bundle."""
        bundle = read_bundle(folder)
        built = bundle.pipeline.metadata.task
        if built != task:
            raise BundleError(
                f"{bundle.folder} was built for {printable(built or 'another task')}: give a bundle for {task}."
            )
        processor = make(with_kind(picture_settings(bundle), bundle.pipeline.metadata.model_type))
        graph = SingleGraph(open_session(single_opening(bundle, device_named(provider))))
        if [spec.name for spec in graph.inputs] != [PIXELS] or len(graph.inputs[0].shape) != 4:
            taken = ", ".join(printable(spec.name) for spec in graph.inputs)
            raise BundleError(f"{bundle.folder} takes {taken}, and a graph that reads a picture takes {PIXELS} alone.")
        return cls(bundle, graph, processor)
