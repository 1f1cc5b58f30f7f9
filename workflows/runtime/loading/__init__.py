"""From a bundle, or loose .onnx files, to open sessions and a Machine."""
