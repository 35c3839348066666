from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from vitrine.edge.settings import Trust
from vitrine.edge.tokens import COOLDOWN, FRESH, KEPT, SKEW, Keys, Verifier
from vitrine.problems import Unauthenticated

NOW = 1_800_000_000.0
ISSUER = "https://id.example"
AUDIENCE = "https://api.example/mcp"
TRUST = Trust(issuer=ISSUER, audience=AUDIENCE)
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())


def jwk(key: Any, kid: str) -> dict[str, Any]:
    kind = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    public: dict[str, Any] = json.loads(kind.to_jwk(key.public_key()))
    return public | {"kid": kid, "use": "sig"}


class Desk:
    """A scripted issuer and clock: counts fetches and can be down."""

    def __init__(self, *keys: Mapping[str, Any]) -> None:
        self.keys, self.now, self.down, self.fetches = list(keys), NOW, False, 0
        self.issuer = ISSUER

    def fetch(self, url: str) -> bytes:
        if self.down:
            raise OSError(url)
        if url.endswith("openid-configuration"):
            found = {"issuer": self.issuer, "jwks_uri": f"{ISSUER}/keys"}
            return json.dumps(found).encode()
        self.fetches += 1
        return json.dumps({"keys": self.keys}).encode()

    def verifier(self) -> Verifier:
        return Verifier(TRUST, Keys(TRUST, self.fetch), lambda: self.now)


def signed(key: Any = EC, alg: str = "ES256", kid: str = "one", **changes: Any) -> str:
    headers = {"kid": kid} | changes.pop("headers", {})
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "s", "exp": NOW + 600, "nbf": NOW}
    kept = {k: v for k, v in (claims | changes).items() if v is not None}
    return "Bearer " + jwt.encode(kept, key, alg, headers=headers)


@pytest.fixture
def desk() -> Desk:
    return Desk(jwk(EC, "one"), jwk(RSA, "two"))


@pytest.mark.parametrize(
    "token",
    [
        signed(),
        signed(RSA, "RS256", "two"),
        signed(RSA, "PS384", "two"),
        signed(aud=AUDIENCE + "/"),
        signed(aud=["https://other.example", AUDIENCE]),
        signed(exp=NOW - SKEW + 1),
        signed(nbf=NOW + SKEW),
        signed(nbf=None),
        signed(headers={"typ": "at+jwt"}),
        signed().replace("Bearer", "bearer"),
    ],
)
def test_a_good_token_gives_its_claims(desk: Desk, token: str) -> None:
    assert desk.verifier().claims(token)["sub"] == "s"


@pytest.mark.parametrize(
    "token",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic abc",
        "Bearer not.a.token",
        "Bearer " + "x" * 70_000,
        signed(iss="https://evil.example"),
        signed(iss=ISSUER + "/"),
        signed(aud="https://api.example"),
        signed(aud=AUDIENCE + "//"),
        signed(aud=None),
        signed(sub=None),
        signed(exp=None),
        signed(exp=NOW - SKEW),
        signed(exp=float("inf")),
        signed(exp=True),
        signed(nbf=NOW + SKEW + 1),
        signed(iat=NOW + SKEW + 1),
        signed(kid="three"),
        signed(kid=""),
        signed(RSA, "RS256", "one"),
        signed(EC, "ES256", "two"),
        signed(ec.generate_private_key(ec.SECP256R1())),
        signed(headers={"crit": ["exp"]}),
        signed(headers={"typ": "id+jwt"}),
        signed(nonce="n"),
        signed(at_hash="h"),
        signed(token_use="id"),
    ],
)
def test_a_doubtful_token_is_refused(desk: Desk, token: str | None) -> None:
    with pytest.raises(Unauthenticated):
        desk.verifier().claims(token)


def raw(header: Mapping[str, Any], secret: bytes = b"") -> str:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "s", "exp": NOW + 600}
    parts = [base64.urlsafe_b64encode(json.dumps(p).encode()) for p in (header, claims)]
    text = b".".join(p.rstrip(b"=") for p in parts)
    mac = hmac.new(secret, text, hashlib.sha256).digest() if secret else b""
    return (
        "Bearer " + (text + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()
    )


def test_an_unsigned_token_is_refused(desk: Desk) -> None:
    for alg in ("none", "None", "NONE", ""):
        with pytest.raises(Unauthenticated):
            desk.verifier().claims(raw({"alg": alg, "kid": "one"}))


def test_a_public_key_is_no_shared_secret(desk: Desk) -> None:
    public = RSA.public_key().public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )

    with pytest.raises(Unauthenticated):
        desk.verifier().claims(raw({"alg": "HS256", "kid": "two"}, public))


def test_a_shared_secret_in_the_key_set_is_not_used() -> None:
    secret = base64.urlsafe_b64encode(b"k" * 32).rstrip(b"=").decode()
    desk = Desk({"kty": "oct", "k": secret, "kid": "one"})

    with pytest.raises(Unauthenticated):
        desk.verifier().claims(raw({"alg": "HS256", "kid": "one"}, b"k" * 32))


@pytest.mark.parametrize(
    "injected",
    [
        {"jku": "https://evil.example/keys"},
        {"x5u": "https://evil.example/cert"},
        {"jwk": {}},
        {"kid": "../../dev/null"},
        {"kid": "one' OR '1'='1"},
    ],
)
def test_a_header_names_a_known_key_and_brings_none(
    desk: Desk, injected: dict[str, Any]
) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    if "jwk" in injected:
        injected = {"jwk": jwk(stranger, "two")}

    with pytest.raises(Unauthenticated):
        desk.verifier().claims(signed(stranger, "RS256", "two", headers=injected))


def test_two_keys_of_one_name_are_none() -> None:
    desk = Desk(jwk(EC, "one"), jwk(ec.generate_private_key(ec.SECP256R1()), "one"))

    with pytest.raises(Unauthenticated):
        desk.verifier().claims(signed())


def test_unknown_keys_cause_one_fetch_a_minute(desk: Desk) -> None:
    verifier = desk.verifier()
    verifier.claims(signed())

    for _ in range(10):
        desk.now += 10
        with pytest.raises(Unauthenticated):
            verifier.claims(signed(kid="unknown"))

    assert desk.fetches == 1 + 10 * 10 // COOLDOWN


def test_a_rotated_key_is_found_after_the_pause(desk: Desk) -> None:
    verifier = desk.verifier()
    verifier.claims(signed())
    new = ec.generate_private_key(ec.SECP256R1())
    desk.keys = [jwk(new, "new")]

    desk.now += COOLDOWN

    assert verifier.claims(signed(new, kid="new"))["sub"] == "s"
    with pytest.raises(Unauthenticated):
        verifier.claims(signed())


def test_the_last_keys_live_for_an_hour_of_silence(desk: Desk) -> None:
    verifier = desk.verifier()
    verifier.claims(signed())
    desk.down = True

    desk.now += KEPT - 1
    assert verifier.claims(signed(exp=desk.now + 60))["sub"] == "s"
    desk.now += 1
    with pytest.raises(Unauthenticated, match="keys"):
        verifier.claims(signed(exp=desk.now + 60))


def test_fresh_keys_are_not_fetched_again(desk: Desk) -> None:
    verifier = desk.verifier()

    for second in (0, 1, FRESH - 2):
        desk.now = NOW + second
        verifier.claims(signed())

    assert desk.fetches == 1


def test_an_issuer_that_was_down_at_start_is_asked_again_soon(desk: Desk) -> None:
    verifier = desk.verifier()
    desk.down = True
    with pytest.raises(Unauthenticated):
        verifier.claims(signed())

    desk.down = False
    desk.now += 2

    assert verifier.claims(signed())["sub"] == "s"


def test_metadata_of_another_issuer_is_not_followed(desk: Desk) -> None:
    desk.issuer = "https://evil.example"

    with pytest.raises(Unauthenticated):
        desk.verifier().claims(signed())
    assert desk.fetches == 0


def test_a_configured_address_of_keys_needs_no_discovery(desk: Desk) -> None:
    trust = TRUST.model_copy(update={"jwks_url": f"{ISSUER}/keys"})
    desk.issuer = "https://elsewhere.example"
    verifier = Verifier(trust, Keys(trust, desk.fetch), lambda: desk.now)

    assert verifier.claims(signed())["sub"] == "s"
