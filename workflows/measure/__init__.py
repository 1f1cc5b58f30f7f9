"""A bundle and providers in; how fast each ran it, and how near it came to what the machine's memory allows, out.

    Bundle ──open on each provider──▶ runs, interleaved, the first not counted ──▶ a Row a provider
                                      roofline.py: bytes a token ÷ read bandwidth
"""

from workflows.measure.bench import bench

__all__ = ["bench"]
