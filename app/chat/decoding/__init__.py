"""The decoding options of the next reply: drafts, beams, the chain of logits processors, the form.

DecodingSection ──DecodingOptions──▶ DecodingController ──▶ next request, the chat's file, the bundle's default
                                         └──▶ the session's draft bundle, the check of a form ──message──▶ its field
"""
