"""Adapters that make a bundle usable as another library's model; no other package imports them.

transformers.py   a bundle as a model of transformers: `pipeline(task, model=JoineryModel.from_bundle(folder), …)`
"""
