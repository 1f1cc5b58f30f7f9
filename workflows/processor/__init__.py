"""This machine's processor: its name and cores, and which formats and numbers of threads were found to be fastest."""
