"""The image, the compose file and the Kubernetes example hold the posture that they promise."""

from __future__ import annotations

import ipaddress
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.settings import ApiSettings
from extractor.egress.policy import EgressRules, judge_address

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FONTS = {"fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji"}


def instructions() -> list[tuple[str, str]]:
    """Instructions of the Dockerfile in order, lines joined, comments left out."""
    text = "\n".join(
        line for line in (ROOT / "Dockerfile").read_text().splitlines() if line[:1] != "#"
    )
    joined = re.sub(r"\\\n\s*", " ", text)
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]  # type: ignore[misc]


def given(name: str) -> list[str]:
    return [value for instruction, value in instructions() if instruction == name]


def runs(stage: int) -> list[str]:
    """RUN lines of the build (0) or of the image that is kept (1)."""
    found: list[list[str]] = []
    for instruction, value in instructions():
        if instruction == "FROM":
            found.append([])
        elif instruction == "RUN":
            found[-1].append(value)
    return found[stage]


def pins(path: Path) -> dict[str, str]:
    return dict(
        re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==([\w.!+]+)", path.read_text(), re.MULTILINE)
    )


COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = SERVICES["pagefold"]
MANIFESTS: dict[str, dict[str, Any]] = {
    document["kind"]: document
    for document in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
}
POD: dict[str, Any] = MANIFESTS["Deployment"]["spec"]["template"]["spec"]
CONTAINER: dict[str, Any] = POD["containers"][0]


def test_image_runs_as_a_user_without_rights_from_the_first_process_on() -> None:
    assert given("USER") == ["10001"]
    names = [name for name, _ in instructions()]
    assert names.index("USER") > max(n for n, name in enumerate(names) if name in ("RUN", "COPY"))
    assert any("useradd --system" in run and "--uid 10001" in run for run in runs(1))


def test_first_process_reaps_and_passes_signals_to_the_service_alone() -> None:
    # With -g the browsers would get the signal too, and running requests would lose them.
    assert given("ENTRYPOINT") == ['["tini", "--", "pagefold"]']
    assert any(re.search(r"\btini\b", run) for run in runs(1))


def test_health_check_asks_the_service_itself() -> None:
    [check] = given("HEALTHCHECK")
    assert "/healthz" in check
    assert "--start-period=" in check
    assert "/healthz" in " ".join(OURS["healthcheck"]["test"])


def test_dependencies_come_first_by_hash_and_the_project_brings_none() -> None:
    build = [(name, value) for name, value in instructions() if name in ("RUN", "COPY")]
    copies = [value for name, value in build if name == "COPY"]
    assert copies[:2] == ["deploy/constraints.txt deploy/", ". ."]
    first, second = (run for run in runs(0) if "pip install" in run)
    assert "--require-hashes" in first
    assert "--only-binary :all:" in first
    assert "--no-deps" in first
    assert "--requirement deploy/constraints.txt" in first
    assert "--no-deps" in second
    assert "--no-build-isolation" in second
    assert not any("pip" in run for run in runs(1))


def test_pins_of_the_image_are_those_that_are_tested_and_all_have_hashes() -> None:
    image, tested = pins(DEPLOY / "constraints.txt"), pins(ROOT / "constraints.txt")
    assert {"fastapi", "playwright", "psycopg", "prometheus-client", "hatchling"} <= image.keys()
    assert not {"pytest", "mypy", "ruff", "schemathesis"} & image.keys()
    assert {name: pin for name, pin in image.items() if tested.get(name, pin) != pin} == {}
    for block in re.split(r"\n(?=\w)", (DEPLOY / "constraints.txt").read_text().strip()):
        assert "--hash=sha256:" in block, block


def test_list_of_contents_names_every_pin_with_its_hashes() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "sbom"], capture_output=True, check=True
    )
    document = json.loads(done.stdout)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    listed = {each["name"]: each["version"] for each in document["components"]}
    assert listed == pins(DEPLOY / "constraints.txt")
    text = (DEPLOY / "constraints.txt").read_text()
    hashes = [digest["content"] for each in document["components"] for digest in each["hashes"]]
    assert sorted(hashes) == sorted(re.findall(r"sha256:([0-9a-f]{64})", text))


def test_audit_does_not_take_unknown_packages_for_sound_ones() -> None:
    script = (ROOT / "scripts" / "audit").read_text()
    assert "--strict" in script
    assert "--requirement deploy/constraints.txt" in script


def test_base_images_are_pinned_by_version_and_can_be_by_digest() -> None:
    assert given("ARG") == ["PYTHON_IMAGE=python:3.11.14-slim-bookworm"]
    assert given("FROM") == ["${PYTHON_IMAGE} AS build", "${PYTHON_IMAGE}"]
    images = [service["image"] for name, service in SERVICES.items() if name != "pagefold"]
    for image in images:
        assert re.search(r":\d+\.\d+", image) or "@sha256:" in image, image


def test_fonts_cover_east_asian_scripts_arabic_devanagari_and_emoji() -> None:
    [install] = [run for run in runs(1) if "apt-get install" in run]
    assert set(install.split()) >= FONTS
    assert "--no-install-recommends" in install
    assert "rm -rf /var/lib/apt/lists/*" in install


def test_debian_has_every_package_of_the_image() -> None:
    [install] = [run for run in runs(1) if "apt-get install" in run]
    listed = install.split("--no-install-recommends", 1)[1].split("&&", 1)[0].split()
    if shutil.which("apt-cache") is None:
        pytest.skip("apt-cache is missing; package names cannot be looked up")
    known = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True).stdout.split()
    if "chromium" not in known:
        pytest.skip("no list of packages; run `apt-get update` first")
    assert set(listed) <= set(known)


def test_nothing_is_written_outside_data_and_temporary_folders() -> None:
    environment = dict(re.findall(r"(\w+)=(\S+)", " ".join(given("ENV"))))
    assert environment["PAGEFOLD_DATA_DIR"] == "/data"
    assert environment["HOME"] == "/tmp"
    assert environment["PYTHONDONTWRITEBYTECODE"] == "1"
    assert given("VOLUME") == ["/data"]
    assert OURS["read_only"] is True
    assert [mount.split(":")[0] for mount in OURS["tmpfs"]] == ["/tmp"]
    assert OURS["volumes"] == ["data:/data"]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_drops_rights_and_is_bounded(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["read_only"] is True
    assert service["tmpfs"]
    assert 0 < service["pids_limit"] <= 2048
    assert re.fullmatch(r"\d+[gm]", service["mem_limit"])
    assert not {"privileged", "devices", "network_mode", "pid", "userns_mode"} & service.keys()
    assert service.get("ipc", "private") == "private"
    assert not any("docker.sock" in str(volume) for volume in service.get("volumes", ()))


def test_only_the_database_gets_rights_back_to_become_its_own_user() -> None:
    assert [name for name, service in SERVICES.items() if "cap_add" in service] == ["postgres"]


def test_shared_memory_is_the_containers_own_and_bounded() -> None:
    assert OURS["ipc"] == "private"
    assert re.fullmatch(r"\d+m", OURS["shm_size"])
    assert not any("/dev/shm" in volume for volume in OURS["volumes"])
    [shm] = [volume for volume in POD["volumes"] if volume["name"] == "shm"]
    assert shm["emptyDir"] == {"medium": "Memory", "sizeLimit": "512Mi"}


def test_browser_runs_sandboxed_under_the_profile_of_this_folder() -> None:
    assert "seccomp:seccomp.json" in OURS["security_opt"]
    assert OURS["user"] == "10001"
    everything = (ROOT / "Dockerfile").read_text() + (DEPLOY / "compose.yaml").read_text()
    assert "no-sandbox" not in everything
    assert "unconfined" not in everything


def test_service_is_published_on_loopback_and_stores_have_no_way_out() -> None:
    assert OURS["ports"] == ["127.0.0.1:8000:8000"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    for name, service in SERVICES.items():
        assert ("ports" in service) is (name == "pagefold")
        assert service["networks"] == ["inside", "outside"][: 1 + (name == "pagefold")]


def test_secrets_are_asked_for_and_have_no_default() -> None:
    example = dict(
        line.split("=", 1)
        for line in (DEPLOY / "example.env").read_text().splitlines()
        if line[:1] not in ("#", "")
    )
    assert set(example.values()) == {""}
    used = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    assert used == example.keys()
    assert re.findall(r"\$\{\w+(?!\w|:\?)", (DEPLOY / "compose.yaml").read_text()) == []
    assert "deploy/.env" in (ROOT / ".gitignore").read_text()
    assert "deploy/.env" in (ROOT / ".dockerignore").read_text()


@pytest.mark.parametrize("variables", [OURS["environment"], MANIFESTS["Secret"]["stringData"]])
def test_variables_are_settings_that_exist(variables: dict[str, str]) -> None:
    names = {name.removeprefix("PAGEFOLD_").lower() for name in variables if name[:3] == "PAG"}
    assert names
    assert names <= ApiSettings.model_fields.keys()


def test_grace_of_the_orchestrator_is_longer_than_that_of_the_service() -> None:
    own = ApiSettings()
    assert int(OURS["stop_grace_period"].rstrip("s")) > own.shutdown_grace_s + own.close_timeout_s
    notice = int(_variables()["PAGEFOLD_DRAIN_NOTICE_S"])
    needed = notice + own.shutdown_grace_s + own.close_timeout_s
    assert POD["terminationGracePeriodSeconds"] > needed


def _variables() -> dict[str, str]:
    return {each["name"]: each["value"] for each in CONTAINER["env"]}


def test_pod_has_no_rights_and_a_read_only_root() -> None:
    assert POD["automountServiceAccountToken"] is False
    assert not {"hostNetwork", "hostPID", "hostIPC"} & POD.keys()
    assert POD["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 10001,
        "runAsGroup": 10001,
        "fsGroup": 10001,
        "seccompProfile": {"type": "Localhost", "localhostProfile": "profiles/pagefold.json"},
    }
    assert CONTAINER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    enforced = MANIFESTS["Namespace"]["metadata"]["labels"]
    assert enforced["pod-security.kubernetes.io/enforce"] == "restricted"


def test_pod_is_bounded_and_writes_to_volumes_that_are() -> None:
    assert CONTAINER["resources"]["limits"].keys() == {"cpu", "memory", "ephemeral-storage"}
    assert all("sizeLimit" in volume["emptyDir"] for volume in POD["volumes"])
    mounts = {mount["mountPath"] for mount in CONTAINER["volumeMounts"]}
    assert mounts == {"/data", "/tmp", "/dev/shm"}


def test_probes_ask_for_life_and_readiness_apart() -> None:
    paths = {
        name: CONTAINER[name]["httpGet"]["path"] for name in CONTAINER if name.endswith("Probe")
    }
    assert paths == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }
    # The service itself waits for a second failure; a probe must outlast one check.
    assert CONTAINER["readinessProbe"]["timeoutSeconds"] > ApiSettings().ready_timeout_s


def test_service_and_policy_select_the_pods() -> None:
    labels = MANIFESTS["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert MANIFESTS["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert MANIFESTS["Service"]["spec"]["selector"] == labels
    assert MANIFESTS["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"] == labels
    assert MANIFESTS["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert MANIFESTS["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"] == "pagefold"


def test_replicas_follow_the_queue() -> None:
    [metric] = MANIFESTS["HorizontalPodAutoscaler"]["spec"]["metrics"]
    assert metric["pods"]["metric"]["name"] == "pagefold_queue_waiting"
    assert MANIFESTS["HorizontalPodAutoscaler"]["spec"]["minReplicas"] >= 2


def _open_blocks() -> list[dict[str, Any]]:
    rules = MANIFESTS["NetworkPolicy"]["spec"]["egress"]
    return [to["ipBlock"] for rule in rules for to in rule["to"] if "ipBlock" in to]


def _leaves(address: str) -> bool:
    """Whether the network policy lets a packet to this address out."""
    given = ipaddress.ip_address(address)
    return any(
        given in ipaddress.ip_network(block["cidr"])
        and not any(given in ipaddress.ip_network(part) for part in block["except"])
        for block in _open_blocks()
    )


def test_network_policy_refuses_what_the_proxy_refuses() -> None:
    assert MANIFESTS["NetworkPolicy"]["spec"]["policyTypes"] == ["Ingress", "Egress"]
    for block in _open_blocks():
        for part in block["except"]:
            assert ipaddress.ip_network(part).subnet_of(ipaddress.ip_network(block["cidr"]))  # type: ignore[arg-type]
            first, last = ipaddress.ip_network(part)[0], ipaddress.ip_network(part)[-1]
            assert not _leaves(str(first))
            assert not _leaves(str(last))
    for address in (
        "169.254.169.254", "100.100.100.200", "10.1.2.3", "172.31.255.255", "192.168.0.1", "127.0.0.1",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "fd00:ec2::254", "::1", "fe80::1", "64:ff9b::7f00:1",
        "2002:7f00:1::1", "fec0::1",
    ):  # fmt: skip
        assert not _leaves(address), address
        assert not judge_address(ipaddress.ip_address(address)).allowed
    for address in ("93.184.215.14", "1.1.1.1", "2606:4700::1111", "172.32.0.1", "100.128.0.1"):
        assert _leaves(address), address
    assert EgressRules().high_ports
