"""Inspection: what a bundle, a graph or a checkpoint contains, what changed between two graphs, and the reports on
them.

This module imports nothing, because the window imports `workflows.inspection.picture`.
"""
