"""The tab "History" of the measure page: saved runs, their comparison, and reports."""
