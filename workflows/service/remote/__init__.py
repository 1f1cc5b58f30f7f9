"""Joinery on another machine, over the system's OpenSSH client: nothing listens, and nothing stays behind.

    here                                             there
    command line ─▶ connection ──frames──▶ ssh ──▶ agent ──starts──▶ `joinery generate …` or a worker
    window ─▶ bridge ─▶ connection             store: a bundle's files by their digests
       paths are mapped in the bridge          the agent kills what it started when the connection is silent

The agent is the only process that a connection starts there; it ends with the connection, and so does its child.
"""
