"""Joinery beside its peers on the same work, in one run.

    checkpoint ──models──▶ what each engine needs ──visits, round by round──▶ samples ──table──▶ Markdown, JSON, picture

    python -m tests.benchmarks.peers --work DIR [--engines joinery,genai] [--rows short,demo] [--rounds 3] [--quick]

Each engine runs in an environment of its own, made under `--envs` when it is missing, as a child process that speaks
JSON lines (engines/lines.py). Samples stay in the work folder: a second run with more rounds goes on where the first
one ended. What cannot be installed or fails is in the table with its reason.
"""
