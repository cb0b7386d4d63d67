"""Snapshots on a damaged or full disk: never something else, and failures have names."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import SnapshotCorrupt, StorageFull
from extractor.snapshot import Snapshot, SnapshotMeta
from extractor.store import SnapshotStore


def _snapshot(word: str = "ink") -> Snapshot:
    meta = SnapshotMeta(url="https://a.test/", final_url="https://a.test/", render="browser")
    html = f"<!DOCTYPE html><html><head></head><body>{word}</body></html>"
    return Snapshot(html, meta, {"screenshot": b"\x89PNG of " + word.encode()})


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _link(path: Path) -> None:
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES = [_flip, _truncate, _empty, _link, _device, _pipe]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("which", ["*.html.zst", "*.screenshot"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_file_is_a_typed_error_and_saving_again_mends_it(
    damage: Callable[[Path], None], which: str, tmp_path: Path
) -> None:
    store = SnapshotStore(tmp_path)
    snapshot_id = store.save(_snapshot())
    (path,) = tmp_path.rglob(which)
    damage(path)
    with pytest.raises(SnapshotCorrupt):
        store.load(snapshot_id)
    assert store.save(_snapshot()) == snapshot_id
    assert store.load(snapshot_id) == _snapshot()
    assert store.load(snapshot_id).pictures == _snapshot().pictures


def test_picture_of_another_page_is_never_served(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    snapshot_id, other = store.save(_snapshot()), store.save(_snapshot("blood"))
    (mine,) = tmp_path.rglob(f"{snapshot_id}.screenshot")
    (theirs,) = tmp_path.rglob(f"{other}.screenshot")
    mine.write_bytes(theirs.read_bytes()[:32] + mine.read_bytes()[32:])
    with pytest.raises(SnapshotCorrupt):
        store.load(snapshot_id)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_full_disk_is_refused_by_name_and_leaves_nothing(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SnapshotStore(tmp_path)
    old = store.save(_snapshot("old"))

    def full(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageFull, match="unfold=false"):
            store.save(_snapshot("new"))
    assert store.load(old) == _snapshot("old")
    assert not list(tmp_path.rglob("*.part"))


def test_file_and_folder_are_synced_before_a_save_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def noted(handle: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{handle}"))
        real(handle)

    monkeypatch.setattr(os, "fsync", noted)
    snapshot_id = SnapshotStore(tmp_path).save(_snapshot())
    folder = str(tmp_path / snapshot_id[:2])
    assert [name.endswith(".part") for name in synced] == [True, False, True, False]
    assert synced[1] == synced[3] == folder
