"""Writes reports on runs or on a bundle, as one self-contained HTML file or as Markdown.

RunReports ──runs_report──▶ Document ──html──▶ one file, its charts inline
bundle ──bundle_report──▶ Document ──markdown──▶ the text, and a file a chart
RunReports ──data_export──▶ CSV, JSON

`report_files` chooses the format by the file's suffix.
"""
