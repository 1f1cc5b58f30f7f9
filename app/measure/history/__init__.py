"""The tab "History" of the measure page: the runs that were kept, compared and reported."""
