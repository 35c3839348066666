"""Bearer token in, verified claims out: the one module that judges a token.

Powertools' alpha verifier insists on https and forgets keys when the issuer is down,
so PyJWT does the cryptography and the rules stand here:

- asymmetric algorithms only; the header's key id is compared, never followed;
- issuer exact, audience with or without a trailing slash, ``exp`` required;
- keys are refetched at most once a minute, and the last ones live for an hour.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt
from jwt.types import Options

from vitrine.edge.settings import Trust, secure
from vitrine.problems import Unauthenticated

ALGORITHMS = frozenset(
    f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)
) | {"EdDSA"}
SKEW = 60
FRESH = 300
COOLDOWN = 60
KEPT = 3600
"""Seconds: clock skew, age at which keys are refetched, pause between two fetches,
and the age at which the last keys are no longer believed."""

# The times are compared in this module, with the clock that was given.
_OPTIONS: Options = {
    "require": ["iss", "aud", "exp", "sub"],
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
}

Fetch = Callable[[str], bytes]
"""Get a URL's body; raise ``OSError`` when it can't be had."""


@dataclass(slots=True)
class Keys:
    """The issuer's signing keys, as last seen."""

    trust: Trust
    fetch: Fetch
    _keys: tuple[Mapping[str, Any], ...] = ()
    _made: dict[tuple[str, str], jwt.PyJWK] = field(default_factory=dict)
    _fetched: float = -math.inf
    _tried: float = -math.inf

    def find(self, header: Mapping[str, Any], now: float) -> jwt.PyJWK:
        """Find the one key that a header names; raise ``Unauthenticated`` if none."""
        if now - self._fetched >= FRESH or not self._matching(header):
            self._refresh(now)
        if now - self._fetched >= KEPT:
            raise Unauthenticated("The issuer's keys can't be had at the moment.")
        named = (header["kid"], header["alg"])
        if named not in self._made:
            self._made[named] = self._only(header)
        return self._made[named]

    def _only(self, header: Mapping[str, Any]) -> jwt.PyJWK:
        match self._matching(header):
            case [key]:
                return _loaded(key, header["alg"])
        raise Unauthenticated("The token is signed with an unknown key.")

    def _matching(self, header: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [k for k in self._keys if _fits(k, header)]

    def _refresh(self, now: float) -> None:
        # Anybody can make up a key's name: were each one worth a fetch, a stranger
        # could keep the issuer busy.
        if now - self._tried < COOLDOWN:
            return
        self._tried = now
        try:
            keys = json.loads(self.fetch(self._url()))["keys"]
            self._keys = tuple(k for k in keys if isinstance(k, Mapping))
            # Made anew of the new keys: a key that was taken back must not live on in
            # the map.
            self._made.clear()
        except (OSError, ValueError, KeyError, TypeError):
            if not self._keys:
                # A cold start beside a restarting issuer should not cost a minute.
                self._tried = now - COOLDOWN + 2
            return
        self._fetched = now

    def _url(self) -> str:
        if self.trust.jwks_url:
            return self.trust.jwks_url
        where = self.trust.issuer.rstrip("/") + "/.well-known/openid-configuration"
        metadata = json.loads(self.fetch(where))
        if metadata["issuer"] != self.trust.issuer:
            message = "the metadata speaks of another issuer"
            raise ValueError(message)
        # Metadata may name any address; keys are fetched over TLS alone.
        return secure(metadata["jwks_uri"])


@dataclass(frozen=True, slots=True)
class Verifier:
    """Judge access tokens of one issuer for one audience at a given second."""

    trust: Trust
    keys: Keys
    clock: Callable[[], float]
    audiences: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        bare = self.trust.audience.rstrip("/")
        object.__setattr__(self, "audiences", (bare, bare + "/"))

    def claims(self, authorization: str | None) -> Mapping[str, Any]:
        """Verify an ``Authorization`` header; raise ``Unauthenticated`` if in doubt."""
        token = _bearer(authorization)
        now = self.clock()
        header = _header(token)
        claims = self._decoded(token, self.keys.find(header, now))
        _timely(claims, now)
        _for_access(header, claims)
        return claims

    def _decoded(self, token: str, key: jwt.PyJWK) -> dict[str, Any]:
        try:
            return jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                issuer=self.trust.issuer,
                audience=self.audiences,
                options=_OPTIONS,
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            raise Unauthenticated("The token is not valid here.") from error


def _bearer(authorization: str | None) -> str:
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthenticated("Send an access token: Authorization: Bearer <token>.")
    return token.strip()


def _header(token: str) -> Mapping[str, Any]:
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
        raise Unauthenticated("The token can't be read.") from error
    named = isinstance(header.get("kid"), str) and header["kid"]
    # What is critical must be understood (RFC 7515, 4.1.11), and nothing here is;
    # without a `kid`, keys would have to be tried in turn.
    if header.get("alg") not in ALGORITHMS or not named or "crit" in header:
        raise Unauthenticated("The token is signed in a way that is not accepted.")
    return header


def _fits(key: Mapping[str, Any], header: Mapping[str, Any]) -> bool:
    return (
        key.get("kid") == header["kid"]
        and key.get("kty") in {"RSA", "EC", "OKP"}
        and key.get("alg") in {None, header["alg"]}
        and key.get("use") in {None, "sig"}
    )


def _loaded(key: Mapping[str, Any], algorithm: str) -> jwt.PyJWK:
    try:
        return jwt.PyJWK.from_dict(dict(key), algorithm=algorithm)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
        raise Unauthenticated("The token is signed with an unusable key.") from error


def _timely(claims: Mapping[str, Any], now: float) -> None:
    times = {k: claims[k] for k in ("exp", "nbf", "iat") if k in claims}
    # By the type itself, since a bool is an int.
    if any(type(t) not in {int, float} or not math.isfinite(t) for t in times.values()):
        raise Unauthenticated("The token's times can't be read.")
    if times["exp"] <= now - SKEW:
        raise Unauthenticated("The token has expired.")
    if max(times.get("nbf", 0), times.get("iat", 0)) > now + SKEW:
        raise Unauthenticated("The token is not valid yet.")


def _for_access(header: Mapping[str, Any], claims: Mapping[str, Any]) -> None:
    """Refuse an ID token, whose audience may be ours by a slip of configuration."""
    kind = str(header.get("typ", "JWT")).lower().removeprefix("application/")
    identity = "at_hash" in claims or "nonce" in claims
    if kind not in {"jwt", "at+jwt"} or identity or claims.get("token_use") == "id":
        raise Unauthenticated("An access token is needed, not an identity token.")
