"""The filter as a step of datatrove pipelines, in the place of its other extractors.

Importing this module needs datatrove, which ``pagefold[datatrove]`` brings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from batch.errors import extra
from batch.markers import without_markers
from extractor import ExtractorError, filter_html

_base: Any = extra("datatrove.pipeline.extractors.base", extra="datatrove")


class PagefoldExtractor(_base.BaseExtractor):  # type: ignore[misc]  # it ships no types
    """Turns the HTML of each document into what a person would read. A datatrove ``BaseExtractor``.

    Relative links are made absolute by ``metadata["url"]`` of the document, where it has one. A page without
    anything to read becomes an empty text: datatrove drops it and counts it as dropped. What the filter
    leaves out leaves no marker.

    Args:
        format: ``text`` or ``markdown``.
        main_only: the main content alone.
        budget: most characters of one text; 0 for no limit.
        timeout: of one document, in seconds. datatrove ends the process that takes longer, and counts it.
    """

    name = "📄 Pagefold"

    def __init__(
        self,
        format: Literal["text", "markdown"] = "text",
        *,
        main_only: bool = True,
        budget: int = 0,
        timeout: float = 10,
    ) -> None:
        super().__init__(timeout)
        self.format, self.main_only, self.budget = format, main_only, budget

    def extract(self, text: str, url: str | None = None) -> str:
        """The content of one page; empty where there is nothing to read."""
        try:
            page = filter_html(
                text,
                url=url,
                budget=self.budget,
                format=self.format,
                main_only=self.main_only,
            )
        except ExtractorError:
            # An exception would end the process that datatrove keeps for extracting.
            return ""
        return without_markers(page.content[self.format])

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Any:
        """Extract every document; see ``BaseExtractor.run``."""
        return super().run(_with_urls(data), rank, world_size)


def _with_urls(documents: Any) -> Iterator[Any]:
    for document in documents:
        # What is a tuple is handed to ``extract`` as its arguments.
        document.text = (document.text, document.metadata.get("url"))
        yield document
