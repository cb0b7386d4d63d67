"""How the time of the static path grows with the size of a page.

``python -m testbed.scaling`` builds pages of 1,000 to 200,000 nodes, a page of each shape that is known to
hurt, and prints for each the milliseconds of lexbor's parse, of the snapshot and of the answer, and between
sizes the slope: 1.0 is linear, 2.0 quadratic. Ratios and slopes are worth quoting; milliseconds are this
machine's.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from extractor.pipeline import Options, filter_judged, judged
from extractor.static import snapshot_from_bytes

SIZES = (1_000, 10_000, 50_000, 200_000)


@dataclass(frozen=True, slots=True)
class Point:
    """One page: nodes, and the best of the rounds in milliseconds."""

    shape: str
    nodes: int
    parse_ms: float
    snapshot_ms: float
    answer_ms: float
    output_chars: int


def article(nodes: int) -> str:
    """Sections of a heading, a paragraph with a link, and a list; seven nodes a dozen."""
    part = (
        "<section><h2>Ledger {n}</h2><p>The clerk writes <a href=/s/{n}>ship {n}</a> into the ledger in "
        "blue ink.</p><ul><li>salt {n}</li><li>wool {n}</li></ul></section>"
    )
    body = "".join(part.format(n=n) for n in range(nodes // 12))
    return f"<!DOCTYPE html><title>Scaling</title><main>{body}</main>"


def deep(nodes: int) -> str:
    """Elements nested in each other without end."""
    return "<div>" * nodes + "deep words" + "</div>" * nodes


def rows(nodes: int) -> str:
    """One table."""
    cells = "".join(f"<tr><td>{n}</td><td>row {n}</td></tr>" for n in range(nodes // 5))
    return (
        f"<main><table><caption>Tides</caption><tr><th>a</th><th>b</th></tr>{cells}</table></main>"
    )


def styled(nodes: int) -> str:
    """A page whose sheet hides every third of its paragraphs by one rule for each."""
    rules = "".join(f".c{n}{{display:none}}.d{n}{{color:red}}" for n in range(0, nodes // 20, 3))
    body = "".join(f"<p class=c{n}>words {n}</p>" for n in range(nodes // 2))
    return f"<style>{rules}</style><main>{body}</main>"


SHAPES: dict[str, Callable[[int], str]] = {
    "article": article,
    "deep": deep,
    "rows": rows,
    "styled": styled,
}


def measure(shape: str, nodes: int, rounds: int) -> Point:
    """Best of ``rounds`` runs of one page, budget 35,000."""
    body = SHAPES[shape](nodes).encode()
    text = body.decode()
    best = [math.inf] * 3
    size = 0
    for _ in range(rounds):
        marks = [time.perf_counter()]
        parser = LexborHTMLParser(text)
        marks.append(time.perf_counter())
        snapshot = snapshot_from_bytes(body, url="https://example.org/", content_type="text/html")
        marks.append(time.perf_counter())
        page = filter_judged(judged(snapshot), Options(("html",), 35_000))
        marks.append(time.perf_counter())
        del parser
        size = len(page.content["html"])
        spans = (marks[1] - marks[0], marks[2] - marks[1], marks[3] - marks[1])
        best = [min(known, span * 1000) for known, span in zip(best, spans, strict=True)]
    return Point(shape, nodes, best[0], best[1], best[2], size)


def slope(one: Point, other: Point) -> float:
    """The exponent by which the answer's time grows from one size to another."""
    return math.log(other.answer_ms / one.answer_ms) / math.log(other.nodes / one.nodes)


HEAD = (
    "| shape | nodes | lexbor ms | snapshot ms | answer ms | x lexbor | slope | html chars |\n"
    "|---|---|---|---|---|---|---|---|"
)


def row(point: Point, before: Point | None) -> str:
    """One line of a Markdown table, with the slope from the size before."""
    steep = f"{slope(before, point):.2f}" if before and before.shape == point.shape else ""
    return (
        f"| {point.shape} | {point.nodes} | {point.parse_ms:.1f} | {point.snapshot_ms:.1f} | "
        f"{point.answer_ms:.1f} | {point.answer_ms / point.parse_ms:.0f} | {steep} | "
        f"{point.output_chars} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, line by line as it comes."""
    parser = argparse.ArgumentParser(prog="python -m testbed.scaling", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--shapes", nargs="+", choices=sorted(SHAPES), default=list(SHAPES))
    given = parser.parse_args(arguments)
    print(HEAD)
    before = None
    for shape in given.shapes:
        for nodes in given.sizes:
            point = measure(shape, nodes, given.rounds)
            print(row(point, before), flush=True)
            before = point
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
