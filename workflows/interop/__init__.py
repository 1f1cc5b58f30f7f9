"""Imports and exports foreign formats: loose .onnx files, optimum's exports, onnxruntime-genai's folders.

{name: graph file} ──optimum_decoders──▶ graphs without branches ──signatures──▶ pipeline │ what is missing
                                            └──graph_folder──▶ folder: graphs and their weights ─▶ bundle
"""
