"""`python -m app [PATH]`: opens the window, or reports in a sentence which system libraries are missing."""

import os
import sys

from app.startup.system_libraries import missing_libraries_message

if __name__ == "__main__":
    problem = missing_libraries_message(os.environ)
    if problem:
        sys.exit(problem)  # on stderr, with exit code 1
    from app.main import main  # imports Qt, which needs those libraries

    sys.exit(main(sys.argv[1:]))
