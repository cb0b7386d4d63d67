"""Keys are made, listed and revoked; what is stored of them opens nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from api.cli import app
from api.key_store import KeyStore
from api.keys import PERMISSIONS, parse_key, secret_fits
from compactor.migrate import upgrade
from compactor.store import open_database
from tests.compactor.postgres import running_postgres

runner = CliRunner()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KeyStore]:
    if request.param == "postgresql":
        with running_postgres() as url:
            engine = open_database(url)
            yield KeyStore(engine)
            engine.dispose()
        return
    engine = open_database(f"sqlite:///{tmp_path / 'keys.db'}")
    yield KeyStore(engine)
    engine.dispose()


def test_a_key_is_kept_as_its_hash_until_it_is_revoked(store: KeyStore) -> None:
    made, written = store.create("acme", ["execute", "pages"], concurrency=3)
    parsed = parse_key(written)
    assert parsed is not None
    key_id, secret = parsed
    [kept] = store.all()
    assert kept == made
    assert (kept.id, kept.tenant, kept.concurrency) == (key_id, "acme", 3)
    assert kept.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert secret_fits(kept, secret)
    assert store.revoke(key_id)
    assert not store.revoke(key_id)
    [revoked] = store.all()
    assert revoked.revoked_at
    assert not secret_fits(revoked, secret)


def test_secrets_have_256_bits_and_none_comes_twice(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'keys.db'}")
    written = [KeyStore(engine).create("acme", ["pages"])[1] for _ in range(50)]
    engine.dispose()
    secrets = {text.partition(".")[2] for text in written}
    assert len(secrets) == 50
    # 43 characters of base 64 hold 258 bits: the 32 random bytes and two of padding.
    assert {len(secret) for secret in secrets} == {43}


@pytest.mark.parametrize(
    "text",
    ["", ".", "pf_0123456789ab", "pf_0123456789ab.", "pf_0123456789ab." + "x" * 42,
     "pf_0123456789ab." + "x" * 44, "pf_0123456789aB." + "x" * 43, "xx_0123456789ab." + "x" * 43,
     "pf_0123456789ab." + "x" * 42 + "é", "pf_0123456789ab." + "x" * 43 + "\n"],
)  # fmt: skip
def test_what_is_not_written_like_a_key_is_none(text: str) -> None:
    assert parse_key(text) is None


def test_an_unknown_id_fits_no_secret() -> None:
    assert not secret_fits(None, "x" * 43)
    assert not secret_fits(None, "")


def test_a_permission_from_a_newer_version_allows_nothing(store: KeyStore) -> None:
    made, _ = store.create("acme", PERMISSIONS)
    with store._engine.begin() as connection:
        connection.execute(sa.text("UPDATE api_keys SET allow = 'fly,pages'"))
    assert [(key.id, key.allow) for key in store.all()] == [(made.id, {"pages"})]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAGEFOLD_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_command_shows_a_secret_once_and_lists_without_it(data: Path) -> None:
    made = runner.invoke(app, ["keys", "create", "acme", "--requests-per-minute", "30"])
    assert made.exit_code == 0, made.stderr
    written = made.stdout.strip()
    key_id, _, secret = written.partition(".")
    listed = runner.invoke(app, ["keys", "list"])
    assert (key_id in listed.stdout, "acme" in listed.stdout) == (True, True)
    as_json = json.loads(runner.invoke(app, ["keys", "list", "--json"]).stdout)
    assert [(k["id"], k["tenant"], k["requests_per_minute"]) for k in as_json] == [
        (key_id, "acme", 30)
    ]
    assert as_json[0]["allow"] == ["pages", "sessions"]
    everything = listed.output + json.dumps(as_json) + made.stderr
    assert secret not in everything
    kept = [path.read_bytes() for path in data.rglob("*") if path.is_file()]
    assert not [data for data in kept if secret.encode() in data]


def test_the_data_folder_is_for_its_owner_alone(data: Path) -> None:
    assert runner.invoke(app, ["keys", "list"]).exit_code == 0
    assert data.stat().st_mode & 0o777 == 0o700


def test_the_command_revokes_by_id_or_by_the_whole_key(data: Path) -> None:
    written = runner.invoke(app, ["keys", "create", "acme"]).stdout.strip()
    gone = runner.invoke(app, ["keys", "revoke", written])
    assert gone.exit_code == 0
    assert written.partition(".")[2] not in gone.output
    again = runner.invoke(app, ["keys", "revoke", written.partition(".")[0]])
    assert (again.exit_code, "no valid key" in again.stderr) == (1, True)
    assert json.loads(runner.invoke(app, ["keys", "list", "--json"]).stdout)[0]["revoked_at"]


@pytest.mark.parametrize("name", ["", "Acme", "../x", "a b", "a" * 64])
def test_the_command_takes_plain_names_of_tenants_only(data: Path, name: str) -> None:
    result = runner.invoke(app, ["keys", "create", name])
    assert (result.exit_code, result.stdout) == (2, "")


def test_the_command_names_what_can_be_allowed(data: Path) -> None:
    result = runner.invoke(app, ["keys", "create", "acme", "--allow", "pages", "--allow", "fly"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert all(name in result.stderr for name in ("'fly'", *PERMISSIONS))


def test_a_database_from_before_keys_gets_their_table(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    engine = sa.create_engine(url)
    upgrade(engine, to="0001")
    assert "api_keys" not in sa.inspect(engine).get_table_names()
    engine.dispose()
    engine = open_database(url)
    assert KeyStore(engine).all() == []
    engine.dispose()
