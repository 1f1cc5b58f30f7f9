"""The bundles of the run, for samples that are run."""

from tests.workflows.conftest import built, shelf

__all__ = ["built", "shelf"]
