"""Texts in, vectors, labels or scores out: bundles of one graph without a cache that reads tokens.

texts ──TextEncoder──▶ EncodedText ──TextModel, in batches──▶ hidden states │ logits of each text
                                          ├──Embedder: pooling, steps──▶ a vector
                                          ├──Classifier: labels with probabilities, spans of a text, scores of pairs
"""

from workflows.predict.classifier import Classifier, open_classifier
from workflows.predict.embedder import Embedder, open_embedder

__all__ = ["Classifier", "Embedder", "open_classifier", "open_embedder"]
