"""One .onnx file: loading without weights, structure checks, operator schemas, kernel tables, and the weight file.

file ──load──▶ GraphFile (proto, faults, warnings)        an initializer ──tensor_statistics──▶ TensorReport
models ──weights──▶ .onnx files over one weights.data     model ──signature──▶ FileSignature
"""
