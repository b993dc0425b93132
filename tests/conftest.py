"""Settings for all tests.

Hypothesis draws the same examples in every run, so that a red run is red for a reason that is in
the change. `HYPOTHESIS_PROFILE=deep` looks for more, with new examples each time.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "same",
    max_examples=60,
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "deep",
    max_examples=1000,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(scope="session")
def warm() -> None:
    """Compile the kernels before a test that looks at the clock."""
    from formsgame.compiled import warm_up

    warm_up()
