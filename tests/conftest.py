from __future__ import annotations

import pytest

from tests import netns


def pytest_addoption(parser: pytest.Parser) -> None:
    netns.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    netns.configure(config)
    config.addinivalue_line("markers", "ray: needs Ray; `make test-ray` runs it")
