"""Reads and writes onnxruntime-genai's configurations: version 1 as released and version 2 as proposed.

    genai_config.json ──version1.py──▶ GenaiConfig ──to_version2.py──▶ version 2 ──▶ Pipeline  folder.py: reads in place
                                          └──faults.py──▶ refused by its key
                             Pipeline ──to_version1.py──▶ genai_config.json, version 1

Nothing outside this folder depends on version 1. Keys without an equivalent in version 2 are kept unchanged in
`metadata.genai`.
"""
