"""Sweeps: their plan, steps, schedule, processes and cluster."""
