"""The Measure page: live charts, the history of runs, accuracy and divergence of two models."""
