"""Chat templates, which are programs from elsewhere, in a process of their own that can be ended.

template.py  ──Door.ask──▶ rendered ──a line of JSON──▶ [ sandbox: jinja2, 2 s of computing, 384 MiB ] ──▶ text
"""
