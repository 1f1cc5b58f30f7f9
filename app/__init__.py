"""The window: a PySide6 front end of the engine, which runs in worker processes.

    main.py      the entry point: application, context, pages, window
    window.py    the main window around the pages
    home/ build/ inspect/ chat/ measure/ devices/ settings/    a package per page; views are thin
    composite/   pictures of composite models       graph_scene/   the layout of one graph, without Qt
    interop/     import and export dialogs          help/          F1, shortcuts, About
    state/       observable models without widgets
    jobs/        the only place that starts processes
    widgets/     theme and shared widgets
    text/        formatting and translations
    startup/     check for system libraries, preloading, the tour

Of `workflows` it imports events, errors, the bundle reader and the picture of a composite; never torch, transformers,
onnx or onnxruntime.
"""

import os
import sys

# `python -m app` puts the current folder first, and what lies there (a checkpoint's PySide6.py) must not run.
if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and sys.path[0] != os.path.dirname(__path__[0]):  # noqa: PTH120
    del sys.path[0]
