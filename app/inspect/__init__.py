"""The inspect page: shows the graphs, cache, passes and details of a bundle or an .onnx file."""
