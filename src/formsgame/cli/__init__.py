"""The `formsgame` command.

This module imports nothing, so that Ctrl-C ends the program in silence from its first moment on;
`app` defines the subcommands, and each imports what it needs when it runs.
"""

from __future__ import annotations

#: Exit status of work that Ctrl-C cut off, as shells count it.
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run the command with arguments (by default the process's) and return the exit status.

    0: done; 1: the work failed; 2: it was asked for wrongly; 130: Ctrl-C cut it off.
    """
    try:
        from formsgame.cli import app

        return app.run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
