"""Exchange with other programs: import, export, and assembly of ONNX graphs."""
