"""On a full disk appends are refused by name, and what was stored can be read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = """
import json, sys
from pathlib import Path
from tests.faults.state import client_at, opened, turn

folder, archived = Path(sys.argv[1]), sys.argv[2] == "archive"
content = "line of a result\\n" * (1_000 if archived else 200)
seen = {"acknowledged": 0}
with client_at(folder) as client:
    path = opened(client, budget_chars=40_000 if archived else 50_000_000)
    for number in range(2_000):
        answer = client.post(f"{path}/messages", json=turn(number, content))
        if answer.status_code != 200:
            break
        seen["acknowledged"] += 1
    seen["refused"] = [answer.status_code, answer.json()["code"], answer.json()["retryable"]]
    seen["again"] = client.post(f"{path}/messages", json=turn(number, content)).json()["code"]
    seen["version"] = client.get(path).json()["version"]
    context = client.get(f"{path}/context")
    seen["context"] = context.status_code
    # Of an entry that stands in another form than it came in, the certificate archives the original.
    lines = client.get(f"{path}/certificate").json().get("certificate", [])
    refs = [line["original"] for line in lines if not line["kept"]]
    answers = [client.get(f"{path}/archive/{ref}").status_code for ref in refs]
    seen["expanded"] = [len(answers), sorted(set(answers))]
with client_at(folder) as client:
    seen["version after restart"] = client.get(path).json()["version"]
    seen["context after restart"] = client.get(f"{path}/context").text == context.text
    (folder / "ballast").unlink()
    seen["with room"] = client.post(f"{path}/messages", json=turn(number, content)).status_code
    seen["parts left"] = [str(found) for found in folder.rglob("*.part")]
print(json.dumps(seen))
"""
_MOUNT = (
    'mount -t tmpfs -o size=3m none "$0" && head -c 1500000 /dev/zero > "$0/ballast" && exec "$@"'
)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare for a mount of its own")
@pytest.mark.timeout(180)
@pytest.mark.parametrize("fills", ["archive", "database"])
def test_append_on_a_full_disk_is_refused_and_old_data_can_be_read(
    fills: str, tmp_path: Path
) -> None:
    flags = ["--mount"] if os.geteuid() == 0 else ["--mount", "--map-root-user"]
    inside = [sys.executable, "-c", _SCRIPT, str(tmp_path), fills]
    done = subprocess.run(
        ["unshare", *flags, "sh", "-c", _MOUNT, str(tmp_path), *inside],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"no mount of its own here: {done.stderr.strip()[:200]}")
    assert done.returncode == 0, done.stderr[-2_000:]
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["acknowledged"] > 3
    assert seen["refused"] == [507, "storage_full", True]
    assert seen["again"] == "storage_full"
    assert seen["version"] == seen["version after restart"] == 2 * seen["acknowledged"]
    assert seen["context"] == 200
    assert seen["expanded"][1] == ([200] if fills == "archive" else [])
    assert seen["context after restart"]
    assert seen["with room"] == 200
    assert seen["parts left"] == []
