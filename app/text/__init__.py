"""The texts of the window: numbers and units, and translations.

    app/**/*.py ──source_texts──▶ `python -m app.text` ──▶ resources/translations/joinery_de.ts ──translator──▶ tr()

A translation is found by its English source text alone, whatever class uses it. So one entry serves every place that
shows the same text, also in inherited methods, and a `.ts` file has one context. It is read as it is at the start:
there is no compiled file that could be missing or outdated. Qt Linguist edits it.
"""
