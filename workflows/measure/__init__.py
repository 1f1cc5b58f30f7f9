"""Measures the speed of a bundle on providers, and keeps the history of runs.

    Bundle ──bench.py: open on each provider──▶ runs in turns, the first not counted ──▶ one Row per provider
                                      roofline.py: bytes per token ÷ read bandwidth
    runs ──recording.py──▶ history.py ──run_measures.py──▶ measures ──pareto_front.py──▶
    accuracy against speed

This module imports nothing: the window reads history, measures and pareto_front, and loads no onnxruntime.
"""
