"""Netron as the view of one component or scope: its own packaged files, drawn in the window, without a socket.

scheme   netron://VIEW/FILE ──▶ Netron's files, changed where they would call home; anything else is blocked and counted
view     one browser widget a model
panel    one or two of them, or the sentence why there is none

Nothing here is imported before a person opens Netron: the browser's library takes 0.2 s and 150 MB.
"""
