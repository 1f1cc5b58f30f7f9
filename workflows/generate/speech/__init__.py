"""Transcripts of recordings by models that listen: prefix, rule of time stamps, windows, segments.

spectrogram ──Transcriber──▶ window ──encoder──▶ prefix, tokens ──find_segments──▶ segments, the next window
"""
