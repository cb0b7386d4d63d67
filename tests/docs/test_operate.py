"""The how-to on running the service: its commands do what it says, its table holds every metric."""

from __future__ import annotations

import re
from ipaddress import ip_network
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.docs.fences import ROOT, blocks, page_text
from tests.docs.following import need, printed_by
from tests.faults.serving import Service

PAGE = "docs/how-to/operate.md"
GUIDE = page_text(PAGE)


def test_commands_print_what_the_page_says(running: Service, tmp_path: Path) -> None:
    need("sh", "curl", "grep")
    health, ready, gauges, events = printed_by(blocks(PAGE, "sh"), running, tmp_path)
    assert [health.strip(), ready.strip()] == [each.strip() for each in blocks(PAGE, "json")]
    assert [events] == blocks(PAGE, "text")
    assert len(gauges.splitlines()) == 3


def test_files_networks_and_commands_of_the_container_exist() -> None:
    starting, guarding = blocks(PAGE, "console")
    for file in {*re.findall(r"deploy/[\w.]+", starting)} - {"deploy/.env"}:
        assert (ROOT / file).is_file(), file
    first, *_ = [line for line in starting.splitlines() if " exec " in line]
    words = first.split(" exec ")[1].split()
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))["services"]
    assert words[0] in services
    assert words[1:4] == ["pagefold", "keys", "create"]
    networks = re.findall(r"[\d.]+/\d+", guarding)
    assert networks
    for network in networks:
        # Shared address space (RFC 6598) is not private by the name, and refused all the same.
        assert not ip_network(network).is_global, network


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
