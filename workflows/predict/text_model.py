"""Runs one graph without a cache over texts, as many at once as the graph takes.

EncodedText … ──sorted by length──▶ batches ──input_ids, attention_mask, token_type_ids [B,S]──▶ rows of each text
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from workflows.bundle import Bundle, read_bundle
from workflows.common.errors import BundleError, Cancelled, LogitsError, printable
from workflows.common.tensor_names import IDS, MASK
from workflows.common.tensors import TensorSpec
from workflows.predict.text_encoder import EncodedText, TextEncoder
from workflows.runtime.loading.sessions import open_session
from workflows.runtime.providers import device_named
from workflows.runtime.single_graph import SingleGraph, single_opening

TYPES = "token_type_ids"
_ROWS, _TOKENS = 32, 4096  # of a batch at most; more rows do not make a row faster


class TextModel:
    """An open bundle that reads texts. output: the first output of its graph."""

    def __init__(self, bundle: Bundle, graph: SingleGraph, output: TensorSpec) -> None:
        self.bundle, self._graph, self.output = bundle, graph, output
        self._specs = {spec.name: spec for spec in graph.inputs}
        rows, columns = self._specs[IDS].shape
        self._rows = 1 if _scales_batches(bundle) else _ROWS if isinstance(rows, str) else rows
        self._fixed_rows = None if isinstance(rows, str) else rows
        self._columns = columns if isinstance(columns, int) else None
        self.encoder = TextEncoder.of_bundle(bundle, self._columns)

    @classmethod
    def open(cls, folder: str | Path, provider: str) -> Self:
        """Opens a bundle of one graph. Raises BundleError for one whose graph reads no tokens."""
        bundle = read_bundle(folder)
        graph = SingleGraph(open_session(single_opening(bundle, device_named(provider))))
        names = {spec.name: spec for spec in graph.inputs}
        if unknown := next((name for name in names if name not in (IDS, MASK, TYPES)), None):
            raise BundleError(f"{bundle.folder} takes {printable(unknown)}, so its graph reads no texts.")
        if IDS not in names or len(names[IDS].shape) != 2:
            raise BundleError(f"{bundle.folder} takes no {IDS} of texts and tokens, so its graph reads no texts.")
        return cls(bundle, graph, graph.outputs[0])

    @property
    def pad(self) -> int:
        return self.bundle.pipeline.tokens.pad or 0

    def run(
        self, texts: Sequence[EncodedText], cancelled: Callable[[], bool] = lambda: False
    ) -> list[NDArray[np.float32]]:
        """The first output of each text in order, without padding: [S, n] where tokens have numbers, else [n].

        Raises LogitsError for numbers that are not finite, Cancelled between two batches, and what SingleGraph.run
        raises.
        """
        results: dict[int, NDArray[np.float32]] = {}
        for batch in self._batches(texts):
            if cancelled():
                raise Cancelled("The texts were not read to the end.")
            outputs = self._graph.run(self._inputs([texts[place] for place in batch]))[self.output.name]
            for row, place in enumerate(batch):
                found = outputs[row].astype(np.float32)
                results[place] = found[: len(texts[place].ids)] if found.ndim == 2 else found
                if not np.isfinite(results[place]).all():
                    raise LogitsError(
                        f"The graph gives NaN or infinity for text {place + 1}: build the bundle in a higher precision."
                    )
        return [results[place] for place in range(len(texts))]

    def _batches(self, texts: Sequence[EncodedText]) -> Iterator[list[int]]:
        """Places of texts that run together: of similar lengths, so that little of a batch is padding."""
        batch: list[int] = []
        for place in sorted(range(len(texts)), key=lambda place: -len(texts[place].ids)):
            width = len(texts[batch[0]].ids) if batch else 0
            full = len(batch) >= self._rows or (len(batch) + 1) * width > _TOKENS
            if batch and (full or len(texts[place].ids) * 4 < width * 3):
                yield batch
                batch = []
            batch.append(place)
        if batch:
            yield batch

    def _inputs(self, texts: Sequence[EncodedText]) -> dict[str, NDArray[np.generic]]:
        rows, columns = self._fixed_rows or len(texts), self._columns or max(len(text.ids) for text in texts)
        arrays = {IDS: np.full((rows, columns), self.pad), MASK: np.zeros((rows, columns), int)}
        arrays[TYPES] = np.zeros_like(arrays[MASK])
        for row, text in enumerate(texts):
            length = len(text.ids)
            arrays[IDS][row, :length], arrays[TYPES][row, :length] = text.ids, text.types
            arrays[MASK][row, :length] = 1
        return {name: arrays[name].astype(spec.numpy_dtype) for name, spec in self._specs.items()}


def _scales_batches(bundle: Bundle) -> bool:
    """Whether the graph may quantize activations with one scale for all texts of a batch, which would change each.

    The name of such an operator stands in the file as it is; another use of the word only keeps texts single.
    """
    (session,) = bundle.pipeline.pipeline.sessions.values()
    with bundle.file(session.file).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(b"DynamicQuantize") >= 0


def truncation_note(name: str, text: EncodedText) -> str:
    """What was left out of a text, as a sentence; empty where nothing was."""
    if not text.truncated:
        return ""
    return f"{name} has {text.total:,} tokens, and the model reads {len(text.ids):,}: the rest was left out."
