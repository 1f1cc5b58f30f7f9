"""`python -m app [PATH]`: opens the window."""

import sys

from app.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
