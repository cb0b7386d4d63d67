"""Parts stand where the page draws them: pages with boxes of known places and sizes."""

from __future__ import annotations

from extractor.judged import Options
from extractor.pipeline import filter_judged, judged_once
from extractor.places import Part, Places, places_of
from extractor.snapshot import Snapshot
from tests.browser.conftest import Loader
from tests.browser.site import serve

LINE = (
    "<p style='position:absolute;left:{x}px;top:{y}px;width:300px;height:{h}px;margin:0'>{text}</p>"
)


def lines(*places: tuple[int, int, int, str]) -> str:
    body = "".join(LINE.format(x=x, y=y, h=h, text=text) for x, y, h, text in places)
    return f"<!DOCTYPE html><body style='margin:0;height:3000px'><main>{body}</main>"


async def captured(loader: Loader, html: str) -> Snapshot:
    async with serve({"/": html}) as site:
        return await loader.load(site.url(), format=["html", "screenshot"])


def drawn(snapshot: Snapshot, most: int = 1_000, **wish: object) -> Places:
    judged = judged_once(snapshot)
    page = filter_judged(judged, Options(**wish))  # type: ignore[arg-type]
    return places_of(judged, page, most=most)


def boxes(parts: tuple[Part, ...], state: str) -> list[tuple[int, int, int, int]]:
    return [part.box for part in parts if part.state == state]


async def test_kept_parts_stand_where_they_are_drawn(loader: Loader) -> None:
    snapshot = await captured(
        loader, lines((20, 100, 40, "Low water"), (500, 700, 60, "High water"))
    )
    found = drawn(snapshot)
    assert boxes(found.parts, "kept") == [(20, 100, 300, 40), (500, 700, 300, 60)]
    assert [part.chars for part in found.parts] == [9, 10]
    assert found.left_out == 0


async def test_lines_under_each_other_are_one_part(loader: Loader) -> None:
    snapshot = await captured(
        loader,
        lines((20, 100, 40, "One"), (20, 150, 40, "Two"), (20, 400, 40, "Three"), (400, 450, 40, "Four")),
    )  # fmt: skip
    assert boxes(drawn(snapshot).parts, "kept") == [
        (20, 100, 300, 90), (20, 400, 300, 40), (400, 450, 300, 40),
    ]  # fmt: skip


async def test_folded_and_hidden_parts_say_why(loader: Loader) -> None:
    long = "The bar was closed. " * 40
    html = lines((20, 100, 40, "Low water at four."), (20, 900, 600, long))
    html += "<p style='position:absolute;left:7px;top:60px;width:90px;height:20px;margin:0;opacity:0'>Unseen"
    snapshot = await captured(loader, html)
    found = drawn(snapshot, budget=500).parts
    judged = judged_once(snapshot)
    page = filter_judged(judged, Options(budget=500))
    [folded] = [part for part in found if part.state == "folded"]
    assert folded.box == (20, 900, 300, 600)
    assert (folded.reason, folded.ref) == ("budget", page.folds[0].ref)
    assert sum(part.chars for part in found if part.state == "folded") == page.stats.folded_chars
    [hidden] = [part for part in found if part.state == "hidden"]
    assert (hidden.box, hidden.reason, hidden.chars) == ((7, 60, 90, 20), "opacity", 6)


async def test_past_the_most_the_smallest_are_left_out_and_counted(loader: Loader) -> None:
    places = [(20, 100 + 200 * n, 30 + n, f"Line {n}") for n in range(6)]
    found = drawn(await captured(loader, lines(*places)), most=2)
    assert found.left_out == 4
    assert [part.box[3] for part in found.parts] == [34, 35]


async def test_without_a_picture_small_elements_do_not_say_where_they_are(loader: Loader) -> None:
    async with serve({"/": lines((20, 100, 40, "Low water"))}) as site:
        plain = await loader.load(site.url())
    assert "data-pf-at" not in plain.html


async def test_parts_in_frames_stand_where_the_frame_shows_them(loader: Loader) -> None:
    innermost = lines((5, 6, 20, "Low water"))
    inner = lines((30, 40, 40, "High water"), (30, 2_000, 40, "Neap")) + (
        "<iframe src=/innermost style='position:absolute;left:10px;top:100px;width:200px;height:80px;"
        "border:0'></iframe>"
    )
    outer = lines((20, 100, 40, "Tides")) + (
        "<iframe src=/inner style='position:absolute;left:100px;top:300px;width:250px;height:200px;"
        "border:10px solid;padding:5px'></iframe>"
    )
    async with serve({"/": outer, "/inner": inner, "/innermost": innermost}) as site:
        snapshot = await loader.load(site.url(), format=["html", "screenshot"])
    found = {part.chars: part.box for part in drawn(snapshot).parts if part.state == "kept"}
    assert found[len("Tides")] == (20, 100, 300, 40)
    # From the frame's own corner, behind border and padding, and cut off where it ends.
    assert found[len("High water")] == (100 + 15 + 30, 300 + 15 + 40, 250 - 30, 40)
    assert found[len("Low water")] == (115 + 10 + 5, 315 + 100 + 6, 200 - 5, 20)
    # What is further down is in the frame, wherever in it.
    assert found[len("Neap")] == (115, 315, 250, 200)
