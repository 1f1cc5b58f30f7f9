"""Ranges and second moments of activations, measured on the floating-point composite.

prompts ──▶ prefill and greedy steps of the composite itself ──▶ each session's values ─┬▶ Ranges, by component
                                                                                        └▶ Moments, by weight
"""
