"""Run a command as a container would: as nobody, without any right, under a seccomp profile.

``python confined.py PROFILE COMMAND…``, as root. Reads the profile as container runtimes do: rules with
several conditions on one argument are not used, names that this kernel does not know are passed over.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

NOBODY = 65534
_ALLOW, _ERRNO, _EQUAL = 0x7FFF0000, 0x00050000, 4
_DROP_BOUND, _NO_NEW_PRIVILEGES, _LAST_CAPABILITY = 24, 38, 63


class _Condition(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def drop_everything() -> None:
    """Become nobody, for good."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(_LAST_CAPABILITY + 1):
        libc.prctl(_DROP_BOUND, capability, 0, 0, 0)  # those that do not exist are refused
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    assert libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0


def load(profile: dict[str, Any]) -> None:
    """Put this process and all that it starts under the profile."""
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_rule_add_array.argtypes = (
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(_Condition),
    )  # fmt: skip
    filters = library.seccomp_init(_ERRNO | profile["defaultErrnoRet"])
    for rule in profile["syscalls"]:
        assert rule["action"] == "SCMP_ACT_ALLOW"
        conditions = [_condition(given) for given in rule.get("args", ())]
        array = (_Condition * len(conditions))(*conditions)
        for name in rule["names"]:
            number = library.seccomp_syscall_resolve_name(name.encode())
            if number >= 0:
                added = library.seccomp_rule_add_array(
                    filters, _ALLOW, number, len(conditions), array
                )
                assert added == 0, (name, added)
    assert library.seccomp_load(ctypes.c_void_p(filters)) == 0


def _condition(given: dict[str, Any]) -> _Condition:
    assert given["op"] == "SCMP_CMP_EQ"
    return _Condition(given["index"], _EQUAL, given["value"], 0)


if __name__ == "__main__":
    chosen = json.loads(Path(sys.argv[1]).read_text())
    drop_everything()
    load(chosen)
    os.execvp(sys.argv[2], sys.argv[2:])
