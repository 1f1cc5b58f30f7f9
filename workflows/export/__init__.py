"""A checkpoint and a recipe in; ONNX sub-graphs over one weight file out.

    load ──▶ decoder.DecoderWithPast ──torch.onnx──▶ save ──▶ decoder.onnx + weights.data
                                                       └──fix_shapes──▶ prefill.onnx, decode.onnx over the same file
"""

from workflows.export.components import Exported, export_components

__all__ = ["Exported", "export_components"]
