"""Stored snapshots that stay in memory: the same answers as from disk, and never what is not on disk any more."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from extractor import Page, filter_snapshot, unfold
from extractor.errors import NotFound, SnapshotCorrupt
from extractor.offline import snapshot_of_html
from extractor.recent import Large, Recent
from extractor.snapshot import Snapshot
from extractor.store import SnapshotStore

_ROWS = "".join(f"<p>Row {number} says what row {number} has to say.</p>" for number in range(90))
_PAGE = f"<!DOCTYPE html><title>T</title><nav><a href=/a>A</a></nav><main><h1>T</h1>{_ROWS}</main>"


def _snapshot(more: str = "") -> Snapshot:
    return snapshot_of_html(_PAGE + more, "https://example.org/")


def _store(root: Path, nodes: int = 10_000) -> SnapshotStore:
    return SnapshotStore(root, Recent(nodes))


def _file(store: SnapshotStore, snapshot_id: str) -> Path:
    [path] = store.root.glob(f"*/{snapshot_id}.html.zst")
    return path


def _timeless(page: Page) -> Page:
    return dataclasses.replace(page, stats=dataclasses.replace(page.stats, timings_ms={}))


def test_what_was_saved_or_read_is_not_read_again(tmp_path: Path) -> None:
    store = _store(tmp_path)
    snapshot = _snapshot()
    assert store.load(store.save(snapshot)) is snapshot
    store.recent.clear()
    again = store.load(snapshot.id)
    assert again is not snapshot
    assert again == snapshot
    assert store.load(snapshot.id) is again


@pytest.mark.parametrize(("budget", "query"), [(2_000, None), (2_000, "row 41"), (0, None)])
def test_answers_are_those_of_a_snapshot_read_anew(
    tmp_path: Path, budget: int, query: str | None
) -> None:
    store, formats = _store(tmp_path), ("html", "markdown", "text", "links")
    snapshot_id = store.save(_snapshot())
    filter_snapshot(store.load(snapshot_id), budget=1_000)  # leaves behind what it found
    kept = filter_snapshot(store.load(snapshot_id), budget=budget, query=query, format=formats)
    anew = filter_snapshot(_snapshot(), budget=budget, query=query, format=formats)
    assert _timeless(kept) == _timeless(anew)
    assert {"visibility", "regions", "units"}.isdisjoint(kept.stats.timings_ms)
    for fold in anew.folds[:3]:
        assert unfold(store.load(snapshot_id), fold.ref) == unfold(_snapshot(), fold.ref)


def test_every_way_of_judging_is_kept_apart(tmp_path: Path) -> None:
    page = _snapshot("<details><summary>More</summary><p>In here.</p></details><p hidden>Not seen.")
    for collapsed in ("drop", "keep", "drop"):
        found = filter_snapshot(page, collapsed=collapsed).content["html"]
        assert ("In here." in found) == (collapsed == "keep")
    for include in (True, False, True):
        found = filter_snapshot(page, include_hidden=include).content["html"]
        assert ("Not seen." in found) == include


def test_a_file_that_is_gone_is_gone(tmp_path: Path) -> None:
    store = _store(tmp_path)
    snapshot_id = store.save(_snapshot())
    _file(store, snapshot_id).unlink()
    with pytest.raises(NotFound):
        store.load(snapshot_id)


def test_a_file_that_was_changed_is_read(tmp_path: Path) -> None:
    store = _store(tmp_path)
    snapshot_id = store.save(_snapshot())
    path = _file(store, snapshot_id)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(SnapshotCorrupt):
        store.load(snapshot_id)
    store.save(_snapshot())
    assert store.load(snapshot_id) == _snapshot()


def test_a_link_in_the_place_of_a_file_is_no_snapshot(tmp_path: Path) -> None:
    store = _store(tmp_path)
    snapshot_id = store.save(_snapshot())
    path = _file(store, snapshot_id)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SnapshotCorrupt):
        store.load(snapshot_id)


def test_tenants_share_the_room_and_nothing_else(tmp_path: Path) -> None:
    store = _store(tmp_path)
    snapshot_id = store.of("one").save(_snapshot())
    assert store.of("one").load(snapshot_id) is store.of("one").load(snapshot_id)
    for other in (store, store.of("two")):
        with pytest.raises(NotFound):
            other.load(snapshot_id)


def test_nodes_in_memory_are_bounded(tmp_path: Path) -> None:
    snapshots = [_snapshot(f"<p>{number}</p>") for number in range(3)]
    store = _store(tmp_path, sum(each.meta.nodes for each in snapshots) - 1)
    for each in snapshots:
        store.save(each)
    # The first had to go.
    assert [store.load(each.id) is each for each in snapshots[1:]] == [True, True]
    assert store.load(snapshots[0].id) is not snapshots[0]
    nothing = SnapshotStore(tmp_path / "none")
    assert nothing.load(nothing.save(snapshots[0])) is not snapshots[0]


def test_pictures_are_read_from_disk(tmp_path: Path) -> None:
    store = _store(tmp_path)
    plain = _snapshot()
    snapshot_id = store.save(plain)
    store.save(dataclasses.replace(plain, pictures={"screenshot": b"PNG"}))
    assert store.load(snapshot_id).pictures == {"screenshot": b"PNG"}
    next(store.root.glob(f"*/{snapshot_id}.screenshot")).unlink()
    assert store.load(snapshot_id).pictures == {}


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_that_is_too_large_stays_while_it_is_looked_at(tmp_path: Path) -> None:
    clock, snapshot = _Clock(), _snapshot()
    most = snapshot.meta.nodes
    store = SnapshotStore(tmp_path, Recent(10, Large(most, idle_s=60), clock=clock))
    name = store.save(snapshot)
    assert store.load(name) is not store.load(name), "no one looks at it"
    held = store.load(name, pictures=False, looked_at=True)
    clock.now += 59
    assert store.load(name, pictures=False) is held
    clock.now += 59
    store.recent.expire()
    assert store.load(name) is held, "it was asked for a minute ago"
    clock.now += 60
    store.recent.expire()
    assert store.load(name) is not held


def test_of_those_that_are_too_large_only_the_last_stays(tmp_path: Path) -> None:
    first, second, third = _snapshot(), _snapshot("<p>again"), _snapshot(_ROWS)
    most = second.meta.nodes
    store = SnapshotStore(tmp_path, Recent(10, Large(most)))
    names = [store.save(each) for each in (first, second, third)]
    held = [store.load(name, looked_at=True) for name in names]
    assert third.meta.nodes > most
    same = [store.load(name) is each for name, each in zip(names, held, strict=True)]
    assert same == [False, True, False]
    # What is gone from the disk is gone.
    _file(store, names[1]).unlink()
    with pytest.raises(NotFound):
        store.load(names[1])
