"""The page on the filter: its request gives the markers and the sums that it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.docs.fences import blocks, page_text
from tests.docs.following import need, printed_by
from tests.faults.serving import Service

PAGE = "docs/design/filter.md"


def test_the_request_gives_what_the_page_shows(running: Service, tmp_path: Path) -> None:
    need("sh", "curl")
    [command], [shown] = blocks(PAGE, "sh"), blocks(PAGE, "html")
    [answer] = printed_by([command.replace("curl ", "curl -sf ")], running, tmp_path)
    page = json.loads(answer)
    html = page["content"]["html"]
    assert re.findall("<pf-fold.*?</pf-fold>", html) == shown.splitlines()
    assert 950 <= len(html) <= 1_050
    folded = [fold["chars"] for fold in page["folds"]]
    kept, visible = page["stats"]["kept_chars"], page["stats"]["visible_chars"]
    sums = " + ".join(map(str, folded))
    said = f"{kept} characters of text kept, {sums} folded, {visible:,} visible in all"
    assert said in page_text(PAGE)
    assert kept + sum(folded) == visible
