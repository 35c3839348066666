"""Who asks: built from verified token claims alone, never from a body.

A caller without tenant, subject and client does not exist; no caller, no search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from vitrine.problems import Forbidden, Unauthenticated


class Surface(StrEnum):
    """Where a request comes from; it labels every log line and metric."""

    API = "api"
    GALLERY = "gallery"
    CHAT_PREVIEW = "chat_preview"
    CHAT_DIAGNOSTIC = "chat_diagnostic"
    CHAT_SUGGESTIONS = "chat_suggestions"
    MCP = "mcp"


# What a request body may say of itself; the other labels are set by code.
CLAIMABLE = frozenset({Surface.API, Surface.GALLERY, Surface.CHAT_PREVIEW})
DEFAULT_PROFILE = "closed"


@dataclass(frozen=True, slots=True)
class Caller:
    """The verified identity of one request."""

    tenant: str
    subject: str
    client: str
    account: str | None = None
    actor: str | None = None
    scopes: frozenset[str] = frozenset()
    profiles: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    default_profile: str = DEFAULT_PROFILE
    surface: Surface = Surface.API
    language: str = "en"

    @property
    def identity(self) -> str:
        """Name the unit of budgets: 128 bits over tenant, account, subject, actor.

        The client is left out: an identity can't multiply itself by clients.
        """
        parts = (self.tenant, self.account or "", self.subject, self.actor or "")
        return sha256("\x1f".join(parts).encode()).hexdigest()[:32]

    @property
    def company(self) -> str:
        """Name the account that budgets can't be multiplied past."""
        parts = (self.tenant, self.account or f"\x00{self.subject}")
        return sha256("\x1f".join(parts).encode()).hexdigest()[:32]

    @property
    def person(self) -> str:
        """Name the subject alone, whatever they buy for and whoever acts for them.

        It finds what is kept of a person; nothing is charged to it.
        """
        parts = ("person", self.tenant, self.subject)
        return sha256("\x1f".join(parts).encode()).hexdigest()[:32]

    @property
    def anonymous(self) -> bool:
        """Tell a client's own token, behind which no user stands.

        Its subject is the client itself (RFC 9068, 2.2), with a suffix on some issuers.
        """
        return self.actor is None and self.subject in {
            self.client,
            f"{self.client}@clients",
        }

    def profile_of(self, source: str) -> str:
        """Give the profile that the token grants on a source."""
        return self.profiles.get(source, self.default_profile)

    def require(self, scope: str) -> None:
        """Raise ``Forbidden`` unless the token carries ``scope``."""
        if scope not in self.scopes:
            raise Forbidden(f"The scope {scope!r} is needed.", scope=scope)

    def speaking(self, language: str | None, surface: Surface) -> Caller:
        """Give the same caller on a surface, answered in a language."""
        return replace(self, language=language or self.language, surface=surface)


def nobody(tenant: str, number: str, client: str) -> Caller:
    """Give a caller whom no row names, by a number that nobody can guess.

    No row is theirs by owner or by team, so that what they see is open to all of the
    tenant: what is sampled and counted for everybody is read as them.
    """
    return Caller(tenant, number, client)


def from_claims(claims: Mapping[str, Any], *, language: str = "en") -> Caller:
    """Read a caller off verified claims; raise ``Unauthenticated`` on a gap."""
    tenant, subject, client = (
        _text(claims, key) for key in ("tenant", "sub", "client_id")
    )
    actor = claims.get("act")
    granted = claims.get("profile")
    return Caller(
        tenant=tenant,
        subject=subject,
        client=client,
        account=_optional(claims, "account"),
        actor=_text(actor, "sub") if isinstance(actor, Mapping) else None,
        scopes=frozenset(str(claims.get("scope", "")).split()),
        profiles=MappingProxyType(_profiles(granted)),
        default_profile=granted if isinstance(granted, str) else DEFAULT_PROFILE,
        language=language,
    )


def _profiles(granted: Any) -> dict[str, str]:
    """Read what is granted by source; what is no name is no grant."""
    pairs = granted.items() if isinstance(granted, Mapping) else ()
    return {k: v for k, v in pairs if isinstance(v, str)}


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _text(claims: Mapping[str, Any], key: str) -> str:
    value = claims.get(key)
    # Identities are hashed with such characters between their parts: an account that
    # could hold one could be named like somebody else's.
    if not isinstance(value, str) or not value or _CONTROL.search(value):
        raise Unauthenticated(f"The token has no usable {key!r} claim.")
    return value


def _optional(claims: Mapping[str, Any], key: str) -> str | None:
    return None if claims.get(key) is None else _text(claims, key)
