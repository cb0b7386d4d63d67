"""Pages that stay open, for agents that look, act and look again.

``Extractor.tabs`` is a ``Tabs``; nothing runs before the first ``open``. All its calls name the tenant; what
belongs to another tenant does not exist. Every call may raise what ``Extractor.extract`` raises, and
``NotFound`` for a tab that is not there (closed, expired, another tenant's)::

    tab = await extractor.tabs.open(TabOpen(url="https://example.org/"), tenant=tenant)   # Tab
    seen = await extractor.tabs.scan(tab.id, TabScan(format="markdown"), tenant=tenant)   # Scan
    seen.page            # a Page, as of extract; None with changes_only in the same document
    seen.controls        # tuple of Control: .ref .role .name .value .states .options
    seen.changes         # with changes_only: Changes since the last scan (added, removed lines)
    done = await extractor.tabs.act(tab.id, TabAct(action="click", ref="c7"), tenant=tenant)   # Outcome
    done = await extractor.tabs.execute(tab.id, TabExecute(script="return document.title"), tenant=tenant)
    done.value           # text, head and tail of at most max_chars; done.whole is all of it
    done.changed, done.largest, done.transient, done.new_tabs, done.dialogs, done.navigated
    png = await extractor.tabs.screenshot(tab.id, TabShot(), tenant=tenant)               # bytes
    extractor.tabs.list(tenant)                                                          # tuple of Tab
    await extractor.tabs.close(tab.id, tenant=tenant)

``text_of(outcome)`` and ``text_of(scan, most_chars)`` are compact texts for a model to read.
"""

from extractor.tabs.drawing import picture_type
from extractor.tabs.errors import NotActionable, ScriptFailed, StaleRef
from extractor.tabs.open_tabs import Tabs
from extractor.tabs.requests import TabAct, TabExecute, TabOpen, TabScan, TabShot
from extractor.tabs.results import Change, Changes, Control, Dialog, Outcome, Scan, Tab
from extractor.tabs.wording import text_of

__all__ = [
    "Change",
    "Changes",
    "Control",
    "Dialog",
    "NotActionable",
    "Outcome",
    "Scan",
    "ScriptFailed",
    "StaleRef",
    "Tab",
    "TabAct",
    "TabExecute",
    "TabOpen",
    "TabScan",
    "TabShot",
    "Tabs",
    "picture_type",
    "text_of",
]
