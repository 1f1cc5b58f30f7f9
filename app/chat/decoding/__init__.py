"""How replies are decoded, as a person chooses it: drafts, beams, the chain of logits, the form of a reply.

DecodingPart ──Decoding──▶ Keeper ──▶ the controller's next request, the chat's file, the bundle's default
                               └──▶ the session's draft, the check of a form ──a sentence──▶ at its field
"""
