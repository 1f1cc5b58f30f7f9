"""The tab "Sweep" of the measure page: starts a plan, and shows the steps and the Pareto front of a sweep's folder."""
