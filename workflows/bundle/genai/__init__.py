"""onnxruntime-genai's configurations: version 1 as released and version 2 as proposed, in and out.

    genai_config.json ──v1.py──▶ Version1 ──translate.py──▶ version 2 ──▶ Pipeline     folder.py: opened where it lies
                                    └──faults.py──▶ refused by its key
                        Pipeline ──lower.py──▶ genai_config.json, version 1

Nothing outside this folder knows version 1. What version 2 has no word for is kept, as it was, in `metadata.genai`.
"""
