"""What a run does, in full: everything that decides its rows, and everything that does not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from batch.errors import PlanError
from extractor.filters import filter_names
from extractor.fold import MIN_BUDGET

Render = Literal["static", "browser", "auto"]
RowFormat = Literal["jsonl", "parquet"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which lines of the input are read.

    Attributes:
        limit: at most so many, the first ones.
        sample: so many at random, before ``limit``.
        seed: of the sample.
        shard: this part of ``shards`` parts, counted from 0; pages of one host are in one part.
    """

    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    shard: int = 0
    shards: int = 1


@dataclass(frozen=True, slots=True)
class Content:
    """What is made of a page.

    Attributes:
        render: whether a browser reads it; ``auto``: where scripts or styles can change what is visible.
        filter: chooses what counts as content.
        budget: most code points of each of ``html``, ``text`` and ``markdown``; 0 for no limit.
        main_only: whether Markdown has the main content alone.
        query: what the reader is after; steers what a budget keeps.
    """

    render: Render = "static"
    filter: str = "pagefold"
    budget: int = 0
    main_only: bool = True
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Manners:
    """What sites can expect.

    Attributes:
        robots: whether ``robots.txt`` is obeyed (RFC 9309).
        tdm: whether sites are asked what they reserve (``/.well-known/tdmrep.json``), for the rights record.
        agent: product token that rules of ``robots.txt`` are looked up for.
    """

    robots: bool = True
    tdm: bool = True
    agent: str = "Pagefold"


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a run goes; it changes no row.

    Attributes:
        concurrency: pages at a time.
        per_host: pages of one host at a time.
        rate: most pages of one host in a second; ``None``: as its ``robots.txt`` asks.
        retries: further tries after one that failed and may work later.
        backoff_s: pause before the first of them; each later one is twice as long.
        max_backoff_s: longest pause, a server's own wish included.
        lookahead: lines of the input that may wait for their hosts.
    """

    concurrency: int = 8
    per_host: int = 2
    rate: float | None = None
    retries: int = 2
    backoff_s: float = 1.0
    max_backoff_s: float = 120.0
    lookahead: int = 1_000


@dataclass(frozen=True, slots=True)
class Output:
    """What is written.

    Attributes:
        formats: of the shards, each with all rows.
        warc: whether raw answers are written too.
        shard_rows: rows of one shard.
    """

    formats: tuple[RowFormat, ...] = ("jsonl",)
    warc: bool = False
    shard_rows: int = 1_000


@dataclass(frozen=True, slots=True)
class DuplicateRules:
    """What counts as a duplicate.

    Attributes:
        threshold: estimated Jaccard similarity of shingles from which two texts are near duplicates.
        words: of one shingle.
        signature: numbers in a signature: more are more exact, and cost more.
        most_candidates: earlier documents of one band that a document is compared with, the first ones.
        field: of a row that is compared.

    Raises:
        PlanError: a value cannot work.
    """

    threshold: float = 0.8
    words: int = 5
    signature: int = 128
    most_candidates: int = 200
    field: Literal["markdown", "text"] = "markdown"

    def __post_init__(self) -> None:
        if not 0.3 <= self.threshold <= 0.99:
            raise PlanError(
                "threshold: from 0.3 to 0.99; what is the same to the letter is found anyway"
            )
        if self.words < 1 or self.most_candidates < 1 or not 16 <= self.signature <= 1_024:
            raise PlanError("words and most_candidates: at least 1; signature: from 16 to 1,024")


@dataclass(frozen=True, slots=True)
class Plan:
    """One run. Two runs over one input whose plans differ in ``pace`` and ``duplicates`` alone give the same
    rows.

    Attributes:
        duplicates: the rules by which rows that repeat others are found in the end; ``None``: they are not.

    Raises:
        PlanError: it cannot work.
    """

    selection: Selection = field(default_factory=Selection)
    content: Content = field(default_factory=Content)
    manners: Manners = field(default_factory=Manners)
    output: Output = field(default_factory=Output)
    pace: Pace = field(default_factory=Pace)
    duplicates: DuplicateRules | None = None

    def __post_init__(self) -> None:
        content, agent = self.content, self.manners.agent
        if content.filter not in filter_names():
            raise PlanError(f"filter {content.filter!r}: there are {', '.join(filter_names())}")
        if 0 < content.budget < MIN_BUDGET:
            raise PlanError(f"budget {content.budget}: 0 for no limit, or {MIN_BUDGET} at least")
        if not re.fullmatch(r"[A-Za-z_-]+", agent):
            raise PlanError(f"agent {agent!r}: letters, '_' and '-' only, such as Pagefold")
