"""Prompts with pictures: files to the tensors of the vision encoder, placeholders to a token for each of its rows.

files ──read──▶ pictures ──prepare──▶ tensors, layouts; text with a placeholder each ──▶ text with a token per row
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, PromptError
from workflows.common.tensor_names import GRIDS, PIXELS
from workflows.media import (
    Picture,
    PictureProcessor,
    PictureTokens,
    PrefixTokens,
    expand_pictures,
    feature_places,
    picture_processor,
    picture_tokens,
    read_picture,
)
from workflows.runtime.execution.prompt_inputs import NamedInputs

_FILES = ("tokenizer/preprocessor_config.json", "tokenizer/processor_config.json")

_MASK = "pixel_attention_mask"


def picture_settings(bundle: Bundle) -> dict[str, object]:
    """How a bundle's pictures are prepared, for `picture_processor`. Raises BundleError where it does not say."""
    settings, processor = (bundle.json_object(name) or {} for name in _FILES)
    if not settings and not processor:
        raise BundleError(
            f"The bundle has no {_FILES[0]}, which says how a picture is prepared: add the file to the checkpoint "
            "and build the bundle again."
        )
    kind = processor.get("processor_class") or settings.get("processor_class")
    own = processor if "image_processor" in processor else settings or processor
    part = own.get("image_processor")
    own = {**(part if isinstance(part, dict) else own), "processor_class": kind}
    if kind == "PixtralProcessor":  # the size of its blocks is the processor's
        own |= {"patch_size": processor.get("patch_size", 16)}
        own |= {"spatial_merge_size": processor.get("spatial_merge_size", 1)}
    return own


def single_pictures(tensors: NamedInputs) -> NamedInputs:
    """The tensors of several pictures, for an encoder that runs once for each: lists where their sizes differ."""
    grids = tensors.get(GRIDS)
    if grids is None:
        return tensors
    ends = np.cumsum(np.prod(np.asarray(grids), axis=1))[:-1]
    return {**tensors, PIXELS: np.split(np.asarray(tensors[PIXELS]), ends)}


class PicturePrompts:
    """How one bundle sees: its picture processor, and the text that stands for a picture."""

    def __init__(self, processor: PictureProcessor, tokens: PictureTokens) -> None:
        self._processor, self._tokens = processor, tokens

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> PicturePrompts:
        """Raises PromptError for a bundle that does not see, BundleError or MediaError where it does not say how."""
        if "image" not in bundle.pipeline.feature_tokens:
            raise PromptError("The bundle reads no pictures: leave the pictures out.")
        own, processor = picture_settings(bundle), bundle.json_object(_FILES[1]) or {}
        if own["processor_class"] == "PaliGemmaProcessor":  # the picture processor has the number of a picture's tokens
            processor = {**processor, "image_seq_length": own.get("image_seq_length")}
        pictures = picture_processor(own)
        tokens = picture_tokens({**processor, "processor_class": own["processor_class"]}, pictures.settings)
        return cls(pictures, tokens)

    @property
    def writes_special_tokens(self) -> bool:
        """Whether a prepared text has all its special tokens, so that the tokenizer adds none."""
        return isinstance(self._tokens, PrefixTokens)

    @staticmethod
    def read(files: Sequence[Path]) -> list[Picture]:
        """The pictures of files. Raises MediaError for one that cannot be read."""
        return [read_picture(file) for file in files]

    def with_placeholders(self, text: str, count: int) -> str:
        """A plain text with `count` pictures: before it, unless it has their placeholders."""
        return text if self._tokens.placeholder in text else self._tokens.placeholder * count + text

    def prepare(self, text: str, pictures: Sequence[Picture]) -> tuple[str, NamedInputs, list[int]]:
        """The text with a token for each row of features, the vision encoder's inputs, and the rows of each picture.

        Raises MediaError where the text has not one placeholder for each picture, or the model cannot take one.
        """
        if not pictures:
            return expand_pictures(text, self._tokens, ()), {}, []
        inputs = self._processor(pictures)
        # a mask that leaves out nothing is no input of the graphs
        tensors = {name: tensor for name, tensor in inputs.tensors.items() if name != _MASK or not tensor.all()}
        tensors |= feature_places(self._tokens, inputs.layouts)
        rows = [self._tokens.text(layout).count(self._tokens.token) for layout in inputs.layouts]
        expanded = expand_pictures(text, self._tokens, inputs.layouts)
        written = self._tokens.prompt(expanded) if isinstance(self._tokens, PrefixTokens) else expanded
        return written, tensors, rows
