"""What was left out of a page and why, as a few lines for people."""

from __future__ import annotations

from collections import defaultdict

from extractor.page import Page


def explain(page: Page) -> str:
    """Sizes, the ledger summed by rule and reason, every fold, and the warnings of ``page``."""
    stats = page.stats
    lines = [
        f"{page.final_url} (status {page.status})",
        f"visible {stats.visible_chars:,} characters, kept {stats.kept_chars:,}, "
        f"folded {stats.folded_chars:,}, hidden {stats.hidden_chars:,}",
        f"ready: {page.wait.ended_by}"
        + (f", pending: {', '.join(page.wait.pending)}" if page.wait.pending else ""),
    ]
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for entry in page.ledger:
        sums[entry.rule, entry.reason] += entry.chars
    lines += [
        f"  {chars:>9,}  {rule} {reason}".rstrip()
        for (rule, reason), chars in sorted(sums.items(), key=lambda item: -item[1])
    ]
    lines += [
        "  fold "
        + ", ".join(
            filter(None, (f"{fold.ref}: {fold.chars:,} characters", fold.region, fold.what))
        )
        for fold in page.folds
    ]
    lines += [f"  warning {notice.code} x{notice.count}: {notice.text}" for notice in page.warnings]
    if not page.complete:
        lines.append(f"  incomplete: {page.incomplete_reason}")
    return "\n".join(lines)
