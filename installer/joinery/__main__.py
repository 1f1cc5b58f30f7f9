"""`joinery` and `python -m joinery`: the command line; without arguments, the window."""

from workflows.__main__ import main

if __name__ == "__main__":
    main()
