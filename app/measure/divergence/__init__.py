"""The window's "Find the divergence": A and B, a prompt, and the first node at which the two runs part.

Form ──Diverge──▶ DivergenceModel ──▶ progress │ sentence, chart of the growth, table of nodes ──Look──▶ the graph
"""
