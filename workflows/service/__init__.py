"""What a worker does for the window: one function a request; each gives its events, the answer last.

    request ──Jobs.run──▶ the engine's function ──▶ events, and at last a ResultEvent or an event of its own kind

Each imports what it needs when it runs: the process is up before anything heavy is loaded.
"""

from workflows.service.job_context import JobContext
from workflows.service.job_runner import JobRunner

__all__ = ["JobContext", "JobRunner"]
