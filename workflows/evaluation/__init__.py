"""Evaluation: how far two bundles differ (accuracy, divergence), parity of build stages, and the search for a goal."""
