"""The pages of bundles that do not chat, in place of the conversation.

lines, search ──Embeddings──▶ worker ──EmbedReport──▶ table of similarities, ranking
lines, query ──TextLabels──▶ LabelsReport ──▶ labels, spans, ranking
pictures ──LabeledPictures, Depths──▶ labels, a picture of depths
"""
