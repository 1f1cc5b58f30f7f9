"""TODO workflows/runtime/program"""
