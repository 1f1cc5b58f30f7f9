"""Other machines over ssh."""
