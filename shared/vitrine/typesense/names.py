"""What a public collection calls its fields, and the codes that stand for text.

A manifest's key is lower case, so a name that begins in upper case is ours alone.
The key itself holds the shown value, which the server stores and does not index;
every test runs on the shadow fields beside it.
A code is lower-case letters and digits only: no text of a caller's or of a record's
ever stands in a filter.
"""

from __future__ import annotations

from base64 import b32decode, b32encode
from functools import lru_cache
from hashlib import sha256

from vitrine.registry.fields import Choice, Field

GUARD = "GUARD"
TIE = "TIE"
GONE = "gone"
"""The guard of what was deleted while a run filled its collections."""
AS_OF = "AS_OF"
"""The moment since when a document is true, shown and not tested."""
RANK = "RANK"
"""What is boosted, then the manifest's order: one number, for want of sort fields."""
WORDS = "WORDS"
TEXT = "TEXT"
"""The words of the searched texts, in which misspelt ones are found."""

# Longest text whose code can be read back: the server cuts words at 100 bytes.
READABLE = 60


def has(field: Field) -> str:
    """Name the boolean that tells whether there is a value."""
    return f"HAS_{field.key}"


def code_of(field: Field) -> str:
    """Name the codes of a closed list, a colour or an orientation."""
    return f"CODE_{field.key}"


def exact(field: Field) -> str:
    """Name the code of the whole folded text or squashed identifier."""
    return f"EXACT_{field.key}"


def start(field: Field) -> str:
    """Name the codes of an identifier's beginnings."""
    return f"START_{field.key}"


def integer(field: Field) -> str:
    """Name the number, date or time as int64."""
    return f"INT_{field.key}"


def trie(field: Field) -> str:
    """Name the digit prefixes of a multi-valued number or date."""
    return f"TRIE_{field.key}"


def truth(field: Field) -> str:
    """Name the boolean's value."""
    return f"BOOL_{field.key}"


def band(field: Field) -> str:
    """Name the band between two of the field's steps."""
    return f"BAND_{field.key}"


def channels(field: Field) -> tuple[str, str, str]:
    """Name the red, green and blue of an open list's colour."""
    return f"RED_{field.key}", f"GREEN_{field.key}", f"BLUE_{field.key}"


def stemmed(key: str) -> str:
    """Name the stems of a field's words, which are searched."""
    return f"STEM_{key}"


@lru_cache(maxsize=65_536)  # words come back in every record
def digest(content: str) -> str:
    """Give 80 bits of SHA-256 over a text, as a code of sixteen signs.

    A clash among ten million texts is one in 10**10; a longer code costs the server
    time and memory for each of a document's words.
    """
    raw = sha256(content.encode("utf-8", "surrogatepass")).digest()[:10]
    return b32encode(raw).decode().lower()


def spelling(value: str) -> str:
    """Give the code of an open list's value, readable back where short enough."""
    raw = value.encode("utf-8", "surrogatepass")
    if not 0 < len(raw) <= READABLE:
        return "z" + digest(value)
    return "x" + b32encode(raw).decode().rstrip("=").lower()


def read_back(coded: str) -> str | None:
    """Give the value of an open list's code, None where only its hash is known."""
    if not coded.startswith("x"):
        return None
    body = coded[1:].upper()
    return b32decode(body + "=" * (-len(body) % 8)).decode("utf-8", "surrogatepass")


def choice_code(choices: tuple[Choice, ...] | None, value: str) -> str | None:
    """Give a stored value's code, None where a closed list does not have it."""
    if choices is None:
        return spelling(value)
    return next((c.code for c in choices if c.value == value), None)


def choice_value(choices: tuple[Choice, ...] | None, coded: str) -> str | None:
    """Give the stored value of a code, None where it can't be known."""
    if choices is None:
        return read_back(coded)
    return next((c.value for c in choices if c.code == coded), None)


def guard(tenant: str, source: str) -> str:
    """Give the code that every document of a tenant's source carries."""
    return digest(f"guard\x1f{tenant}\x1f{source}")


def alias(relation: str, tenant: str, profile: str) -> str:
    """Name the alias of one tenant's public collection for one profile."""
    plain = tenant.isascii() and tenant.isalnum() and tenant.islower()
    return f"{relation}_{tenant if plain else digest(tenant)}_{profile}"
