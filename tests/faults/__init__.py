"""What is left after every fault: the old state or the new one, and the next run needs no hand.

    watch.py    a fork whose changes of files are counted; one of them is refused, or the last that it makes
    cases.py    Subject ──each operation × each fault──▶ Verdict: whole? a hand needed? does the message name the file?
    files.py    the subjects: builds, chats, lists and settings, the history of runs, the import of another's folder
    writers.py  many processes that write to one home: what was lost
    soak.py     long use: memory, descriptors and threads while tokens, sessions and messages go by
    mutants/    files from elsewhere, changed at random: each runs, or is refused in a sentence within bounds
    inputs.py   bad inputs, each with a culprit that the command line's sentence must name; `--only inputs`
    table.py    figures ──▶ Markdown

`python -m tests.faults` tries all and prints the table; `--soak` is long use alone. What is tried in the window stands
in test_workers.py.
"""
