"""An OpenID Connect issuer of our own: a key made at start, and tokens signed with it.

The key never leaves the process; `control.py` mints for commands outside of it.
"""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.host import Receive, Scope, Send

ALGORITHM = "ES256"
HOUR = 3600
CONFIGURATION = "/.well-known/openid-configuration"
# RFC 8414: the same document for clients that don't speak OpenID.
SERVER = "/.well-known/oauth-authorization-server"
KEYS = "/.well-known/jwks.json"


class Issuer:
    """Signs access tokens and publishes the key that verifies them."""

    def __init__(self) -> None:
        """Make the key; the stack sets `url` and `audience` once it knows them."""
        self.url = ""
        self.audience = ""
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._id = secrets.token_hex(8)

    def token(
        self,
        *,
        tenant: str | None = "demo",
        account: str | None = None,
        user: str = "someone",
        client: str = "desk",
        scope: str = "",
        profile: str | Mapping[str, str] | None = None,
        actor: str | None = None,
        seconds: float = HOUR,
        **claims: Any,
    ) -> str:
        """Return a signed access token; further claims replace ours, None removes."""
        now = int(time.time())
        body = {
            "iss": self.url,
            "aud": self.audience,
            "sub": user,
            "tenant": tenant,
            "account": account,
            "act": {"sub": actor} if actor else None,
            "client_id": client,
            "scope": scope,
            "profile": profile,
            "iat": now,
            "nbf": now,
            "exp": int(now + seconds),
            **claims,
        }
        held = {name: value for name, value in body.items() if value is not None}
        return jwt.encode(held, self._key, ALGORITHM, headers={"kid": self._id})

    def keys(self) -> dict[str, Any]:
        """Return the JSON Web Key Set."""
        public = json.loads(ECAlgorithm.to_jwk(self._key.public_key()))
        return {
            "keys": [{**public, "kid": self._id, "use": "sig", "alg": ALGORITHM}],
        }

    def configuration(self) -> dict[str, Any]:
        """Return the discovery document; no endpoint gives tokens to strangers."""
        return {
            "issuer": self.url,
            "jwks_uri": f"{self.url}{KEYS}",
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
            "code_challenge_methods_supported": ["S256"],
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the public documents."""
        documents = {
            CONFIGURATION: self.configuration,
            SERVER: self.configuration,
            KEYS: self.keys,
        }
        document = documents.get(scope["path"])
        if document:
            answer = JSONResponse(document())
        else:
            answer = JSONResponse({"error": "not_found"}, 404)
        await answer(scope, receive, send)
