"""Sealed tokens and public handles: what a caller carries but can't read or make.

One token form serves cursors, sessions, request state and share links:

    base64url( version · key id · nonce(12) · AES-256-GCM( expiry(8) · JSON ) )

Each purpose has a key of its own (HKDF-SHA256, RFC 5869); what a token is bound to
is associated data, so it must be said again to open it. Forged, foreign and stale
tokens are one refusal. Nonces come from outside; a random nonce of 96 bits is good
for 2**32 tokens a key (NIST SP 800-38D, 8.3).
"""

from __future__ import annotations

import binascii
import json
from base64 import b32decode, b32encode, b64decode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from vitrine.problems import Fault, Invalid

Purpose = Literal["cursor", "session", "state", "share"]
VERSION = 1
NONCE = 12
SECRET = 32
"""Bytes of each key of the ring and of the ref key."""
LENGTH = 16_384
"""Characters above which a token is not even decoded."""
_HEAD = 2 + NONCE
_STAMP = 8
_REF = 26


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a token is for, and all that it is bound to: identity, source, tree hash."""

    purpose: Purpose
    bound: tuple[str, ...] = ()


class Ring:
    """A key ring: the first key seals, every key opens.

    Rotate by putting a new key first and dropping the last when its tokens are stale.
    """

    def __init__(self, keys: Sequence[bytes], nonce: Callable[[], bytes]) -> None:
        if not keys or any(len(key) != SECRET for key in keys):
            raise ValueError(f"the ring needs keys of {SECRET} bytes")
        self._keys = tuple((_key_id(key), key) for key in keys)
        self._nonce = nonce

    def seal(self, what: Sealed, content: Mapping[str, Any], *, until: datetime) -> str:
        """Make a token of JSON-able content that opens before ``until``."""
        number, key = self._keys[0]
        head = bytes((VERSION, number)) + self._nonce()
        # Inside of what is encrypted: a caller can neither read nor move it.
        plain = _seconds(until).to_bytes(_STAMP, "big") + _json(content)
        body = _cipher(key, what.purpose).encrypt(head[2:], plain, _bound(head, what))
        return urlsafe_b64encode(head + body).rstrip(b"=").decode()

    def open(self, what: Sealed, token: str, *, now: datetime) -> dict[str, Any]:
        """Read a token; raise one ``Invalid`` for forged, foreign and stale alike."""
        raw = _decoded(token)
        for number, key in self._keys:
            # A key's id is one byte, so that two keys may share it: each that fits is
            # tried.
            ours = raw[:2] == bytes((VERSION, number))
            plain = _opened(key, what, raw) if ours else None
            if plain and int.from_bytes(plain[:_STAMP], "big") > _seconds(now):
                content: dict[str, Any] = json.loads(plain[_STAMP:])
                return content
        raise _refusal(what.purpose)


class Refs:
    """Public handles of documents: the engine's UUID under a keyed permutation.

    The key stands beside the ring and is not rotated: refs are kept by callers.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) != SECRET:
            raise ValueError(f"the ref key needs {SECRET} bytes")
        self._secret = secret

    def ref(self, tenant: str, source: str, document: str) -> str:
        """Give the handle of a document: 26 characters of lower-case base 32."""
        encryptor = _block(self._secret, tenant, source).encryptor()
        return (
            b32encode(encryptor.update(UUID(document).bytes))
            .rstrip(b"=")
            .decode()
            .lower()
        )

    def id_of(self, tenant: str, source: str, ref: str) -> str | None:
        """Give the engine's id that a handle stands for, None where it can't be one.

        A guessed handle gives the id of no document.
        """
        block = _unbased(ref)
        if block is None:
            return None
        return str(
            UUID(bytes=_block(self._secret, tenant, source).decryptor().update(block))
        )


def ring_of(secret: Mapping[str, Any], nonce: Callable[[], bytes]) -> Ring:
    """Read the ring off the kept secret ``{"keys": [base64…], "ref_key": base64}``."""
    return Ring([b64decode(key) for key in secret["keys"]], nonce)


def refs_of(secret: Mapping[str, Any]) -> Refs:
    """Read the ref key off the same secret."""
    return Refs(b64decode(secret["ref_key"]))


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _seconds(moment: datetime) -> int:
    if moment.tzinfo is None:
        raise ValueError("an aware datetime is needed")
    return int(moment.timestamp())


def _bound(head: bytes, what: Sealed) -> bytes:
    # As JSON, since no two lists of texts are one text of it; and the head with it, so
    # that no version or key id can be exchanged.
    return head + json.dumps([what.purpose, *what.bound]).encode()


def _decoded(token: str) -> bytes:
    """Decode strictly: two spellings of one token would be two tokens."""
    # Ours are never so long; what is longer costs no more than this comparison.
    if len(token) > LENGTH:
        return b""
    try:
        raw = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except (binascii.Error, ValueError):
        return b""
    return raw if urlsafe_b64encode(raw).rstrip(b"=").decode() == token else b""


def _opened(key: bytes, what: Sealed, raw: bytes) -> bytes | None:
    head, body = raw[:_HEAD], raw[_HEAD:]
    if len(head) < _HEAD:
        return None
    try:
        return _cipher(key, what.purpose).decrypt(head[2:], body, _bound(head, what))
    except InvalidTag:
        return None


def _refusal(purpose: Purpose) -> Invalid:
    message = f"This {purpose} is not valid here, or no longer."
    return Invalid(
        [Fault(f"/{purpose}", "unreadable", message, "Start again without it.")]
    )


def _unbased(ref: str) -> bytes | None:
    if len(ref) != _REF or not ref.isascii():
        return None
    try:
        block = b32decode(ref.upper() + "======")
    except binascii.Error:
        return None
    # 26 characters hold two bits too many: only one spelling is the handle.
    return block if b32encode(block)[:_REF].decode() == ref.upper() else None


@lru_cache(maxsize=64)
def _cipher(key: bytes, purpose: str) -> AESGCM:
    return AESGCM(_derived(key, "seal", purpose))


@lru_cache(maxsize=256)
def _block(secret: bytes, tenant: str, source: str) -> Cipher[ECB]:
    # One block and never a second: the bare permutation is what is wanted.
    return Cipher(AES(_derived(secret, "ref", tenant, source)), ECB())  # noqa: S305 - a single block has no mode


def _key_id(key: bytes) -> int:
    return _derived(key, "id")[0]


def _derived(key: bytes, *info: str) -> bytes:
    return HKDF(SHA256(), SECRET, None, json.dumps(["vitrine", *info]).encode()).derive(
        key
    )
