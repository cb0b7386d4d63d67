"""The card as text: the front matter of Hugging Face's data set cards, then sections for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from batch.card.facts import Facts
from batch.outputs.part import appearing

CARD = "README.md"
_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
_NAMES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")
_LANGUAGE = re.compile(r"[a-z]{2,3}\Z")
_MOST = 20


def write_card(folder: Path, facts: Facts, name: str) -> Path:
    """Write ``README.md`` beside the rows, whole or not at all; its place.

    Raises:
        OutputFull: the disk is full.
    """
    with appearing(folder / CARD) as file:
        file.write(card_of(facts, name).encode())
    return folder / CARD


def card_of(facts: Facts, name: str) -> str:
    """The card of a run's data set. The same facts give the same text."""
    parts = (_front(facts, name), _what(facts, name), _made(facts), _rights(facts), _limits(facts))
    return "\n".join(line for part in parts for line in part)


def _front(facts: Facts, name: str) -> Iterator[str]:
    yield "---"
    yield f"pretty_name: {_quoted(name)}"
    languages = sorted(code for code in facts.languages if _LANGUAGE.match(code))
    if languages:
        yield "language:"
        yield from (f"- {_quoted(code)}" for code in languages)
    # The pages are their publishers': no licence for all of them can be told from here.
    yield "license: other"
    yield "size_categories:"
    yield f"- {_size(facts.pages)}"
    yield "tags:"
    yield "- web"
    yield "configs:"
    yield "- config_name: default"
    yield "  data_files:"
    yield "  - split: train"
    suffix = "parquet" if "parquet" in facts.manifest["output"]["formats"] else "jsonl.zst"
    yield f'    path: "rows/*.{suffix}"'
    yield from ("---", "")


def _what(facts: Facts, name: str) -> Iterator[str]:
    counts = facts.manifest["counts"]
    yield f"# {_plain(name)}"
    yield ""
    yield (
        f"{facts.pages:,} web pages of {len(facts.hosts):,} hosts, as clean HTML, text and Markdown with "
        f"their metadata: {facts.text_chars:,} characters of text. {counts['rows']:,} addresses were asked "
        f"for; the {counts['failed']:,} that gave no page have a row too, which says why."
    )
    yield ""
    yield (
        "Every row has the same columns; their meaning and units are in the documentation of the schema, "
        f"version {facts.manifest['schema_version']}."
    )
    yield ""
    yield from _table("language", facts.languages, "not said")
    yield from _table("host", facts.hosts, "")
    if facts.duplicates is not None:
        yield from (
            "## Duplicates",
            "",
            "`duplicates.jsonl` names them; nothing was taken out.",
            "",
        )
        yield from _table("kind", facts.duplicates, "")


def _made(facts: Facts) -> Iterator[str]:
    manifest = facts.manifest
    content, used, manners = manifest["content"], manifest["filter"], manifest["manners"]
    versions = ", ".join(f"{name} {found}" for name, found in manifest["versions"].items())
    yield from ("## How it was made", "")
    yield f"- fetched {facts.first or 'at an unknown time'} to {facts.last or 'an unknown time'}"
    yield f"- read with render `{content['render']}`, filter `{used['name']}` {used['version']}"
    robots = "was obeyed" if manners["robots"] else "was NOT obeyed"
    yield f"- `robots.txt` {robots}, as `{manners['agent']}`"
    yield f"- input: SHA-256 `{manifest['input']['sha256']}`"
    yield f"- versions: {versions}"
    yield from ("", "`manifest.json` has all settings and the hash of every file.", "")
    yield from _table("no page because of", Counter(manifest["failures"]), "")


def _rights(facts: Facts) -> Iterator[str]:
    yield from ("## What the pages' owners say", "")
    yield (
        "The pages are their publishers'. Column `rights` has, for each, what its site said when it was "
        "fetched; look there before you use or pass on a page."
    )
    yield ""
    yield f"- pages whose owners reserve text and data mining: {facts.reserved:,}"
    wishes = ", ".join(f"`{_plain(name)}` {count:,}" for name, count in _sorted(facts.opt_outs))
    yield f"- pages with an opt-out: {wishes or 'none'}"
    linked = ", ".join(
        f"<{_plain(url)}> {count:,}" for url, count in _sorted(facts.licences)[:_MOST]
    )
    yield f"- pages that link to a licence: {linked or 'none'}"
    yield ""


def _limits(facts: Facts) -> Iterator[str]:
    yield from ("## Know before use", "")
    if facts.manifest["content"]["render"] == "static":
        yield "- No script was run: what pages add by script is not there."
    yield "- Pages may hold personal data; nobody looked for it or took it out."
    yield "- Languages are what pages say of themselves, and may be wrong."
    yield "- Web pages change: the same addresses give other pages today."
    yield ""


def _table(head: str, counts: Counter[str], nothing: str) -> Iterator[str]:
    rows = _sorted(counts)
    if not rows:
        return
    yield f"| {head} | rows |"
    yield "|---|---|"
    yield from (f"| {_plain(name) or nothing} | {count:,} |" for name, count in rows[:_MOST])
    if rest := rows[_MOST:]:
        yield f"| {len(rest):,} others | {sum(count for _, count in rest):,} |"
    yield ""


def _sorted(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _size(pages: int) -> str:
    """The category of Hugging Face's list."""
    if pages < _SIZES[0]:
        return "n<1K"
    for low, high, least in zip(_NAMES, _NAMES[1:], _SIZES[1:], strict=False):
        if pages < least:
            return f"{low}<n<{high}"
    return "n>1B"


def _quoted(text: str) -> str:
    """As YAML takes any text: double quotes."""
    return '"' + _plain(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _plain(text: Any) -> str:
    """One line that ends no cell and opens no markup; pages choose some of it."""
    kept = "".join(char if char.isprintable() else " " for char in str(text))
    return re.sub(r"[|`<>\[\]]", "", kept).strip()[:200]
