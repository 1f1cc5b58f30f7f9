"""The headless engine: checkpoint → recipe → export → optimize → quantize → bundle → runtime → generate → measure.

Never imports `app` or PySide6. Running a bundle imports neither torch nor transformers.
"""

import os
import sys

__version__ = "0.3.0"

# `python -m workflows…` puts the current folder first, and what lies there (a checkpoint's tokenizers.py) must not run.
if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and sys.path[0] != os.path.dirname(__path__[0]):  # noqa: PTH120
    del sys.path[0]

from workflows.common.build_part_finder import BuildPartFinder

# Where this environment lacks the build part, every process of ours finds it in Joinery's own folder.
if not any(isinstance(one, BuildPartFinder) for one in sys.meta_path):
    sys.meta_path.append(BuildPartFinder())

# onnxruntime's wheels connect to their vendor when they are imported, and only this variable stops them;
# every process of ours imports this package before anything else, so here is the one place that is early enough.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

# Pages of 2 MiB for torch's tensors, which it reads when it makes its first one: a fault for every 4 KiB of a model is
# a third of the time in which it is loaded and compared.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
