from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import structlog

from tests import netns


def pytest_addoption(parser: pytest.Parser) -> None:
    netns.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    netns.configure(config)
    config.addinivalue_line("markers", "ray: needs Ray; `make test-ray` runs it")


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    """A test that sets logging up does not change what the next one of its process sees."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
