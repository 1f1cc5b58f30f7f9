"""Times the formats of quantized weights at the sizes of a model's products, on the processor at hand."""
