"""TODO workflows/process"""
