"""Writes reports on runs or on a bundle, as one self-contained HTML file or as Markdown, and runs as CSV or JSON.

RunReports ──runs_report──┐            ┌──html_of──▶ one file, its charts inline
bundle ──bundle_report────┴▶ Document ─┴──markdown_of──▶ the text, and a file a chart
"""
