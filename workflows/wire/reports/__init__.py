"""The answers of the jobs that have one answer each, as the engine makes them, JSON carries them and the window reads.

A field that a report may lack stays away from JSON while it is None; what `joinery … --json` prints are these too.
The classes are not frozen: that would double the time that making them takes, and both processes do so at start-up.
"""
