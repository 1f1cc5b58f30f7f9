"""The measure page: `Measurements` in, live plots of latency, cache occupancy and memory out, and their files."""
