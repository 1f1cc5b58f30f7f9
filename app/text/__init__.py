"""The window in another language: from the literals in the code to what a person reads.

    app/**/*.py ──source──▶ `python -m app.text` ──▶ resources/translations/joinery_de.ts ──translator──▶ tr()

A translation is found by the English words alone: in which class they stand is of no account. So one entry serves
every place that says the same, inherited methods too, and a `.ts` has one context. It is read as it is, at the start:
there is no compiled file that could be missing or out of date. Qt Linguist edits it.
"""
