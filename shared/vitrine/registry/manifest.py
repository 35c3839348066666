"""The manifest: one documented, versioned file that describes a source.

``infra/sources/<source>.json`` holds one; it is checked once, when it is loaded or
published, and refused whole when anything is off.
A field is private until a profile's list names it: filter, sort, search, facet and
output are five lists of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field as Bound
from pydantic import StringConstraints, model_validator

from vitrine.registry.capabilities import EngineName, sortable
from vitrine.registry.fields import Field, Key, Language, Strict

ALL = "*"
KNOWN_BY = r"^(postgres:[a-z_][a-z0-9_.]*|jsonl:.+)$"
# How many facets a profile may expose, however many the source has (DESIGN §9).
FACET_LIMITS = MappingProxyType({"closed": 8, "professional": 10, "trusted": None})
ProfileName = Literal["closed", "professional", "trusted"]
Texts = dict[Language, str]
SourceName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]


class Cap(Strict):
    """A budget that grows with the catalogue: max(floor, share × documents)."""

    floor: Annotated[int, Bound(ge=0)]
    share: Annotated[float, Bound(ge=0, le=1)] = 0.0

    def of(self, documents: int) -> int:
        """Give the cap in distinct documents for a catalogue of this size."""
        return max(self.floor, round(self.share * documents))


SESSION = 80_000
"""Documents that the table remembers of one session: what an item of it holds."""
DAY = 48_000
"""Documents, or facet values, that it remembers of an identity's day."""
COUNTERS = 3
"""Counters that share a tenant's or a client's day, as ``disclosure`` divides them."""


class Budget(Strict):
    """What an identity of a capped profile may still learn of a source.

    Figures are distinct documents unless said otherwise; the account's day and
    month are ``account_factor`` times the identity's.
    """

    answer: Annotated[int, Bound(ge=1, le=50)] = 10
    pages: Annotated[int, Bound(ge=1, le=10)] = 3
    session: Annotated[int, Bound(ge=0, le=SESSION)] = 30
    day: Cap = Cap(floor=150, share=0.002)
    month: Cap = Cap(floor=500, share=0.01)
    account_factor: Annotated[int, Bound(ge=1)] = 3
    facet_values: Annotated[int, Bound(ge=0, le=DAY)] = 2_000
    """Facet values revealed per identity and day."""
    counts: int = 500
    """Numbers (totals, explained filters) revealed per identity and day."""
    misses: int = 50
    """Look-ups of a ref, SKU or GTIN that find nothing, per identity and day."""
    anonymous: Annotated[int, Bound(ge=0)] = 0
    """Documents a day for all callers without a user together; 0 lets none in."""
    tenant_day: Annotated[int, Bound(ge=1)] = 250_000
    """Documents new to an identity that all callers together see in a day: a fuse."""
    client_day: Annotated[int, Bound(ge=1)] = 250_000
    """The same through one client."""

    @model_validator(mode="after")
    def _remember_a_day(self) -> Budget:
        if self.day.floor > DAY:
            raise ValueError(f"day.floor is at most {DAY}")
        return self

    @model_validator(mode="after")
    def _let_a_page_through(self) -> Budget:
        # A page is held whole in one counter: with less, not even the day's first one
        # would leave.
        least = COUNTERS * self.answer
        if min(self.tenant_day, self.client_day) < least:
            raise ValueError(f"tenant_day and client_day are at least {least} here")
        return self


class Profile(Strict):
    """What a caller may see and do with the source; lists hold field keys or ``*``.

    A profile without a budget is uncapped: it pages on and has exact counts.
    """

    filter: tuple[str, ...] = ()
    facet: tuple[str, ...] = ()
    sort: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    budget: Budget | None = None
    k: Annotated[int, Bound(ge=2)] = 10
    """Counts below k are shown as "fewer than k" where there is a budget."""


class TextField(Strict):
    """A searched field and its weight (Typesense ``query_by_weights``; A–D on SQL)."""

    key: Key
    weight: Annotated[int, Bound(ge=1, le=15)] = 1


class Reading(Strict):
    """One reading of an ambiguous word: a filter, or the subject of a search."""

    name: Key
    label: Texts
    field: Key | None = None
    value: str | None = None


class Ambiguity(Strict):
    """A word with two readings, asked once a session and remembered.

    ``words`` are the bare forms that are ambiguous; ``settled`` the phrases that
    are not ("en paysage"), each with the reading that it means.
    """

    term: Key
    words: dict[Language, tuple[str, ...]]
    settled: dict[str, Key] = Bound(default_factory=dict)
    readings: Annotated[tuple[Reading, ...], Bound(min_length=2)]
    question: Texts


class Tool(Strict):
    """The texts of a source's MCP tools, for agents: constant, never data."""

    title: str
    use: str
    not_for: str
    example: str


class Hit(Strict):
    """How a document is shown: which fields are its name, price, image and page."""

    title: Key
    url: str | None = None
    """The product page: a template with ``{field}`` of output fields or ``{ref}``."""
    identifiers: tuple[Key, ...] = ()
    """Fields by which a caller may look up what they already know."""
    preview: tuple[Key, ...] = ()
    """Long texts, cut at about 280 characters."""
    perishable: tuple[Key, ...] = ()
    """What is told only while it is fresh: availability, stock, delivery."""


class Locale(Strict):
    """What a hit is like in one language, where that differs.

    ``title`` and ``url`` take the place of the hit's; ``fields`` says which field
    holds the language's words of another (``{"name": "name_fr"}``). ``engine`` is
    the engine's own locale for texts in that language.
    """

    title: Key | None = None
    url: str | None = None
    fields: dict[Key, Key] = Bound(default_factory=dict)
    engine: str | None = None


class Origin(Strict):
    """Where a public collection's records come from, and which may be published.

    A record keeps a field's value under the field's ``column``, dots leading into
    objects, or under its key.
    """

    id: str = "id"
    """Where a record keeps its private id."""
    only: dict[str, tuple[bool | int | str, ...]] = Bound(default_factory=dict)
    """The values that a record must have to be published; all must hold."""
    moment: str | None = None
    """Where it says since when it is true (ISO, or seconds since 1970)."""
    collection: str | None = None
    """The private collection whose changes are followed, by ``moment``."""
    decimal: tuple[Key, ...] = ()
    """Money that records keep in whole units (19.99), not in cents."""
    gathered: tuple[Key, ...] = ()
    """Fields whose closed list is made of the values that are published."""


class Synonym(Strict):
    """Words or phrases that mean the same; with ``root``, only it finds the others."""

    words: Annotated[tuple[str, ...], Bound(min_length=1)]
    root: str | None = None


class Pin(Strict):
    """What comes first, and what never comes, for one question.

    ``first`` and ``never`` are private ids. ``whole`` asks for the question itself;
    without it, its words may stand among others. A pin moves what is found: it brings
    in nothing that the question does not find.
    """

    query: str
    whole: bool = True
    first: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class Boost(Strict):
    """Values whose documents come before others that are as relevant."""

    field: Key
    values: Annotated[tuple[str, ...], Bound(min_length=1)]
    weight: Annotated[int, Bound(ge=1, le=15)] = 1


class Manifest(Strict):
    """A source, whole.

    ``relation`` is the view (PostgreSQL) or the public collection (Typesense).
    ``way_on`` is the site's own search, a template with ``{query}``.
    ``zone`` is the tenant's time zone, ``hemisphere`` decides its seasons.
    """

    version: Literal[1] = 1
    source: SourceName
    engine: EngineName
    relation: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.]{0,62}$")]
    title: Texts
    site: str
    way_on: str
    zone: str = "Europe/Paris"
    hemisphere: Literal["north", "south"] = "north"
    text_language: Language = "en"
    widen_below: Annotated[int, Bound(ge=1)] = 1
    max_age: Annotated[int, Bound(ge=60)] = 86_400
    """Seconds after which availability is no longer asserted."""
    fields: tuple[Field, ...]
    text: tuple[TextField, ...] = ()
    hit: Hit
    tool: Tool
    profiles: dict[ProfileName, Profile]
    ambiguous: tuple[Ambiguity, ...] = ()
    defined: bool = False
    """Whether the tenant adds fields of its own; they join at every publish."""
    order: Key | None = None
    """The date or number that orders results where relevance does not."""
    scoped: bool = False
    """Whether the view has ``scoped``: its words behind whom a row is for."""
    vectors: str | None = None
    """The embedder that made the vectors in ``<relation>_vectors``, None without."""
    origin: Origin = Origin()
    locales: dict[Language, Locale] = Bound(default_factory=dict)
    synonyms: tuple[Synonym, ...] = ()
    stopwords: tuple[str, ...] = ()
    """Words that tell nothing here, beside those of the languages."""
    pins: Annotated[tuple[Pin, ...], Bound(max_length=100)] = ()
    boosts: Annotated[tuple[Boost, ...], Bound(max_length=10)] = ()
    canaries: Annotated[tuple[str, ...], Bound(max_length=1_000)] = ()
    """Private ids of planted documents: an alarm rings when one is shown."""
    known_by: tuple[Annotated[str, StringConstraints(pattern=KNOWN_BY)], ...] = ()
    """Views or exports of what companies know already, by their orders."""

    @model_validator(mode="after")
    def _whole(self) -> Manifest:
        problems = [*_unknown(self), *_doubled(self), *_overfull(self)]
        problems += _unsorted(self)
        if problems:
            raise ValueError("; ".join(problems))
        return self

    def field(self, key: str) -> Field | None:
        """Find a field by key."""
        return next((f for f in self.fields if f.key == key), None)

    def extended(self, fields: Iterable[Field]) -> Manifest:
        """Give the manifest with a tenant's own definitions added, checked again."""
        everything = self.model_dump() | {
            "fields": [f.model_dump() for f in (*self.fields, *fields)]
        }
        return Manifest.model_validate(everything)


def _unknown(manifest: Manifest) -> Iterable[str]:
    known = {f.key for f in manifest.fields} | {ALL}
    named: dict[str, Iterable[str]] = {
        "hit": (
            manifest.hit.title,
            *manifest.hit.identifiers,
            *manifest.hit.preview,
            *manifest.hit.perishable,
        ),
        "origin": (*manifest.origin.decimal, *manifest.origin.gathered),
        "boosts": (boost.field for boost in manifest.boosts),
        "locales": (k for locale in manifest.locales.values() for k in _local(locale)),
        "text": (t.key for t in manifest.text),
        "order": (manifest.order,) if manifest.order else (),
        "ambiguous": (
            r.field for a in manifest.ambiguous for r in a.readings if r.field
        ),
    }
    for name, profile in manifest.profiles.items():
        lists = (
            profile.filter,
            profile.facet,
            profile.sort,
            profile.search,
            profile.output,
        )
        named[f"profiles.{name}"] = (key for keys in lists for key in keys)
    for where, keys in named.items():
        yield from (f"{where} names no field {k!r}" for k in keys if k not in known)


def _local(locale: Locale) -> Iterable[str]:
    title = (locale.title,) if locale.title else ()
    return (*title, *locale.fields, *locale.fields.values())


def _doubled(manifest: Manifest) -> Iterable[str]:
    # Counted in one pass: a tenant may define hundreds, and every new environment
    # checks them again.
    counted = Counter(f.key for f in manifest.fields)
    twice = sorted(key for key, number in counted.items() if number > 1)
    yield from (f"field {key!r} stands twice" for key in twice)


def _unsorted(manifest: Manifest) -> Iterable[str]:
    """Find what is named to order by and can't: a request for it would be dropped."""
    for name, profile in manifest.profiles.items():
        found = (manifest.field(key) for key in profile.sort)
        yield from (
            f"profiles.{name}.sort names {field.key!r}, which orders nothing here"
            for field in found
            if field and not sortable(manifest.engine, field)
        )


def _overfull(manifest: Manifest) -> Iterable[str]:
    for name, profile in manifest.profiles.items():
        limit = FACET_LIMITS[name]
        if limit is not None and (ALL in profile.facet or len(profile.facet) > limit):
            yield f"profile {name} exposes more than {limit} facets"
        if name != "trusted" and profile.budget is None:
            yield f"profile {name} needs a budget"
