"""The dialog "Find the divergence": A and B, a prompt, and the first node at which the two runs differ.

DivergenceForm ──Diverge──▶ DivergenceModel ──▶ progress │ summary, growth chart, table of nodes ──▶ the graph
"""
