"""The tab "Speed": measurements, live plots of latency, cache occupancy and memory, and their export."""
