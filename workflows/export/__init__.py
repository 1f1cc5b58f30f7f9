"""Exports a checkpoint and a recipe to ONNX graphs over shared weight files.

load ──▶ a cut: thin modules around the model ──torch.onnx──▶ decoder.onnx + weights.data, encoder.onnx …
                     │                                            └── fixed axes ──▶ prefill.onnx, decode.onnx
                     └─ attention.py: the cache adapter through which every model's attention reads its cache

decoder.py · encoder_decoder.py · remote_encoder_decoder.py · single_graph.py   modules, one kind of cut each
own_attention/   passes attention that does not go through transformers' interface to the cache adapter
in_place.py   adapters whose graph writes the cache;  signature.py   names, example inputs and axes of a graph
components.py  exports a recipe and saves its graphs: the entry point;  trace.py   torch's exporter
reference.py   the model's own logits, read without torch
"""
