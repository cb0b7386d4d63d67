"""What is acknowledged is on the disk: a power cut takes nothing back."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from compactor.store import open_database

_APPENDS = """
import os, sys
from pathlib import Path
from tests.faults.state import session_in, stored, turn

store, archive = stored(Path(sys.argv[1]))
session = session_in(store, archive, "s1")
os.write(2, b"READY\\n")
for number in range(3):
    session.append_many(turn(number)["messages"])
    os.write(2, b"ACKNOWLEDGED\\n")
os._exit(0)
"""


def test_database_is_synchronous_on_every_connection(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 's.db'}")
    with engine.connect() as one, engine.connect() as two:
        for connection in (one, two):
            found = {
                name: connection.execute(sa.text(f"PRAGMA {name}")).scalar_one()
                for name in ("journal_mode", "synchronous", "foreign_keys")
            }
            full = 2
            assert found == {"journal_mode": "wal", "synchronous": full, "foreign_keys": 1}
    engine.dispose()


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_log_and_originals_are_synced_before_an_append_is_acknowledged(tmp_path: Path) -> None:
    calls = "openat,write,pwrite64,fsync,fdatasync,link,linkat,rename"
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-y", "-o", str(trace), "-e", f"trace={calls}"]
    folder = tmp_path / "data"
    folder.mkdir()
    done = subprocess.run(
        [*command, sys.executable, "-c", _APPENDS, str(folder)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "ptrace" in done.stderr:
        pytest.skip("processes may not be traced here")
    assert done.returncode == 0, done.stderr[-500:]
    text = trace.read_text(errors="replace")
    _, *appends = re.split(r"READY|ACKNOWLEDGED", text)
    assert len(appends) == 4
    for append in appends[:-1]:
        lines = append.splitlines()
        written = [at for at, line in enumerate(lines) if "pwrite64" in line and "-wal>" in line]
        synced = [at for at, line in enumerate(lines) if "sync(" in line and "-wal>" in line]
        assert written
        assert synced
        assert max(synced) > max(written)
        _each_original_is_synced(lines, before=max(synced))


def _each_original_is_synced(lines: list[str], before: int) -> None:
    """A temporary file is synced, linked to its name, and the folder synced, all before the commit."""
    linked = [at for at, line in enumerate(lines) if re.search(r"\blink(at)?\(", line)]
    assert linked
    for at in linked:
        temporary = re.findall(r'"([^"]*\.part)"', lines[at])[0]
        folder = Path(temporary).parent
        assert any("fsync(" in line and f"<{temporary}" in line for line in lines[:at])
        assert any("fsync(" in line and f"<{folder}>" in line for line in lines[at:before])
