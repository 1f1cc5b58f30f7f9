"""TODO workflows/runtime/loading"""
