"""Floors only rise, belong to their data, and hold on a sample of real pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testbed.compare.pages import Gold, GoldPage
from testbed.floors import __main__ as program
from testbed.floors import measure
from testbed.floors.floor import Floors, Measured, OtherData, load, save
from testbed.floors.measure import SETS, NoData, content_scores, measured

PAGE = b"""<!doctype html><html lang="en"><title>Bread</title><body><nav><a href="/">Home</a></nav><main><h1>Bread</h1>
<p>Knead the dough for ten minutes, then let it rest under a cloth for an hour.</p></main></body></html>"""


def test_a_floor_is_set_under_the_score_and_then_only_rises() -> None:
    first = Floors().raised(Measured("d", {"f1": 0.8519}), margin=0.003)
    assert first == Floors("d", {"f1": 0.848})
    assert first.raised(Measured("d", {"f1": 0.7}), margin=0.003) == first
    assert first.raised(Measured("d", {"f1": 0.9}), margin=0.003).floors["f1"] == 0.897


def test_a_score_under_its_floor_is_named() -> None:
    floors = Floors("d", {"f1": 0.8, "kept": 0.9, "gone": 0.5})
    under = floors.under(Measured("d", {"f1": 0.79, "kept": 0.9}))
    assert set(under) == {"f1", "gone"}
    assert under["f1"] == (0.79, 0.8)


def test_floors_say_nothing_about_other_data() -> None:
    floors = Floors("d", {"f1": 0.8})
    with pytest.raises(OtherData, match="set on data d, this is e"):
        floors.under(Measured("e", {"f1": 0.1}))
    with pytest.raises(OtherData):
        floors.raised(Measured("e", {"f1": 0.9}))


def test_floors_survive_their_file(tmp_path: Path) -> None:
    floors = {"b": Floors("d", {"f1": 0.8}), "a": Floors("e", {"kept": 1.0})}
    save(floors, tmp_path / "floors.json")
    assert load(tmp_path / "floors.json") == floors
    assert list(json.loads((tmp_path / "floors.json").read_text("utf-8"))) == ["a", "b"]
    assert load(tmp_path / "none.json") == {}


def test_scores_are_those_of_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Bread Knead the dough for ten minutes, then let it rest under a cloth for an hour."
    pages = [
        GoldPage("own", "one", PAGE, Gold(text, ("ten minutes",), ("Home",)), kind="recipe"),
        GoldPage("own", "two", PAGE, Gold("none of these words occurs"), kind="essay"),
    ]
    monkeypatch.setattr(measure, "_ENOUGH", 1)
    scores = content_scores(pages, 1, (("pagefold", (0,)), ("pagefold:html", (10_000,)))).scores
    assert scores["word F1"] == scores["word F1, mean of kinds"] == 0.5
    assert (scores["word F1, recipe"], scores["word F1, essay"]) == (1.0, 0.0)
    assert scores["unwanted kept out"] == scores["retention, html 10000"] == 1.0


def test_the_program_fails_under_a_floor_and_raises_what_rose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    score = [0.8]
    monkeypatch.setitem(SETS, "own", lambda jobs: Measured("d", {"f1": score[0]}))
    file = tmp_path / "floors.json"
    monkeypatch.setattr(program, "load", lambda: load(file))
    monkeypatch.setattr(program, "save", lambda floors: save(floors, file))
    assert program.main(["own", "--raise"]) == 0
    score[0] = 0.7
    assert program.main(["own", "--raise"]) == 1
    assert "UNDER" in capsys.readouterr().out
    assert load(file)["own"].floors == {"f1": 0.797}
    score[0] = 0.9
    assert program.main(["own", "--raise"]) == 0
    assert load(file)["own"].floors == {"f1": 0.897}


@pytest.mark.parametrize("name", ["content sample", "visibility sample", "compaction sample"])
def test_the_sample_holds_its_floors(name: str) -> None:
    try:
        found = measured(name)
    except NoData as error:
        pytest.skip(str(error))
    assert load()[name].under(found) == {}


def test_floors_are_of_sets_that_can_be_measured() -> None:
    pinned = load()
    assert {"content sample", "visibility sample", "compaction sample"} <= set(pinned) <= set(SETS)
    assert all(each.digest and each.floors for each in pinned.values())
