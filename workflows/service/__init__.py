"""The worker process that runs the window's jobs: one function per request, which yields events, the answer last.

    request ──JobRunner.run──▶ a function of the engine ──▶ events, the last one a ResultEvent or of the job's own class

Each job imports what it needs when it runs, so that the process is ready before anything heavy is loaded.
"""

from workflows.service.job_runner import JobRunner
from workflows.service.jobs import JobContext

__all__ = ["JobContext", "JobRunner"]
