"""The recorded failure cases of other compactors hold under every schedule."""

from __future__ import annotations

from typing import get_args

import pytest

from compactor import Policy
from compactor.policy import Schedule

_DEFAULT = Policy().schedule
#: What a case says itself: it is of an epoch.
_OF_AN_EPOCH = ("test_f55_",)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each case once under every schedule; the default one first."""
    module, name = metafunc.module.__name__.rpartition(".")[2], metafunc.function.__name__
    if module.startswith("test_case_") and not name.startswith(_OF_AN_EPOCH):
        others = [name for name in get_args(Schedule) if name != _DEFAULT]
        metafunc.parametrize("schedule", [_DEFAULT, *others], indirect=True)


@pytest.fixture(autouse=True)
def schedule(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The schedule of every policy that names none of its own."""
    wanted = str(getattr(request, "param", _DEFAULT))
    if wanted != _DEFAULT:
        made = Policy.__post_init__

        def with_schedule(policy: Policy) -> None:
            if policy.schedule == _DEFAULT:
                object.__setattr__(policy, "schedule", wanted)
            made(policy)

        monkeypatch.setattr(Policy, "__post_init__", with_schedule)
    return wanted
