"""Hostile tests: each module of them runs in a network namespace of its own, never outside one.

A test marked ``hostile`` is not run by this process. All chosen tests of its module run in a second
pytest inside a fresh namespace (``testbed.netns``), and its reports are shown here as if they were
our own. Where no namespace can be made they skip with the reason; under CI they fail instead.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from testbed import netns

_REPORTS = "--namespace-reports"
_TIMEOUT_PER_TEST_S = 120
_TAIL = 4000


def add_options(parser: pytest.Parser) -> None:
    parser.addoption(
        _REPORTS, default=None, help="file for the reports of a run inside a namespace"
    )


class OutsideNamespace:
    """Runs the hostile tests of each module in a namespace and shows their reports."""

    def __init__(self) -> None:
        self._modules: dict[Path, dict[str, list[Any]]] = {}
        self._tails: dict[Path, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if item.get_closest_marker("hostile"):
                # The time limit of each test counts inside; here a whole module runs as one.
                item.add_marker(pytest.mark.timeout(0), append=False)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> bool | None:
        if item.get_closest_marker("hostile") is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._reports(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        # What the item before this one left set up for it, the next one may not share.
        item.session._setupstate.teardown_exact(nextitem)
        return True

    def _reports(self, item: pytest.Item) -> list[pytest.TestReport]:
        if (reason := netns.refusal()) is not None:
            outcome = "failed" if os.environ.get("CI") else "skipped"
            return [_own_report(item, outcome, reason)]
        if item.path not in self._modules:
            self._run(item)
        found = self._modules[item.path].get(item.nodeid)
        if not found:
            tail = self._tails[item.path]
            return [_own_report(item, "failed", f"no report came out of the namespace:\n{tail}")]
        loads = item.config.hook.pytest_report_from_serializable
        return [loads(config=item.config, data=data) for data in found]

    def _run(self, item: pytest.Item) -> None:
        chosen = [
            each.nodeid
            for each in item.session.items
            if each.path == item.path and each.get_closest_marker("hostile")
        ]
        with tempfile.TemporaryDirectory() as folder:
            names, reports = Path(folder, "tests.txt"), Path(folder, "reports.jsonl")
            names.write_text("\n".join(chosen), encoding="utf-8")
            pytest_argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
            argv = netns.command([*pytest_argv, f"{_REPORTS}={reports}", f"@{names}"])
            self._tails[item.path] = _output_tail(argv, item.config.rootpath, len(chosen))
            by_test: dict[str, list[Any]] = {}
            lines = reports.read_text(encoding="utf-8").splitlines() if reports.exists() else []
            for data in map(json.loads, lines):
                by_test.setdefault(data["nodeid"], []).append(data)
        self._modules[item.path] = by_test


class InsideNamespace:
    """Writes every report where the outer run reads it."""

    def __init__(self, config: pytest.Config, path: str) -> None:
        self._config, self._path = config, Path(path)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        dumps = self._config.hook.pytest_report_to_serializable
        with self._path.open("a", encoding="utf-8") as file:
            data = dumps(config=self._config, report=report)
            file.write(json.dumps(data, default=str) + "\n")


def configure(config: pytest.Config) -> None:
    """Choose this process's part.

    Raises:
        pytest.UsageError: asked to report from inside, but this is no namespace.
    """
    config.addinivalue_line("markers", "hostile: runs in a network namespace of its own")
    path = config.getoption(_REPORTS)
    if path is None:
        config.pluginmanager.register(OutsideNamespace())
    elif not netns.inside():
        raise pytest.UsageError("hostile tests refuse to run outside a network namespace")
    else:
        config.pluginmanager.register(InsideNamespace(config, path))


def _output_tail(argv: list[str], folder: Path, tests: int) -> str:
    limit_s = _TIMEOUT_PER_TEST_S * (tests + 1)
    try:
        run = subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired as error:
        return f"ended after {limit_s} s\n{error.output!s:.{_TAIL}}"
    return (run.stdout + run.stderr)[-_TAIL:]


def _own_report(item: pytest.Item, outcome: Any, text: str) -> pytest.TestReport:
    path, line, name = item.location
    longrepr: Any = (path, (line or 0) + 1, text) if outcome == "skipped" else text
    return pytest.TestReport(
        item.nodeid, (path, line, name), {}, outcome, longrepr, "setup", duration=0
    )
