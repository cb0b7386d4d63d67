"""Scans and outcomes as text for a model to read."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.tabs.results import Change, Control, Outcome, Scan

_MOST_CHANGES = 10
_MEANWHILE = "Came and went since the last call: {}"
_LEFT_OUT = "({} more lines are left out)"


def text_of(result: Scan | Outcome, most_chars: int | None = None) -> str:
    """Compact lines: the page or what changed, then controls with their refs; or what a step did.

    Past ``most_chars`` whole lines are left out from the end, and the last line says how many.
    """
    text = "\n".join(_scan_lines(result) if isinstance(result, Scan) else _outcome_lines(result))
    if most_chars is None or len(text) <= most_chars:
        return text
    lines = text.split("\n")
    room, kept = most_chars - len(_LEFT_OUT.format(len(lines))), list[str]()
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join((*kept, _LEFT_OUT.format(len(lines) - len(kept))))


def control_line(control: Control) -> str:
    """One control, such as ``c7 button "Add to basket" disabled``."""
    parts = [control.ref, control.role, f'"{control.name}"']
    if control.value:
        parts.append(f'= "{control.value}"')
    if control.options:
        parts.append(f"({' | '.join(control.options)})")
    if control.context:
        parts.append(f'in "{control.context}"')
    if control.frame:
        parts.append(f"in a frame of {control.frame}")
    return " ".join((*parts, *control.states))


def _scan_lines(scan: Scan) -> Iterator[str]:
    yield f"{scan.tab.title} <{scan.tab.url}>"
    if scan.changes is not None:
        if scan.changes.moved_on:
            yield "This is another page now."
        yield from (f"+ {line}" for line in scan.changes.added)
        yield from (f"- {line}" for line in scan.changes.removed)
        if scan.changes.more:
            yield f"({scan.changes.more} more lines changed)"
        if not scan.changes.added and not scan.changes.removed:
            yield "No text changed."
    yield from map(_MEANWHILE.format, scan.meanwhile)
    if scan.page is not None:
        yield from scan.page.content.values()
    if scan.controls:
        yield "Controls:"
        yield from map(control_line, scan.controls)
    if scan.more_controls:
        yield f"({scan.more_controls} more controls)"


def _outcome_lines(done: Outcome) -> Iterator[str]:
    if done.value_type != "undefined":
        yield f"Value ({done.value_type}, {done.value_chars} characters): {done.value}"
    if done.navigated:
        yield f"The page went to {done.navigated}"
    for dialog in done.dialogs:
        yield f'Dialog {dialog.kind} "{dialog.message}" was {dialog.answer}.'
    for tab in done.new_tabs:
        yield f"New tab {tab.id}: {tab.title} <{tab.url}>"
    yield from map(_MEANWHILE.format, done.meanwhile)
    for text in done.transient:
        yield f"Came and went: {text}"
    if done.largest is not None:
        yield f"Largest change: {_change_line(done.largest)}"
    yield from (f"Changed: {_change_line(each)}" for each in done.changed[1:_MOST_CHANGES])
    more = done.more_changed + max(0, len(done.changed) - _MOST_CHANGES)
    if more:
        yield f"({more} more places changed)"
    yield from (f"Refused: {text}" for text in done.refused)
    if done.largest is None and not done.navigated and done.wait != "read_only":
        yield "Nothing changed on the page."


def _change_line(change: Change) -> str:
    return f"{change.kind} {change.path}: {change.text}"
