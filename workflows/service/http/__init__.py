"""An HTTP server with OpenAI's interface before one worker process for each bundle.

    request ──routes──▶ wire request ──ServedModel: its turn──▶ ServedWorker ──JSON lines──▶ worker process
    response ◀──────────────────── events, as they arrive ◀───────────────────────────────────┘

The server's own process opens no model and runs no code of a bundle; a worker that dies fails its own requests alone.
"""
