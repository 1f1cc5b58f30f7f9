"""Files from elsewhere, changed at random by a seed: each runs, or is refused in one sentence, within bounds.

    edits.py    JSON, text, bytes ──chances──▶ changed ones
    protos.py   an ONNX model, or another message of protobuf ──chances──▶ a changed one
    kinds.py    the kinds of files, what is done to each, and what a person does with it
    lines.py    command lines in this process: what each said and how it ended
    bounded.py  a fork with bounds ──▶ what came of it, its CPU time, its memory
    tried.py    kind, seed, number ──▶ Mutant ──many──▶ Row

`python -m tests.faults --only mutants --mutants 2000` tries them and prints the table;
`… --only "mutants: chats" --number 17` tries one again and shows where its errors come from.
"""
