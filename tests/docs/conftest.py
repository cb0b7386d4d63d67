"""One service with the demo pages for all guides that need nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.serving import Service, service


@pytest.fixture(scope="package")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("docs"), demo=True, concurrency=1) as made:
        yield made
