"""Builds a bundle from a source and options; resumable and atomic.

    checkpoint ─▶ export ─▶ optimize ─▶ quantize ─▶ bundle
                     └─────────┴────────────┴──▶ evidence: a graph per step, operator counts, seconds, parity

A stage's key is the hash of its inputs; its folder, beside the target, is renamed into place when it is complete, so an
interrupted build continues after its last complete stage. The target itself appears by a single rename.
"""

from workflows.builder.run import BuildRequest, build

__all__ = ["BuildRequest", "build"]
