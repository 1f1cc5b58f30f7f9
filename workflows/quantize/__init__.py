"""Optimized graphs in, graphs with smaller weights out. No method is built yet: every bundle is fp32."""
