"""A bundle and providers in; how fast each ran it, and how near it came to what the machine's memory allows, out.

    Bundle ──bench.py: open on each provider──▶ runs, interleaved, the first not counted ──▶ a Row a provider
                                      roofline.py: bytes a token ÷ read bandwidth
    what was done ──recording.py──▶ history.py ──figures.py──▶ the same measures of every kind of run ──front.py──▶
    accuracy against speed

Nothing is imported here: the window reads history, figures and front, and loads no onnxruntime.
"""
