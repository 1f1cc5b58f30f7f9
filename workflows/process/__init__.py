"""Subprocesses: isolated one-shot runs, confined services, and the sandbox in which they run."""
