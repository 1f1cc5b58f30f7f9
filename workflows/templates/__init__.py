"""Chat templates, rendered in a confined process because they are untrusted programs.

chat_template.py ──TEMPLATE_SERVICE.request──▶ JSON ──▶ [ renderer: jinja2, 2 s of processor time, 384 MiB ] ──▶ text
"""
