"""What every package may use and nothing else: errors, files, locks, paths, digests, memory, strict JSON, plug-ins.

Nothing is imported here: the window reads single modules.
"""
