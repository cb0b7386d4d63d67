"""Pages and what must come of them; ``fixtures_html/<case>/meta.json`` says what and why."""

from __future__ import annotations

import re

import pytest

from extractor.snapshot import Snapshot
from tests.golden.cases import CASES, SUFFIXES, WAITING
from tests.golden.check import failures
from tests.golden.conftest import Captured
from tests.golden.difference import first_difference
from tests.golden.reading import Reading

RUNS = [f"{case.name}:{path}" for case in CASES.values() for path in case.paths]
REVIEWED = [
    run
    for run in RUNS
    if run not in WAITING and run.endswith(f":{CASES[run.partition(':')[0]].paths[0]}")
]


def _marked(run: str) -> object:
    if run not in WAITING:
        return pytest.param(run, id=run)
    reason = "{owner}: {reason}".format(**WAITING[run])
    return pytest.param(run, id=run, marks=pytest.mark.xfail(reason=reason, strict=True))


def _reading(run: str, captured: Captured) -> Reading:
    found = captured[run]
    if isinstance(found, Exception):
        raise found
    assert isinstance(found, Snapshot)
    return Reading(found, CASES[run.partition(":")[0]].options)


@pytest.mark.parametrize("run", [_marked(run) for run in RUNS])
def test_a_page_gives_what_its_case_says(run: str, captured: Captured) -> None:
    name, _, path = run.partition(":")
    wrong = failures(CASES[name].expected_on(path), _reading(run, captured))
    assert not wrong, "\n".join([f"{CASES[name].group} {CASES[name].title}", *wrong])


@pytest.mark.parametrize("run", REVIEWED)
def test_an_output_is_as_it_was_reviewed(run: str, captured: Captured, updating: bool) -> None:
    """Drift only: what must be so stands in ``meta.json``. ``--update-golden`` writes these anew."""
    case = CASES[run.partition(":")[0]]
    page = _reading(run, captured).page
    for kind, suffix in SUFFIXES.items():
        file = case.folder / f"expected.{suffix}"
        content = re.sub(r' data-pf-snapshot="\w+"', "", page.content[kind]) + "\n"
        if updating:
            file.write_bytes(content.encode())
            continue
        assert file.exists(), f"{file.name} is missing: run pytest tests/golden --update-golden"
        said = first_difference(file.read_bytes().decode(), content, kind)
        assert not said, f"{case.name}/{file.name} {said}"


def test_what_is_pending_exists() -> None:
    assert not set(WAITING) - set(RUNS)
