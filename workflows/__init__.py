"""The headless engine: checkpoint → recipe → export → optimize → quantize → bundle → runtime → generate → measure.

Never imports `app` or PySide6. Running a bundle imports neither torch nor transformers.
"""

__version__ = "0.1.0"
