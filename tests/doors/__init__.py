"""Other people's exports and ours, through the doors and back; run by hand, for each needs what they need."""
