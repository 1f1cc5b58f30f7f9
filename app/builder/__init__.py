"""The Build page: a wizard from a checkpoint to a bundle."""
