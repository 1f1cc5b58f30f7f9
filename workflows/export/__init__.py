"""A checkpoint and a recipe in; ONNX sub-graphs over their weight files out.

load ──▶ a cut: thin modules around the model ──torch.onnx──▶ decoder.onnx + weights.data, encoder.onnx …
                     │                                            └── fixed axes ──▶ prefill.onnx, decode.onnx
                     └─ attention.py: the seam through which every model's attention meets its cache

decoder.py · encoder_decoder.py · remote.py · single.py   one kind of cut each
inplace.py   seams whose graph writes the cache itself;  signature.py   names, examples and axes of a graph
saving.py    what was traced as the parts of the recipe's cut
"""

from workflows.export.components import export_components

__all__ = ["export_components"]
