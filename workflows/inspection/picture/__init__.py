"""The picture of a composite: its runs, its dataflow and its state, for the window and as SVG.

    Pipeline + signatures + Program ──composite──▶ Composite ──layout──▶ Drawing ──svg──▶ text of a file
                                                  └── the window parses it, lays it out and paints it alike

The window imports this package: all modules but `composite` import the standard library and `workflows.wire` only.
"""
