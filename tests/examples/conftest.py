"""A real ``pagefold serve`` on free loopback ports, with its demo pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.faults.serving import ROOT, service

__all__ = ["ROOT", "Served", "served"]


@dataclass(frozen=True, slots=True)
class Served:
    """Where the service and its demo site answer."""

    url: str
    demo: str

    def environment(self) -> dict[str, str]:
        """What the examples read."""
        return {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PAGEFOLD_URL": self.url,
            "PAGEFOLD_DEMO_URL": self.demo,
        }


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with service(tmp_path_factory.mktemp("served"), demo=True) as made:
        yield Served(made.url, f"http://127.0.0.1:{made.demo_port}")
