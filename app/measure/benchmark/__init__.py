"""The dialog "Run benchmark": the lengths of a run, its progress, its figures.

BenchmarkForm ──Bench──▶ BenchmarkModel ──▶ progress │ figures ──▶ the history
"""
