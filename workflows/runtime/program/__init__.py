"""From pipeline.json and graph signatures to a Program: what runs when, and what feeds each input. No onnxruntime."""
