"""Reports: the answers of jobs, made by the engine, sent as JSON, read by the window and printed by `--json`.

Optional fields are absent in JSON while they are None. The classes are not frozen: that doubles the time to define
them, which both processes spend at start-up.
"""
