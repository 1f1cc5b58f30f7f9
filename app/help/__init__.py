"""F1: what the page in front is for, every shortcut, and what this Joinery is made of."""
