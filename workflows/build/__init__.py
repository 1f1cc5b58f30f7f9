"""The build: a source and options in, a bundle out; resumable and atomic.

    checkpoint ─▶ export ─▶ optimize ─▶ quantize ─▶ bundle
                     └─────────┴────────────┴──▶ evidence: a graph of every step, counts, seconds, parity

A stage's key is the hash of what it depends on; its folder, beside the target, is renamed into place when it is
whole, so a build that was killed goes on after its last whole stage. The target itself appears by one rename.
"""

from workflows.build.run import BuildRequest, build

__all__ = ["BuildRequest", "build"]
