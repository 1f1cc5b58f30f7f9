"""The picture of a composite: what runs when, what feeds what, and the state that is kept; for the window and as SVG.

    Pipeline + signatures + Program ──read──▶ Composite ──layout──▶ Drawing ──svg──▶ text of a file
                                                  └── the window parses it, lays it out and paints it alike

All but `read` is the standard library alone, and the window imports it.
"""
