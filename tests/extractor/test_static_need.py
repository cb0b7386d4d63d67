"""What makes a page one for the browser, and that ``render="auto"`` says so."""

from __future__ import annotations

import pytest

from extractor.static import needs_browser


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<p>Low water at four.</p>", ()),
        ("<p style='display:none'>A</p><p hidden>B</p>", ()),
        ("<p>Let one = two</p>", ("scripts",)),
        ("<p>A</p><script>1</script>", ("scripts",)),
        ("<body onload='show()'>A", ("scripts",)),
        ("<style>p{color:red}</style><p>A", ("style sheets",)),
        ("<link rel=stylesheet href=a.css><p>A", ("style sheets",)),
        ("<p>A<iframe src=/inner></iframe>", ("frames",)),
        ("<meta http-equiv='Refresh' content='0;url=/b'>A", ("a refresh",)),
        ("<SCRIPT src=a.js></SCRIPT><STYLE></STYLE>", ("scripts", "style sheets")),
    ],
)
def test_signs_in_markup(markup: str, found: tuple[str, ...]) -> None:
    assert needs_browser(markup.encode(), "text/html") == found


def test_signs_are_seen_in_any_encoding() -> None:
    body = "\ufeff<p>A</p><script>1</script>".encode("utf-16-le")
    assert needs_browser(body, "text/html") == ("scripts",)


def test_what_is_not_html_needs_no_browser() -> None:
    assert needs_browser(b'{"a": "<script>"}', "application/json") == ()
