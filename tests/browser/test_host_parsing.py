"""Hosts as the policy reads them, against the browser's own parser."""

from __future__ import annotations

import contextlib
from ipaddress import ip_address
from urllib.parse import unquote

from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.egress.policy import split_authority
from extractor.errors import InvalidUrl
from tests.browser.conftest import Loader

_PARTS = st.sampled_from(
    "0 1 7 8 9 10 127 255 256 0x 0x7f 0X7F 017 0177 08 00 ０ １２７ ① a g x- xn--a faß ☃ é %31 %2e %00 %zz "
    "_ - -- * ! $ & ' ( ) + , ; = ~ { | ^ ` \u00ad \u200b \u3002 \uff0e \u202e ꓳ ℡ ㎏ ﷺ [ ] ::1 : :8000".split(
        " "
    )
)
_HOSTS = st.lists(_PARTS | st.sampled_from([".", "."]), min_size=1, max_size=7).map("".join)
_READ = """texts => texts.map(text => {
    try { const url = new URL(text); return [url.hostname, url.port]; } catch { return null; }
})"""


async def test_whatever_passes_has_the_host_that_the_browser_reads(loader: Loader) -> None:
    authorities: list[str] = []

    @given(_HOSTS)
    @settings(max_examples=3000, deadline=None, derandomize=True, database=None)
    def collect(authority: str) -> None:
        authorities.append(authority)

    collect()
    page = await loader.browser.new_page()
    read = await page.evaluate(_READ, [f"http://{authority}/p?q" for authority in authorities])
    ours = [_as_judged(authority) for authority in authorities]
    differing = [
        (authority, judged, seen)
        for authority, judged, seen in zip(authorities, ours, read, strict=True)
        if judged is not None and (seen is None or judged != _as_ours(seen))
    ]
    assert not differing
    assert sum(judged is not None for judged in ours) > 300


def _as_judged(authority: str) -> tuple[str, int] | None:
    try:
        return split_authority(authority, 80)
    except InvalidUrl:
        return None


def _as_ours(seen: list[str]) -> tuple[str, int]:
    # Chromium alone writes some characters of names in hexadecimal; what the proxy gets decodes to the same.
    host = unquote(seen[0].strip("[]").removesuffix("."))
    with contextlib.suppress(ValueError):
        host = str(ip_address(host))
    return host, int(seen[1] or 80)
