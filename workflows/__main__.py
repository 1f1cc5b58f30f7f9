"""`python -m workflows` is the `joinery` command."""

from workflows.cli import main

main()
