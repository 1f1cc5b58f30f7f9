"""The picture of one ONNX graph as data, without Qt: a worker's report in, boxes and lines with positions out.

worker's "graph" or "diff" ──read_graph──▶ IndexedGraph ──read_scope_tree──▶ ScopeTree ──Scene.build──▶ SceneLevel

Long work is done by generators that yield often, so that the window can run them in time slices.
"""
