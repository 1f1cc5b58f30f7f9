"""The graph tab: a graph as the worker sends it, drawn, searched, walked through stage by stage, and compared."""
