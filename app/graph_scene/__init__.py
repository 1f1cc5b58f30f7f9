"""Graphs as the inspector shows them, without Qt.

worker's "graph" or "diff" ──model──▶ Graph ──outline──▶ scopes ──levels + layout──▶ boxes and routes in a plane

Whatever takes long is a generator that yields often, so that a caller can do it in slices.
"""
