"""Adapters that peft wrote: a folder of low-rank changes of another checkpoint's weights, which a build merges.

    adapter_config.json, adapter_model.* ──open_adapter──▶ Adapter ──export/adapters.py──▶ TensorInfo.changes
                                                                                              │
    a weight of the base, float32 ────────────────merging.apply_changes──────────────▶ the merged weight

Nothing is merged before a weight is read, one at a time. peft is not imported; its formulas are written out.
"""
