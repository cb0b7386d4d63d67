"""The reference of inputs, rights and duplicates names what code gives, and nothing else."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from batch.duplicates import Duplicate
from batch.inputs import KINDS, InputRules
from batch.plan import DuplicateRules
from batch.rights import Document, RobotsRules, rights_record
from batch.rights.record import OPT_OUTS

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
INPUTS, RIGHTS, DUPLICATES = (
    (FOLDER / f"{name}.md").read_text("utf-8") for name in ("inputs", "rights", "duplicates")
)


def table(page: str, after: str) -> list[str]:
    """Names in the first column of the table that follows a text."""
    rows = page.partition(after)[2].partition("|---")[2].splitlines()[1:]
    named: list[str] = []
    for row in rows:
        if not row.startswith("|"):
            break
        named += re.findall(r"`(\w+)`", row.split("|")[1])
    return named


def test_the_rights_record_is_described_field_by_field() -> None:
    record = rights_record(Document("https://a.example/", (), b"", ""), agent="Pagefold")
    assert table(RIGHTS, "# The rights record") == list(record)
    assert table(RIGHTS, "**`robots`**") == list(record["robots"])
    for name in record["tdm"]:
        assert f"`{name}` (" in RIGHTS.partition("**`tdm`**")[2]
    assert set(re.findall(r"`(no\w+|none)`", RIGHTS)) >= OPT_OUTS


def test_limits_are_those_of_the_code() -> None:
    robots, rules, found = RobotsRules(), InputRules(), DuplicateRules()
    assert f"{robots.max_bytes:,} bytes" in RIGHTS
    assert (robots.holds_s, robots.least_holds_s, robots.retry_s) == (86_400, 300, 600)
    assert robots.stale_s == 30 * 86_400
    for limit in (
        rules.max_line_chars,
        rules.max_record_bytes,
        rules.max_sitemap_bytes,
        rules.max_sitemaps,
    ):
        assert f"{limit:,}" in INPUTS
    assert f"{rules.sitemap_depth} deep" in INPUTS
    assert (found.threshold, found.words, found.signature) == (0.8, 5, 128)
    assert f"From {found.threshold} on" in DUPLICATES


def test_every_kind_of_input_and_field_of_a_duplicate_is_named() -> None:
    assert table(INPUTS, "# Inputs") == list(KINDS)
    fields = [field.name for field in dataclasses.fields(Duplicate)]
    assert table(DUPLICATES, "# Duplicates") == fields


def test_every_reason_for_leaving_out_is_named() -> None:
    sources = (Path(__file__).parents[2] / "batch" / "inputs").glob("*.py")
    code = "\n".join(path.read_text("utf-8") for path in sources)
    reasons = set(re.findall(r"note_bad\(\s*[^,]+,\s*\"(\w+)\"", code))
    assert reasons >= {"line", "csv", "json", "invalid_url", "truncated", "damaged"}
    reasons |= set(re.findall(r"note_skipped\(\"(\w+)\"", code))
    reasons |= set(re.findall(r"reason = \"(\w+)\"|return \"(revisit|not_http)\"", code)[0])
    for reason in reasons - {""}:
        assert f"`{reason}`" in INPUTS, reason
