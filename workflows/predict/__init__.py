"""Texts in, vectors, labels or scores out; pictures in, labels or depths out: bundles of one graph without a cache.

texts ──TextEncoder──▶ EncodedText ──TextModel, in batches──▶ hidden states │ logits of each text
                                          ├──Embedder: pooling, steps──▶ a vector
                                          ├──Classifier: labels with probabilities, spans of a text, scores of pairs

file ──PictureModel: preprocessor_config.json──▶ logits │ depths
                       ├──PictureClassifier: labels with probabilities
                       ├──DepthEstimator: a depth for each pixel
"""

from workflows.predict.classifier import Classifier, open_classifier
from workflows.predict.depth_estimator import DepthEstimator, open_depth_estimator
from workflows.predict.embedder import Embedder, open_embedder
from workflows.predict.picture_classifier import PictureClassifier, open_picture_classifier

__all__ = [
    "Classifier",
    "DepthEstimator",
    "Embedder",
    "PictureClassifier",
    "open_classifier",
    "open_depth_estimator",
    "open_embedder",
    "open_picture_classifier",
]
