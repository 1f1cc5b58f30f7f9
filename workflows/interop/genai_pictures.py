"""Models with pictures in onnxruntime-genai: vision, embedding and decoder, each of them one graph.

    genai provides                              the graphs take
    pixel_values, image_grid_thw         ──▶    the same (Qwen-VL)
    attention_mask, position_ids         ──▶    masks; positions of one or three numbers
    image_features [rows, width]         ──▶    rows, with those of the first layers behind them (deepstack)
    inputs_embeds [1, tokens, width]     ──▶    both parts, divided again in the decoder

genai makes the tensors between two graphs itself, all of them `decoder.hidden_size` wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx
from onnx import helper

from workflows.bundle.genai.keys import Json, put
from workflows.bundle.outline import Fault
from workflows.common import tensor_names
from workflows.common.errors import BundleError, MediaError
from workflows.common.tensors import TensorSpec
from workflows.generate.picture_prompts import picture_settings
from workflows.interop.genai_composites import CompositeExport, session_faults
from workflows.interop.genai_graphs import StepEnds, feed_step
from workflows.interop.genai_speech import operation
from workflows.media import picture_processor
from workflows.recipe.cut import ComponentRole

_FILE = "vision_processor.json"  # transformers has a processor_config.json of its own
_FILTERS = {0: "NEAREST", 1: "LANCZOS", 2: "LINEAR", 3: "CUBIC"}  # Pillow's number → genai's name


class PicturesExport(CompositeExport):
    """What the types with pictures have in common."""

    sessions: Mapping[str, str] = {
        ComponentRole.VISION: "vision",
        ComponentRole.EMBEDDINGS: "embedding",
        ComponentRole.DECODER: "decoder",
    }
    placeholder: str  # what stands for a picture in genai's prompts

    def faults(self) -> Iterator[Fault]:
        """The scaling of pictures must be one that genai has."""
        yield from session_faults(self.program, list(self.sessions))
        where = "tokenizer/preprocessor_config.json"
        try:
            settings = self.settings()
        except (BundleError, MediaError) as error:
            yield Fault(where, str(error).removesuffix("."))
            return
        if settings["resample"] not in _FILTERS:
            yield Fault(where, f"genai has no filter {settings['resample']} for the scaling of pictures")

    def settings(self) -> dict[str, object]:
        """How pictures become tensors. Raises BundleError or MediaError where the bundle does not say."""
        return picture_processor(picture_settings(self.bundle)).settings

    def adapt(self, session: str, model: onnx.ModelProto) -> onnx.ModelProto | None:
        """See CompositeExport."""
        ends = _PictureEnds(model)
        if session == ComponentRole.EMBEDDINGS and tensor_names.DEEPSTACK in ends.outputs:
            ends.join_deepstack()
        if session == ComponentRole.DECODER:
            self.feed(ends)
            if tensor_names.DEEPSTACK in ends.specs:
                ends.divide_deepstack()
        return ends.model() if ends.changed else None

    def feed(self, ends: StepEnds) -> None:
        """Adapts the decoder, whose reply never has a placeholder: there would be no picture for it."""
        feed_step(ends, ComponentRole.DECODER, self.program)
        ends.suppress([self.placeholder_token])

    @property
    def placeholder_token(self) -> int:
        """The token that rows of pictures replace."""
        return (self.program.places or {})["image"]

    def describe(self, config: Json) -> None:
        """See CompositeExport."""
        features = self.ports(ComponentRole.VISION).outputs[tensor_names.FEATURES]
        put(config, "model.decoder.hidden_size", int(features.shape[-1]))  # of the tensors between the graphs
        put(config, "model.decoder.inputs.inputs_embeds", tensor_names.EMBEDS)
        put(config, "model.decoder.inputs.attention_mask", tensor_names.MASK)
        put(config, "model.decoder.inputs.position_ids", tensor_names.POSITIONS)
        put(config, "model.decoder.outputs.logits", tensor_names.LOGITS)
        put(config, "model.embedding.inputs.input_ids", tensor_names.IDS)
        put(config, "model.embedding.inputs.image_features", tensor_names.FEATURES)
        put(config, "model.embedding.outputs.inputs_embeds", tensor_names.EMBEDS)
        put(config, "model.vision.config_filename", _FILE)
        put(config, "model.vision.outputs.image_features", tensor_names.FEATURES)
        put(config, "model.vision.inputs.pixel_values", tensor_names.PIXELS)

    def sample(self) -> tuple[str, dict[str, str]] | None:
        """See CompositeExport."""
        return "genai_pictures.py.txt", {"placeholder": self.placeholder}

    def processor(self, resize: Mapping[str, object], *further: Json) -> dict[str, Json]:
        """A picture to values in the order of its pixels, and what follows. resize: beside the filter."""
        settings = self.settings()
        decode = operation("decode_image", "DecodeImage", {"color_space": "RGB"})
        scaled = operation("resize", "Resize", {"interpolation": _FILTERS[_whole(settings["resample"])], **resize})
        values = operation("rescale", "Rescale", {"rescale_factor": float(str(settings.get("rescale_factor", 1.0)))})
        steps = [decode, scaled, values]
        if settings["do_normalize"]:
            numbers = {short: settings[f"image_{short}"] for short in ("mean", "std")}
            steps.append(operation("normalize", "Normalize", numbers))
        name = f"{self.kind}_image_processor"
        return {_FILE: {"processor": {"name": name, "transforms": [*steps, *further]}}}


class GridsExport(PicturesExport):
    """Qwen2-VL and its successors: pictures of any size, positions of three numbers that genai computes."""

    placeholder = "<|vision_start|><|vision_end|>"

    def describe(self, config: Json) -> None:
        """See CompositeExport."""
        super().describe(config)
        settings = self.settings()
        put(config, "model.vision.inputs.image_grid_thw", tensor_names.GRIDS)
        put(config, "model.vision.spatial_merge_size", settings["merge_size"])
        put(config, "model.vision.patch_size", settings["patch_size"])
        for name in ("vision_start_token_id", "video_token_id", "image_token_id"):
            if (token := self.checkpoint_value(name)) is not None:
                put(config, f"model.{name}", token)

    def faults(self) -> Iterator[Fault]:
        """genai counts pictures by the token before them."""
        yield from super().faults()
        if not isinstance(self.checkpoint_value("vision_start_token_id"), int):
            message = "genai finds pictures by the token before them, and the file names no vision_start_token_id"
            yield Fault("tokenizer/config.json", message)

    def files(self) -> dict[str, Json]:
        """A picture to patches in blocks."""
        settings = self.settings()
        sizes = {name: settings[name] for name in ("patch_size", "merge_size")}
        size = settings["size"]
        assert isinstance(size, dict)
        bounds = {"min_pixels": size["shortest_edge"], "max_pixels": size["longest_edge"]}
        patches = {**sizes, "temporal_patch_size": settings["temporal_patch_size"]}
        resize = {"smart_resize": 1, **sizes, **bounds}
        return self.processor(resize, operation("patch_image", "PatchImage", patches))


class Gemma3Export(PicturesExport):
    """Gemma 3: pictures of one size, of 256 rows each, whose places attend to each other in both directions."""

    kind = "gemma3"
    placeholder = "<start_of_image>"
    rows = 256  # of a picture, which genai writes into every prompt

    def faults(self) -> Iterator[Fault]:
        """Any other number of rows cannot be."""
        yield from super().faults()
        if (rows := self.checkpoint_value("mm_tokens_per_image")) != self.rows:
            message = f"genai gives each picture of its type gemma3 {self.rows} tokens, and this model has {rows}"
            yield Fault("tokenizer/config.json: mm_tokens_per_image", message)

    def adapt(self, session: str, model: onnx.ModelProto) -> onnx.ModelProto | None:
        """See CompositeExport. genai gives each picture's features as one item [rows, width]."""
        if session == ComponentRole.DECODER:
            ends = _PictureEnds(model, blocks=self.placeholder_token)
            self.feed(ends)
            ends.read_ids()
            return ends.model()
        ends = _PictureEnds(model)
        if session == ComponentRole.VISION:
            ends.stack(ends.outputs[tensor_names.FEATURES], self.rows)
        else:
            ends.unstack(ends.specs[tensor_names.FEATURES])
        return ends.model()

    def files(self) -> dict[str, Json]:
        """A picture to one size, its channels first."""
        size = self.settings()["size"]
        assert isinstance(size, dict)
        resize = {"height": size["height"], "width": size["width"], "keep_aspect_ratio": 0}
        return self.processor(resize, operation("channels_first", "Permute3D", {"dims": [2, 0, 1]}))


class _PictureEnds(StepEnds):
    """Adds what graphs of pictures need."""

    def join_deepstack(self) -> None:
        """One output with the embeddings and what the first layers add."""
        ends = [self._renamed(name) for name in (tensor_names.EMBEDS, tensor_names.DEEPSTACK)]
        self._after.append(helper.make_node("Concat", ends, [tensor_names.EMBEDS], axis=-1))
        kept = [value for value in self._graph.output if value.name != tensor_names.DEEPSTACK]
        del self._graph.output[:]
        self._graph.output.extend(kept)
        self._widen(tensor_names.EMBEDS, self.outputs[tensor_names.DEEPSTACK])

    def divide_deepstack(self) -> None:
        """One input in place of the embeddings and what the first layers add."""
        width = int(self.specs[tensor_names.EMBEDS].shape[-1])
        whole, axis = tensor_names.EMBEDS, self._numbers(2)
        ends = (self._numbers(0), self._numbers(width), self._numbers(1 << 30))
        more = self._node("Slice", whole, ends[1], ends[2], axis)
        self._reroute(whole, self._node("Slice", whole, ends[0], ends[1], axis))
        self._replace(tensor_names.DEEPSTACK, more)
        self._widen(whole, self.specs[tensor_names.DEEPSTACK])

    def _widen(self, name: str, by: TensorSpec) -> None:
        """Adds the width of `by` to that of an input or output."""
        for value in (*self._graph.input, *self._graph.output):
            if value.name == name:
                value.type.tensor_type.shape.dim[2].dim_value += int(by.shape[-1])

    def read_ids(self) -> None:
        """The input of the step's tokens, which tell where pictures are."""
        columns = self.specs[self._columns].shape[1]
        self._graph.input.append(helper.make_tensor_value_info(tensor_names.IDS, onnx.TensorProto.INT64, [1, columns]))

    def stack(self, spec: TensorSpec, rows: int) -> None:
        """The output [rows of all, width] as [pictures, rows, width]."""
        made, width = self._renamed(spec.name), int(spec.shape[-1])
        self._after.append(helper.make_node("Reshape", [made, self._numbers(-1, rows, width)], [spec.name]))
        (value,) = (one for one in self._graph.output if one.name == spec.name)
        kind = value.type.tensor_type.elem_type
        value.CopyFrom(helper.make_tensor_value_info(spec.name, kind, ["pictures", rows, width]))

    def unstack(self, spec: TensorSpec) -> None:
        """The input [rows of all, width], which genai gives in two axes or three: its shape is left open."""
        self._reroute(spec.name, self._node("Reshape", spec.name, self._numbers(-1, int(spec.shape[-1]))))
        (value,) = (one for one in self._graph.input if one.name == spec.name)
        value.type.tensor_type.ClearField("shape")


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
