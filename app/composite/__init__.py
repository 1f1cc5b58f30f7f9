"""The composite as it runs: boxes, lines, lights."""
