"""The window: a workbench over the engine, which runs in worker processes.

    main.py      wiring alone
    state/       observable models without widgets
    jobs/        the only place that starts processes
    widgets/     theme and small shared widgets
    library/ wizard/ inspect/ chat/ charts/ devices/ settings/    a folder a page; views are thin
    help/        F1, shortcuts, About
    i18n/        the window in another language
    libraries.py what of the system is missing, said before Qt is imported

Of `workflows` it imports the events, the errors, the bundle reader and the picture of a composite alone;
never torch, transformers, onnx, onnxruntime.
"""

import os
import sys

# `python -m app` puts the current folder first, and what lies there (a checkpoint's PySide6.py) must not run.
if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and sys.path[0] != os.path.dirname(__path__[0]):  # noqa: PTH120
    del sys.path[0]
