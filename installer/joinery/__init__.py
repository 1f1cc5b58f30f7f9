"""Joinery as an installed package. `import joinery` makes its packages `workflows`, `app` and `resources` importable.

    site-packages/joinery/{app,workflows,resources}     sys.path: site-packages/joinery, …, site-packages

A wheel has nothing else at the top of site-packages, where other packages named `app` may be. Only processes that
import `joinery` first see the three, before all others of their names: `joinery`, `python -m joinery`, what they start
(module_search_path of workflows/process/subprocesses.py), and a program of a user. The modules have the same names as
in a checkout: rewriting the imports of the wheel's files instead would miss names in texts (`python -m …`, entry
points, pages) and make two names of each class, one that is tested and one that ships.

In a checkout, whose own folder is on sys.path, the import changes nothing.
"""

import os.path
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib takes longer than all else here


if sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
    del sys.path[0]  # `python -m joinery` has put the current folder there, whose files must not run
if os.path.isdir(os.path.join(_HERE, "workflows")) and _HERE not in sys.path:  # noqa: PTH112, PTH118
    sys.path.insert(0, _HERE)
