"""The environment, read once into frozen settings, loud about what is missing.

Each class is what one part needs, so that a function carries only its own names.
The names stand in ``template.yaml``; a contract test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

PREFIX = "VITRINE_"
_Kind = TypeVar("_Kind", bound="Settings")


class UnsetError(RuntimeError):
    """Tell the operator which variables are missing or unusable."""


class Settings(BaseModel):
    """Variables ``VITRINE_<FIELD>`` of one part; an empty one counts as missing."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def names(kind: type[Settings]) -> frozenset[str]:
    """List the variables that a part reads."""
    return frozenset(PREFIX + key.upper() for key in kind.model_fields)


def read(kind: type[_Kind], environ: Mapping[str, str]) -> _Kind:
    """Read one part's settings; raise ``UnsetError`` naming every bad variable."""
    given = {
        key: environ[name]
        for key in kind.model_fields
        if environ.get(name := PREFIX + key.upper())
    }
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        bad = ", ".join(
            f"{PREFIX}{str(e['loc'][0]).upper()} ({e['msg']})" for e in error.errors()
        )
        raise UnsetError(f"Unusable environment: {bad}") from None


def secure(url: str) -> str:
    """Accept https, and plain http on the loopback alone, where nobody listens in."""
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return url
    if parts.scheme == "http" and loopback(parts.hostname or ""):
        return url
    message = "an https address is needed"
    raise ValueError(message)


def loopback(host: str) -> bool:
    """Tell whether a host is this machine itself."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _listed(value: Any) -> Any:
    return value.replace(",", " ").split() if isinstance(value, str) else value


Url = Annotated[str, AfterValidator(secure)]
Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class Storage(Settings):
    """Where the project's own table is, and for how long it may be silent.

    ``store_wait`` is in seconds, of one try: there are two.
    """

    table: str
    store_wait: float = Field(default=0.5, gt=0, le=3)


class Trust(Settings):
    """Whose tokens are believed, and what they must be issued for.

    ``audience`` is the public URL of the MCP endpoint, exactly as clients type it.
    """

    issuer: Url
    audience: str
    jwks_url: Url | None = None


class Engines(Settings):
    """Names of the secrets that open the customer's engines."""

    dsn_secret: str
    typesense_secret: str


class Database(Settings):
    """Name of the secret that opens the customer's database, where notes are."""

    dsn_secret: str


class Sealing(Settings):
    """Name of the secret that holds the key ring."""

    seal_secret: str


class Models(Settings):
    """The model that reads sentences, if there is one: a secret's, or Bedrock's.

    Prices are dollars per million tokens. Bedrock tells no cost, so that a model
    without both would be one that the kill switch can't see. ``topic_gate`` asks for
    the topic of a doubtful message in a call of its own.
    """

    model_secret: str | None = None
    bedrock_price_in: Annotated[float, Field(ge=0)] = 0.0
    bedrock_price_out: Annotated[float, Field(ge=0)] = 0.0
    bedrock_model: str | None = None
    topic_gate: bool = False

    @field_validator("bedrock_model")
    @classmethod
    def _priced(cls, model: str | None, info: ValidationInfo) -> str | None:
        prices = [info.data.get(f"bedrock_price_{way}") for way in ("in", "out")]
        if model and not all(prices):
            message = "a model needs the price of its tokens, both ways"
            raise ValueError(message)
        return model


class Meaning(Settings):
    """Name of the secret that opens the embedder, if there is one.

    Without a name, and where the secret is ``{}``, the embedded model is used if its
    package lies in a layer.
    """

    embed_secret: str | None = None


class Money(Settings):
    """Millionths of a dollar that models may cost in a day."""

    daily_cap: Annotated[int, Field(ge=0)]


class Operation(Settings):
    """The organisation whose administrators operate the deployment, if one may.

    Without one, nobody touches over HTTP what belongs to all organisations.
    """

    operator: str | None = None


class Writing(Settings):
    """The secret that opens the public collections to a writer, and whom to follow.

    ``followed`` are sources whose private collection is looked at by the schedule,
    each as ``tenant/source``.
    """

    writer_secret: str
    followed: Words = ()


class Front(Settings):
    """Under which hosts MCP is reached, and the scopes that a client may ask for.

    Pages of ``allowed_origins`` may call from a browser, beside those of the hosts.
    """

    allowed_hosts: Annotated[Words, Field(min_length=1)]
    allowed_origins: Words = ()
    scopes: Words = ()
