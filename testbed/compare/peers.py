"""Other people's extractors, each asked as its documentation says. All are optional.

Python packages come with the ``eval`` extra; Readability.js and Defuddle run in Node, from the folder
of npm packages that ``PAGEFOLD_NODE_PEERS`` names, and crawl4ai under the Python that
``PAGEFOLD_CRAWL4AI_PYTHON`` names.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

from testbed.compare.other_process import crawl4ai_peer, node_peer
from testbed.compare.source import Form, Missing, Source

Run = Callable[[Source, Form, int], str]

_LANGUAGE = re.compile(r"""<html[^>]*?\blang\s*=\s*["']?([A-Za-z]{2})""", re.I)


def _needs(module: str, package: str | None = None) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Missing(f"not installed: {package or module.partition('.')[0]}") from error


def _readability() -> Run:
    document = _needs("readability", "readability-lxml").Document
    unparseable = _needs("readability.readability").Unparseable

    def run(source: Source, form: Form, budget: int) -> str:
        try:
            return str(document(source.html, url=source.url).summary(html_partial=True))
        except unparseable:
            return ""

    return run


def _trafilatura() -> Run:
    extract = _needs("trafilatura").extract
    named = {"text": "txt", "html": "html", "markdown": "markdown"}

    def run(source: Source, form: Form, budget: int) -> str:
        return (
            extract(
                source.html,
                url=source.url,
                output_format=named[form],
                include_comments=False,
                deduplicate=False,
            )
            or ""
        )

    return run


def _resiliparse() -> Run:
    extract = _needs("resiliparse.extract.html2text").extract_plain_text
    tree = _needs("resiliparse.parse.html").HTMLTree
    return lambda source, form, budget: extract(
        tree.parse(source.html), main_content=True, alt_texts=False
    )


def _html_text() -> Run:
    extract = _needs("html_text").extract_text
    return lambda source, form, budget: extract(source.html) or ""


def _justext() -> Run:
    justext = _needs("justext")
    stoplists = {name.lower()[:2]: name for name in sorted(justext.get_stoplists())}
    codes = {"de": "German", "es": "Spanish", "sv": "Swedish", "cs": "Czech", "tr": "Turkish"}

    def run(source: Source, form: Form, budget: int) -> str:
        found = _LANGUAGE.search(source.html[:8_192])
        code = found[1].lower() if found else "en"
        name = codes.get(code) or stoplists.get(code) or "English"
        paragraphs = justext.justext(source.html.encode(), justext.get_stoplist(name))
        return "\n".join(each.text for each in paragraphs if not each.is_boilerplate)

    return run


PEERS: dict[str, tuple[tuple[Form, ...], Callable[[], Run]]] = {
    "readability": (("html",), _readability),
    "trafilatura": (("text", "html", "markdown"), _trafilatura),
    "resiliparse": (("text",), _resiliparse),
    "justext": (("text",), _justext),
    "html-text": (("text",), _html_text),
    "crawl4ai": (("html",), crawl4ai_peer),
    "readability.js": (("html",), node_peer("readability")),
    "defuddle": (("html",), node_peer("defuddle")),
}
