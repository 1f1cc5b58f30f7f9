"""Runs or a bundle in; a report out, as one HTML file that stands alone, or as Markdown.

RunReports ──runs.py──┐                                     ┌─html.py──▶ one file, its pictures inline
                      ├─▶ Document (document.py) ────────── ┤
bundle     ──bundle.py┘   whose pictures chart.py draws     └─markdown.py──▶ the text, and a file a picture
RunReports ──data.py──▶ CSV, JSON            writing.py: by the ending of the file's name
"""
