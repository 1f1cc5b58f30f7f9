"""The inspect page: a bundle or an .onnx file in, its graphs, cache, passes and details out."""
