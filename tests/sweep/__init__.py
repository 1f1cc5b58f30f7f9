"""Every architecture that transformers registers, tried from a tiny config: equal to eager Hugging Face, or refused.

    tiny.py   config class ──▶ a config a laptop builds in seconds, windows on
    case.py   config ──save, build, compare──▶ Verdict
    run.py    many cases, a shard of them, within a time; what was done before is not done again
    table.py  verdicts ──▶ the document

`python -m tests.sweep decoders --shard 1/4 --minutes 10 --json F` runs it; `--document DECODERS.md` writes the page.
"""
