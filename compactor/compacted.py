"""What an archive says of a list that was compacted with it: nothing is left to do there.

Marks tell single results and refs apart from a user's text, but not that a strategy has been at the whole
list, found that no more would help, and stopped: a session knows that from its state, and a list brings
none. So the archive holds one line for each list that came out changed, under the settings that made it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from compactor.messages import Json
from compactor.policy import Policy


def line_of(messages: Sequence[Json], format: str, policy: Policy, fixed: Json) -> Json:
    """The line for a list as JSON values, whatever the order of their keys; ``fixed`` is system and tools.

    Raises:
        TypeError, ValueError: something in it is no JSON.
    """
    return {
        "pagefold": "compacted",
        "messages": _digest(list(messages)),
        "under": _digest([format, repr(policy), fixed]),
    }


def _digest(value: Json) -> str:
    data = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(data.encode("ascii")).hexdigest()
