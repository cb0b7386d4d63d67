"""What a step led to, as its caller is told."""

from __future__ import annotations

from extractor.settings import ExtractorSettings
from extractor.tabs.results import Outcome
from extractor.tabs.shelf import Shelf
from extractor.tabs.steps import Effect
from extractor.tabs.tab import LiveTab


def outcome_of(tab: LiveTab, effect: Effect, shelf: Shelf, settings: ExtractorSettings) -> Outcome:
    """Of the effect, with tabs, dialogs and refusals that nobody was told of yet; they are told once."""
    opened = [each for each in shelf.all() if each.opener == tab.id and not each.announced]
    for each in opened:
        each.announced = True
    dialogs, refused = tab.watch.told()
    return Outcome(
        tab=tab.described(settings),
        changed=effect.changed,
        more_changed=effect.more_changed,
        largest=effect.largest,
        transient=effect.transient,
        meanwhile=effect.meanwhile,
        new_tabs=tuple(each.described(settings) for each in opened),
        refused=refused,
        dialogs=dialogs,
        navigated=effect.navigated,
        wait=effect.wait,
    )
