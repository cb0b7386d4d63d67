"""Originals that are damaged on the disk are never handed out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from obstore.store import LocalStore, MemoryStore

from compactor import ObjectArchive
from compactor.errors import ArtifactCorrupt, NotFound
from tests.faults.state import client_at, opened, turn


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _swap(path: Path) -> None:
    other = next(one for one in path.parent.iterdir() if one != path)
    path.write_bytes(other.read_bytes())


def _link(path: Path) -> None:
    # The same bytes, but in a place that others may write to.
    elsewhere = path.parent.parent.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _gone(path: Path) -> None:
    path.unlink()


DAMAGES = [_flip, _truncate, _empty, _swap, _link, _device, _pipe, _folder, _gone]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_original_is_a_typed_error_and_never_served(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    archive = ObjectArchive(LocalStore(prefix=str(tmp_path / "a"), mkdir=True))
    ref = archive.put("the original")
    archive.put("another one")
    damage(tmp_path / "a" / "sha256" / hashlib.sha256(b'"the original"').hexdigest())
    with pytest.raises(ArtifactCorrupt):
        archive.get(ref)


@pytest.mark.parametrize("damage", [_flip, _truncate, _link, _pipe, _gone])
def test_damaged_index_never_leads_to_another_original(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    archive = ObjectArchive(LocalStore(prefix=str(tmp_path / "a"), mkdir=True))
    ref = archive.put("the original")
    damage(tmp_path / "a" / "refs" / ref.removeprefix("a:"))
    with pytest.raises((ArtifactCorrupt, NotFound)):
        archive.get(ref)


def test_index_that_points_out_of_the_archive_is_not_followed(tmp_path: Path) -> None:
    archive = ObjectArchive(LocalStore(prefix=str(tmp_path / "a"), mkdir=True))
    ref = archive.put("the original")
    short = ref.removeprefix("a:")
    (tmp_path / "secret").write_text('"secret"')
    for target in (f"{short}/../../../secret", "../../secret", f"{short}{'0' * 56}/../x", short):
        (tmp_path / "a" / "refs" / short).write_text(target)
        with pytest.raises(ArtifactCorrupt):
            archive.get(ref)


@pytest.mark.parametrize(
    "ref", ["", "a:", "a:..", "a:../../secret", "a:/etc/passwd", "a:1234567", "a:" + "0" * 65]
)
def test_ref_that_is_no_ref_is_not_found(ref: str, tmp_path: Path) -> None:
    for objects in (LocalStore(prefix=str(tmp_path), mkdir=True), MemoryStore()):
        with pytest.raises(NotFound):
            ObjectArchive(objects).get(ref)


@pytest.mark.parametrize("damage", DAMAGES[:-2])
def test_storing_an_original_again_mends_a_damaged_copy(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    archive = ObjectArchive(LocalStore(prefix=str(tmp_path / "a"), mkdir=True))
    ref = archive.put("the original")
    archive.put("another one")
    damage(tmp_path / "a" / "sha256" / hashlib.sha256(b'"the original"').hexdigest())
    assert archive.put("the original") == ref
    assert archive.get(ref) == "the original"
    assert not list((tmp_path / "a").rglob("*.part"))


def test_files_are_the_owners_alone(tmp_path: Path) -> None:
    ObjectArchive(LocalStore(prefix=str(tmp_path / "a"), mkdir=True)).put("private")
    kept = [path for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(kept) == 2
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)


def test_service_says_that_a_copy_is_damaged_and_nothing_else(tmp_path: Path) -> None:
    with client_at(tmp_path) as client:
        path = opened(client)
        changes = client.post(f"{path}/messages", json=turn(1)).json()["changes"]
        ref = next(change["ref"] for change in changes if change["ref"])
        assert client.get(f"{path}/archive/{ref}").status_code == 200
        digest = (tmp_path / "archive" / "refs" / ref.removeprefix("a:")).read_text()
        _flip(tmp_path / "archive" / "sha256" / digest)
        answer = client.get(f"{path}/archive/{ref}")
        assert (answer.status_code, answer.json()["code"]) == (500, "artifact_corrupt")
        assert "line of a long result" not in answer.text
        assert digest not in answer.text
        assert client.get(f"{path}/context").status_code == 200
