"""Snapshots come back as they were saved, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from extractor.errors import NotFound, SnapshotCorrupt
from extractor.snapshot import Snapshot, SnapshotMeta
from extractor.store import SnapshotStore


def _snapshot(word: str = "ink") -> Snapshot:
    meta = SnapshotMeta(url="https://a.test/", final_url="https://a.test/", render="static")
    return Snapshot(f"<!DOCTYPE html><html><head></head><body>{word}</body></html>", meta)


def _file(root: Path) -> Path:
    (path,) = (path for path in root.rglob("*") if path.is_file())
    return path


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    snapshot = _snapshot()
    assert store.load(store.save(snapshot)) == snapshot


def test_saving_twice_leaves_one_file(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    assert store.save(_snapshot()) == store.save(_snapshot())
    assert _file(tmp_path)


@pytest.mark.parametrize(
    "name", ["", "0" * 31, "0" * 33, "G" * 32, "A" * 32, "../" + "0" * 29, "0" * 32 + "\n"]
)
def test_malformed_id_is_not_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        SnapshotStore(tmp_path).load(name)


def test_unknown_id_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="unfold=false"):
        SnapshotStore(tmp_path).load("0" * 32)


@pytest.mark.parametrize("content", [b"", b"not zstd", zstandard.ZstdCompressor().compress(b"{}")])
def test_damaged_file_is_never_served(tmp_path: Path, content: bytes) -> None:
    store = SnapshotStore(tmp_path)
    snapshot_id = store.save(_snapshot())
    _file(tmp_path).write_bytes(content)
    with pytest.raises(SnapshotCorrupt):
        store.load(snapshot_id)


def test_content_of_another_snapshot_is_never_served(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    snapshot_id = store.save(_snapshot())
    other = zstandard.ZstdCompressor().compress(_snapshot("blood").to_bytes())
    _file(tmp_path).write_bytes(other)
    with pytest.raises(SnapshotCorrupt):
        store.load(snapshot_id)


def test_each_tenant_has_a_part_that_no_other_sees(tmp_path: Path) -> None:
    whole = SnapshotStore(tmp_path)
    saved = whole.of("acme").save(_snapshot())
    assert whole.of("acme").load(saved) == _snapshot()
    for other in (whole, whole.of("zenith"), whole.of("acm")):
        with pytest.raises(NotFound):
            other.load(saved)
    assert whole.of("acme").fence_key() != whole.of("zenith").fence_key()


@pytest.mark.parametrize("name", ["..", "a/b", "/etc", "A", "a" * 64, "a\n", "-a", "."])
def test_a_tenant_without_a_plain_name_has_no_part(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a tenant"):
        SnapshotStore(tmp_path).of(name)
