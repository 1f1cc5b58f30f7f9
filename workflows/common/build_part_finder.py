"""Finds the build part's packages in Joinery's own folder where the environment has none.

Every process imports this module first, so that it imports next to nothing.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder

PACKAGES = ("torch", "transformers", "onnxscript", "sentencepiece")
"""What pyproject.toml names for the part; each brings others along."""


class BuildPartFinder:
    """The last of sys.meta_path: the environment's own packages come first."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module in the part's folder, which is on sys.path from then on; None where there is no such folder."""
        if name not in PACKAGES:
            return None
        from workflows.common.build_part import part_folder

        folder = part_folder()
        if str(folder) in sys.path or not folder.is_dir():
            return None
        sys.path.append(str(folder))
        return PathFinder.find_spec(name, [str(folder)])


def is_frozen() -> bool:
    """Whether this is the frozen program (installer/freeze.py): the run part, into which nothing can be installed."""
    return bool(getattr(sys, "frozen", False))


def is_installed() -> bool:
    """Whether every package of the part can be imported; none is."""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in PACKAGES)
