"""The page of a bundle that makes vectors, in place of the conversation.

lines, search ──Embeddings (app/state/embeddings.py)──▶ worker ──EmbedReport──▶ table of similarities, ranking
"""
