"""The text that stands for a picture in a prompt: one placeholder becomes as many tokens as the encoder gives rows.

prompt with placeholders + PictureLayout of each picture ──expand_pictures──▶ prompt with a token per feature row

    Idefics3, SmolVLM   <fake_token_around_image><row_1_col_1><image>…, a line per row of tiles, the whole picture last
    Qwen-VL             <|image_pad|> per merged patch; the chat template writes the tokens around them
    GLM-4.1V            <|image|> likewise
    Mistral 3           [IMG] per block of patches, [IMG_BREAK] behind each row of them, [IMG_END] behind the last
    Aya Vision          <|START_OF_IMG|>TILE_1<|IMG_PATCH|>…TILE_GLOBAL<|IMG_PATCH|>…<|END_OF_IMG|>
    InternVL            <img><IMG_CONTEXT>…</img> for the tiles and the whole picture
    LLaVA               <image> per patch; LLaVA-NeXT and OneVision: for the whole, the rows of the tiles, their ends
    Gemma 3             <start_of_image><image_soft_token>…<end_of_image> between empty lines
    Gemma 4             <|image> and <image|> around <|image|> per block of patches
    PaliGemma           <image> per patch; <bos> behind the last picture, and a line's end behind the prompt
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from workflows.common.errors import MediaError, printable
from workflows.common.tensor_names import PLACES, WEIGHTS
from workflows.media.options import Options
from workflows.media.pictures.packed_rows import packed_rows
from workflows.media.pictures.processor import PictureLayout

KINDS = {
    "AyaVisionProcessor": None,
    "Idefics3Processor": "image_seq_len",
    "SmolVLMProcessor": "image_seq_len",
    "Gemma3Processor": "image_seq_length",
    "InternVLProcessor": "image_seq_length",
    "LlavaProcessor": "patch_size",
    "LlavaNextProcessor": "patch_size",
    "LlavaOnevisionProcessor": "num_image_tokens",
    "PaliGemmaProcessor": "image_seq_length",
    "PixtralProcessor": None,
    "Gemma4Processor": None,
    "Glm4vProcessor": None,
    "Glm46VProcessor": None,
    "Qwen2VLProcessor": None,
    "Qwen2_5_VLProcessor": None,
    "Qwen3VLProcessor": None,
}
"""Processor class → the key of the number of tokens of a picture or a tile; None where it follows from the picture.

LLaVA's is derived: a token for each patch of this size.
"""
_MOST = "anyres_max_"  # the start of OneVision's vision_aspect_ratio
_DEFAULT_TOKENS = {"image_seq_len": 169, "image_seq_length": 256}


class PictureTokens(Protocol):
    """placeholder: what stands for a picture in a prompt. token: what each row of picture features replaces."""

    @property
    def placeholder(self) -> str: ...

    @property
    def token(self) -> str: ...

    @property
    def settings(self) -> dict[str, object]:
        """By the names of processor_config.json."""

    def text(self, layout: PictureLayout) -> str:
        """What replaces the placeholder of a picture."""


@dataclass(frozen=True)
class TileTokens:
    """count: tokens of a tile."""

    kind: str
    count: int
    placeholder = token = "<image>"
    _edge = "<fake_token_around_image>"

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {"processor_class": self.kind, "image_seq_len": self.count}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        images = self.token * self.count
        rows = [
            "".join(f"{self._edge}<row_{row}_col_{column}>{images}" for column in range(1, layout.columns + 1)) + "\n"
            for row in range(1, layout.rows + 1)
        ]
        return "".join([*rows, "\n" if rows else "", f"{self._edge}<global-img>{images}{self._edge}"])


@dataclass(frozen=True)
class GridTokens:
    """A token per feature row."""

    kind: str
    placeholder = token = "<|image_pad|>"

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {"processor_class": self.kind}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        return self.token * (layout.rows * layout.columns)


@dataclass(frozen=True)
class GlmTokens(GridTokens):
    """The same by another name."""

    placeholder = token = "<|image|>"


@dataclass(frozen=True)
class RowTokens:
    """A token per feature row, and one at the end of each of the picture's rows."""

    kind: str
    placeholder = token = "[IMG]"

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {"processor_class": self.kind}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        return "[IMG_BREAK]".join([self.token * layout.columns] * layout.rows) + "[IMG_END]"


@dataclass(frozen=True)
class BlockTokens:
    """A token per block of patches, between one that begins a picture and one that ends it."""

    kind: str
    placeholder = token = "<|image|>"

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {"processor_class": self.kind}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        return f"<|image>{self.token * (layout.rows * layout.columns)}<image|>"


@dataclass(frozen=True)
class FramedTokens:
    """count: tokens of a picture."""

    kind: str
    count: int
    placeholder = "<start_of_image>"
    token = "<image_soft_token>"

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {"processor_class": self.kind, "image_seq_length": self.count}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        return f"\n\n{self.placeholder}{self.token * self.count}<end_of_image>\n\n"


@dataclass(frozen=True)
class PrefixTokens:
    """count: tokens of a picture. Its processor writes the special tokens of the whole prompt."""

    kind: str
    count: int
    placeholder = token = "<image>"

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {"processor_class": self.kind, "image_seq_length": self.count}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        return self.token * self.count

    def prompt(self, text: str) -> str:
        """A text with its pictures, with all special tokens."""
        end = text.rfind(self.token) + len(self.token) if self.token in text else 0
        return f"{text[:end]}<bos>{text[end:]}\n"


@dataclass(frozen=True)
class BetweenTokens:
    """count: tokens of a tile."""

    kind: str
    count: int
    placeholder = token = "<IMG_CONTEXT>"

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {"processor_class": self.kind, "image_seq_length": self.count}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        tiles = layout.rows * layout.columns
        return f"<img>{self.token * self.count * (tiles + (tiles > 1))}</img>"


@dataclass(frozen=True)
class NumberedTokens:
    """count: tokens of a tile, each of which has its number before them."""

    kind: str
    count: int
    placeholder, token = "<image>", "<|IMG_PATCH|>"

    @classmethod
    def from_options(cls, kind: str, options: Options) -> NumberedTokens:
        for name, value in (("image_token", cls.placeholder), ("img_patch_token", cls.token),
                            ("start_of_img_token", "<|START_OF_IMG|>"), ("end_of_img_token", "<|END_OF_IMG|>"),
                            ("tile_token", "TILE"), ("tile_global_token", "TILE_GLOBAL")):  # fmt: skip
            options.only(name, value, "that is the token of its published checkpoints")
        options.ignore("img_line_break_token")  # which it does not write
        patch, factor = options.integer("patch_size", 28, highest=4096), options.integer("downsample_factor", 1)
        side = options.integer("img_size", 364, lowest=patch * factor) // (patch * factor)
        return cls(kind, side * side)

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {"processor_class": self.kind, "patch_size": 1, "downsample_factor": 1, "img_size": isqrt(self.count)}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        tiles, images = layout.rows * layout.columns, self.token * self.count
        numbered = [f"TILE_{number}{images}" for number in range(1, tiles + 1)] if tiles > 1 else []
        return "".join(["<|START_OF_IMG|>", *numbered, f"TILE_GLOBAL{images}", "<|END_OF_IMG|>"])


@dataclass(frozen=True)
class PatchTokens:
    """A token per patch. patch, height, width: pixels. more: tokens besides; strategy: `default` leaves one out."""

    kind: str
    patch: int
    strategy: str
    more: int
    height: int
    width: int
    placeholder = token = "<image>"

    @classmethod
    def from_options(cls, kind: str, options: Options, pictures: Mapping[str, object]) -> PatchTokens:
        """pictures: the settings of the picture processor."""
        options.only("image_token", cls.token, "that is the placeholder of its chat templates")
        patch = options.integer("patch_size", 0, lowest=1, highest=4096)
        strategy = options.get("vision_feature_select_strategy", "full")
        if strategy not in ("default", "full"):
            raise options.fault("vision_feature_select_strategy", "default or full")
        more = options.integer("num_additional_image_tokens", 0, lowest=0, highest=4096)
        sizes = Options(pictures, kind).get("crop_size" if pictures.get("do_center_crop") else "size", {})
        if not isinstance(sizes, Mapping) or not sizes.keys() >= {"height", "width"}:
            raise MediaError("The settings of the pictures do not say their height and width: add a size with both.")
        return cls(kind, patch, str(strategy), more, int(sizes["height"]), int(sizes["width"]))

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        return {
            "processor_class": self.kind,
            "patch_size": self.patch,
            "vision_feature_select_strategy": self.strategy,
            "num_additional_image_tokens": self.more,
        }

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        patches = (self.height // self.patch) * (self.width // self.patch)
        return self.token * (patches + self.more - (self.strategy == "default"))


@dataclass(frozen=True)
class PackedTokens:
    """A token per feature row of the whole picture, of what its tiles show of it, and at the end of each line of these.

    edge, side: pixels and feature rows along a tile. most: tiles whose rows a picture may have; None for any number.
    """

    kind: str
    edge: int
    side: int
    most: int | None
    placeholder = token = "<image>"

    @classmethod
    def from_options(cls, kind: str, options: Options, pictures: Mapping[str, object]) -> PackedTokens:
        """pictures: the settings of the picture processor."""
        options.only("image_token", cls.token, "that is the placeholder of its chat templates")
        options.ignore("video_token")
        size = pictures.get("size")
        edge = size.get("height") or size.get("shortest_edge") if isinstance(size, Mapping) else None
        if not isinstance(edge, int):
            raise MediaError("The settings of the pictures do not say their height and width: add a size with both.")
        left_out = int(options.get("vision_feature_select_strategy", "full") == "default")
        if kind == "LlavaNextProcessor":
            side, most = edge // options.integer("patch_size", 0, lowest=1, highest=edge), None
            more = options.integer("num_additional_image_tokens", 0, lowest=0, highest=4096)
        else:
            count, ratio = options.integer("num_image_tokens", 0), str(options.get("vision_aspect_ratio", f"{_MOST}9"))
            if not ratio.removeprefix(_MOST).isdecimal():
                raise options.fault("vision_aspect_ratio", f"{_MOST} and a number")
            side, most = isqrt(count), int(ratio.removeprefix(_MOST))
            more = count - side * side
        if more != left_out:
            raise MediaError(
                f"{kind} has tiles of {side * side + more - left_out:,} tokens, which are no square: correct "
                "vision_feature_select_strategy or the number of tokens."
            )
        return cls(kind, edge, side, most)

    @property
    def settings(self) -> dict[str, object]:
        """See PictureTokens."""
        made: dict[str, object] = {"processor_class": self.kind, "vision_feature_select_strategy": "full"}
        if self.most is None:
            return made | {"patch_size": self.edge // self.side}
        return made | {"num_image_tokens": self.side * self.side, "vision_aspect_ratio": f"{_MOST}{self.most}"}

    def text(self, layout: PictureLayout) -> str:
        """See PictureTokens."""
        return self.token * len(packed_rows([layout], self.side, self.most)[0])


def feature_places(tokens: PictureTokens, layouts: Sequence[PictureLayout]) -> dict[str, NDArray[Any]]:
    """The inputs of an encoder that is given which of its rows to join; none for another one."""
    if not isinstance(tokens, PackedTokens):
        return {}
    places, weights = packed_rows(layouts, tokens.side, tokens.most)
    return {PLACES: places.astype(np.int64), WEIGHTS: weights.astype(np.float32)}


def picture_tokens(settings: Mapping[str, object], pictures: Mapping[str, object] | None = None) -> PictureTokens:
    """The token layout that a processor_config.json describes, by its processor_class.

    pictures: the settings of the picture processor, on which LLaVA's tokens depend.

    Older checkpoints name the class in preprocessor_config.json or tokenizer_config.json, and may leave out the number
    of tokens; it is then the one that transformers takes. Raises MediaError for a class that is not known.
    """
    kind = str(settings.get("processor_class"))
    if kind not in KINDS:
        raise MediaError(
            f"The picture tokens of a processor_class {printable(kind, 60)} are not known: there are "
            f"{', '.join(sorted(KINDS))}."
        )
    options, key = Options(settings, kind), KINDS[kind]
    options.ignore("image_processor", "video_processor", "feature_extractor", "tokenizer", "chat_template")
    if kind in ("LlavaNextProcessor", "LlavaOnevisionProcessor"):
        packed = PackedTokens.from_options(kind, options, pictures or {})
        options.finish()
        return packed
    if key == "patch_size":
        of_patches = PatchTokens.from_options(kind, options, pictures or {})
        options.finish()
        return of_patches
    if kind == "PixtralProcessor":
        for name, value in (
            ("image_token", "[IMG]"),
            ("image_break_token", "[IMG_BREAK]"),
            ("image_end_token", "[IMG_END]"),
        ):
            options.only(name, value, "that is the token of its published checkpoints")
        options.ignore("patch_size", "spatial_merge_size")  # of the picture processor
        options.finish()
        return RowTokens(kind)
    default = 0 if kind == "PaliGemmaProcessor" else _DEFAULT_TOKENS.get(str(key), 0)
    if kind == "AyaVisionProcessor":
        numbered = NumberedTokens.from_options(kind, options)
        options.finish()
        return numbered
    if kind == "Gemma4Processor":
        options.ignore("image_seq_length", "audio_seq_length", "audio_ms_per_token")  # it counts the patches
        options.finish()
        return BlockTokens(kind)
    count = options.integer(key, default, highest=65_536) if key else 0
    options.finish()
    if key is None:
        return GlmTokens(kind) if kind.startswith("Glm") else GridTokens(kind)
    if key == "image_seq_len":
        return TileTokens(kind, count)
    counted: dict[str, Callable[[str, int], PictureTokens]] = {
        "Gemma3Processor": FramedTokens,
        "PaliGemmaProcessor": PrefixTokens,
    }
    return counted.get(kind, BetweenTokens)(kind, count)


def expand_pictures(prompt: str, tokens: PictureTokens, layouts: Sequence[PictureLayout]) -> str:
    """The prompt with its placeholders replaced, the first by the first picture's text and so on.

    Raises MediaError where there are not as many placeholders as pictures.
    """
    first, *others = prompt.split(tokens.placeholder)
    if len(others) != len(layouts):
        raise MediaError(
            f"The prompt has {len(others)} placeholders {tokens.placeholder} for {len(layouts)} pictures: "
            "each picture needs one."
        )
    return first + "".join(tokens.text(layout) + rest for layout, rest in zip(layouts, others, strict=True))
