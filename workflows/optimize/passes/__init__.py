"""The passes by name, in the order in which they run."""

from workflows.optimize.base import Pass
from workflows.optimize.passes.strip_metadata import StripMetadata

PASSES: dict[str, Pass] = {a_pass.name: a_pass for a_pass in (StripMetadata(),)}
