"""`python -m formsgame`, the same as the `formsgame` command."""

import sys

from formsgame.cli import main

if __name__ == "__main__":
    sys.exit(main())
