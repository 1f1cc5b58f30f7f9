"""What the window and its worker say to each other, each a class of its own: one declaration for both ends.

    window ──requests──▶ JSON lines ──▶ worker ──events, reports──▶ JSON lines ──▶ window

A request names the class of its answer; a report is the answer of a job that has one. `codec` makes JSON of all of
them and holds what comes against the declaration. Standard library alone: both processes read this at start-up.
"""
