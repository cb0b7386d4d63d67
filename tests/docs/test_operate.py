"""The how-to on running the service: its commands do what it says, its table holds every metric."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.settings import ApiSettings
from tests.faults.serving import Service, service

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "how-to" / "operate.md").read_text("utf-8")
EXPECTED = {0: '{"status":"ok"}', 1: '{"status":"ready"}', 3: "event: stage\n" * 3 + "event: page"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("operate"), demo=True) as made:
        yield made


def test_commands_print_what_the_page_says(running: Service) -> None:
    for program in ("sh", "curl", "grep"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    scripts = re.findall(r"^```sh\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    assert len(scripts) == 4
    for number, script in enumerate(scripts):
        own = script.replace("127.0.0.1:8000", f"127.0.0.1:{running.port}")
        own = own.replace("127.0.0.1:8001", f"127.0.0.1:{running.demo_port}")
        done = subprocess.run(["sh", "-ec", own], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done
        if number in EXPECTED:
            assert done.stdout.strip() == EXPECTED[number]
            assert EXPECTED[number] in GUIDE
        else:
            assert len(done.stdout.splitlines()) == 3


def test_table_holds_every_metric_with_its_type_and_labels(running: Service) -> None:
    rows = re.findall(r"^\| `(pagefold_\w+)` \| (\w+) \| ([^|]*)\|", GUIDE, re.MULTILINE)
    listed = {
        (name.removesuffix("_total"), kind): set(re.findall(r"`(\w+)`", labels))
        for name, kind, labels in rows
    }
    families = list(text_string_to_metric_families(running.get("/metrics").text))
    found = {(family.name, family.type): family for family in families if family.name[:4] == "page"}
    assert listed.keys() == {key for key in found if not key[0].endswith("_created")}
    for key, labels in listed.items():
        for sample in found[key].samples:
            assert sample.labels.keys() - {"le"} <= labels, sample


def test_settings_that_the_page_names_exist() -> None:
    names = set(re.findall(r"`PAGEFOLD_(\w+)", GUIDE))
    assert names <= {name.upper() for name in ApiSettings.model_fields}
