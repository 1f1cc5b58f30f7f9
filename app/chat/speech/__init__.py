"""Recordings in the chat of a bundle that listens: what is asked of a transcript, how it is shown, heard and recorded.

SpeechRow ──SoundPrompt──▶ composer
RecordingView (a prompt), SegmentText (its reply) ──intents──▶ Recordings ──▶ Playback ──▶ sound_device
"""
