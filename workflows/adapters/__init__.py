"""Bundles in other libraries' clothes; nothing else here imports an adapter, and the run path needs none.

transformers.py   a bundle as a model of transformers: `pipeline(task, model=JoineryModel.from_bundle(folder), …)`
"""
