"""Check the format, the style and the types, then run the tests; `./forms test` calls it.

The arguments go to pytest. Everything runs even where something before it failed, and pytest's
closing line comes last. With FORMSGAME_REQUIRE_BROWSER=1 a browser test that is skipped is a
failure.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHECKS = (("ruff", "format", "--check", "."), ("ruff", "check", "."), ("mypy",))


def main(arguments: Sequence[str]) -> int:
    """Run everything and return the exit status: pytest's, or 1 if only a check failed."""
    os.chdir(ROOT)
    try:
        failed = [" ".join(check) for check in CHECKS if not _passes(check)]
        print("== pytest", flush=True)
        sys.path[0] = str(ROOT)  # as `python -m pytest` has it
        status = int(pytest.main([*arguments], plugins=[Notes(failed)]))
    except KeyboardInterrupt:
        print("\nforms: stopped", file=sys.stderr)
        return 130
    return status or int(bool(failed))


def _passes(check: Sequence[str]) -> bool:
    print("==", *check, flush=True)
    return subprocess.run([sys.executable, "-m", *check]).returncode == 0


class Notes:
    """A pytest plugin that says before the closing line what failed or was skipped beside it."""

    def __init__(self, failed: Sequence[str]) -> None:
        self.failed = failed
        self.required = os.environ.get("FORMSGAME_REQUIRE_BROWSER") == "1"
        self.skipped: dict[str, int] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the browser tests that are skipped, by the reason."""
        if report.skipped and "browser" in report.keywords and not hasattr(report, "wasxfail"):
            *_, reason = report.longrepr if isinstance(report.longrepr, tuple) else ("unknown",)
            reason = str(reason).removeprefix("Skipped: ")
            self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Make the run fail if the browser tests are required and some were skipped."""
        if self.required and self.skipped and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the notes."""
        if self.skipped:
            terminalreporter.section("BROWSER TESTS SKIPPED", red=self.required, yellow=True)
            for reason, count in self.skipped.items():
                terminalreporter.line(f"{count} browser tests did NOT run: {reason}")
            if self.required:
                terminalreporter.line("FAILED: FORMSGAME_REQUIRE_BROWSER=1 wants them all")
        if self.failed:
            terminalreporter.section("CHECKS FAILED", red=True)
            for check in self.failed:
                terminalreporter.line(f"FAILED: {check}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
