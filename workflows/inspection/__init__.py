"""What a source or a bundle is, without running a reply: contents, probes, preflight, profile, picture, report.

Nothing is imported here: the window reads `picture`, which needs the standard library alone.
"""
