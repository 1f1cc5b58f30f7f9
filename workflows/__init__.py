"""The headless engine: checkpoint → recipe → export → optimize → quantize → bundle → runtime → generate → measure.

Never imports `app` or PySide6. Running a bundle imports neither torch nor transformers.
"""

import os

__version__ = "0.1.0"

# onnxruntime's wheels connect to their vendor when they are imported, and only this variable stops them;
# every process of ours imports this package before anything else, so here is the one place that is early enough.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
