"""Who sent a request, as the gate found out, and what that caller may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from starlette.types import Scope

from api.keys import ApiKey, Permission
from extractor.errors import ExtractorError

_IN_SCOPE = "pagefold.caller"


class Forbidden(ExtractorError):
    """The key is valid, but does not allow this."""

    code = "forbidden"


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller that the gate let in. Without a key no key is asked for, and everything is allowed."""

    key: ApiKey | None = None

    @property
    def tenant(self) -> str:
        """Whose things the caller sees; ``""`` without a key."""
        return self.key.tenant if self.key is not None else ""

    def may(self, permission: Permission) -> bool:
        """Whether the caller is allowed to."""
        return self.key is None or permission in self.key.allow

    def require(self, permission: Permission) -> None:
        """Raises Forbidden when the caller is not allowed to."""
        if not self.may(permission):
            raise Forbidden(
                f"This key does not allow {permission!r}; ask for one made with --allow {permission}."
            )


def let_in(scope: Scope, caller: Caller) -> None:
    """Note in the scope who it is."""
    scope[_IN_SCOPE] = caller


def caller_in(scope: Scope) -> Caller | None:
    """Who was let in; ``None`` when nobody was."""
    caller = scope.get(_IN_SCOPE)
    return caller if isinstance(caller, Caller) else None


def caller_of(request: Request) -> Caller:
    """Who sent the request.

    Raises:
        RuntimeError: no gate stands before the application, so nobody was let in.
    """
    caller = caller_in(request.scope)
    if caller is None:
        raise RuntimeError("a request came past the gate")
    return caller


def tenant_of(request: Request) -> str:
    """Whose request it is; see ``caller_of``."""
    return caller_of(request).tenant


CallerOf = Annotated[Caller, Depends(caller_of)]
