"""Runs a Program on open sessions: their bindings, the inputs of a prompt, and the Machine around one cache."""
