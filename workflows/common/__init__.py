"""Modules that every package may import: errors, files, locks, paths, digests, memory, strict JSON, plug-ins.

The package itself imports nothing, for the window reads single modules.
"""
