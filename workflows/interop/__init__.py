"""Other people's graphs: .onnx files in, a bundle out.

{name: graph file} ──branches──▶ graphs without a choice in them ──signatures──▶ pipeline │ what is lacking
                                      └──copying──▶ folder: graphs, the weights that they refer to ─▶ bundle
"""
