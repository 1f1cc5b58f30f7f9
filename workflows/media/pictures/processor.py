"""The contract of picture processors: pictures → tensors of the vision encoder, and the layout of their tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from workflows.media.pictures.picture_file import Picture


@dataclass(frozen=True)
class PictureLayout:
    """What the number and the order of a picture's tokens follow from.

    rows, columns: of tiles, both 0 for a picture that is not divided (Idefics3, SmolVLM), both 1 likewise (InternVL);
    of the encoder's feature rows (Qwen-VL); 1 and 1 where every picture has the same tokens. height, width: of the
    picture in pixels, where its tokens depend on them (LLaVA-NeXT).
    """

    rows: int
    columns: int
    height: int = 0
    width: int = 0


@dataclass(frozen=True)
class PictureInputs:
    """tensors: by the encoder's input names, those of all pictures one after another. layouts: one per picture."""

    tensors: Mapping[str, NDArray[Any]]
    layouts: tuple[PictureLayout, ...]


class PictureProcessor(Protocol):
    """Made of settings by `picture_processor`; equal settings give equal values."""

    @property
    def settings(self) -> dict[str, object]:
        """All settings that change values, as JSON: the keys of preprocessor_config.json."""

    def __call__(self, pictures: Sequence[Picture]) -> PictureInputs:
        """The tensors of one or more pictures. Raises MediaError for a picture that the model cannot take."""


class SizedProcessor(PictureProcessor, Protocol):
    """One of a model that is a single graph over pixel_values."""

    @property
    def picture_size(self) -> tuple[int, int] | None:
        """The (height, width) that every picture gets; None where it depends on the picture."""
