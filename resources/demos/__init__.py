"""Demo checkpoints, and the scripts that write their corpora and train them."""
