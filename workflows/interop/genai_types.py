"""Which of onnxruntime-genai's types of models a composite becomes."""

from __future__ import annotations

from workflows.bundle import Bundle
from workflows.bundle.outline import Fault
from workflows.interop.genai_composites import CompositeExport
from workflows.interop.genai_pictures import Gemma3Export, GridsExport
from workflows.interop.genai_speech import WhisperExport
from workflows.runtime.program.program import Program


class Qwen25VLExport(GridsExport):
    """Qwen2-VL is one of these too: genai's part of both is the same."""

    kind = "qwen2_5_vl"


class Qwen3VLExport(GridsExport):
    """With what the first layers add behind each row of features."""

    kind = "qwen3_vl"


class Qwen35Export(GridsExport):
    """With state of fixed size in some of its layers, which genai finds by its names."""

    kind = "qwen3_5"


_TYPES: dict[str, type[CompositeExport]] = {
    "whisper": WhisperExport,
    "qwen2_vl": Qwen25VLExport,
    "qwen2_5_vl": Qwen25VLExport,
    "qwen3_vl": Qwen3VLExport,
    "qwen3_vl_moe": Qwen3VLExport,
    "qwen3_5": Qwen35Export,
    "gemma3": Gemma3Export,
}


def composite_export(bundle: Bundle, program: Program) -> CompositeExport | None:
    """The type of a bundle that reads pictures or sound; None where genai has none, and for models of text."""
    places = program.places or {}
    own = _TYPES.get(bundle.pipeline.metadata.model_type)
    if own is None or bundle.pipeline.metadata.genai or not (places or program.required_inputs):
        return None
    return own(bundle, program)


def composite_fault(bundle: Bundle, program: Program) -> Fault | None:
    """Why a bundle that reads pictures or sound has no type in genai; None for one that has, and for models of text."""
    places, kind = program.places or {}, bundle.pipeline.metadata.model_type
    if bundle.pipeline.metadata.genai or not (places or program.required_inputs):
        return None
    if composite_export(bundle, program) is not None:
        return None
    if kind == "mistral3":
        message = "genai scales pictures otherwise than mistral3 does, to other sizes and numbers of tokens"
        return Fault("metadata.model_type", message)
    reads = "sound" if "audio" in places or program.required_inputs else "pictures"
    known = ", ".join(name for name in _TYPES if (name == "whisper") == (reads == "sound"))
    message = f"the released genai has no type of model that reads {reads} as {kind} does: Joinery exports {known}"
    return Fault("metadata.model_type", message)
